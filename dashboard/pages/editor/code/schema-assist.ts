import {
  autocompletion,
  type Completion as Choice,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import type { EditorState, Extension } from '@codemirror/state'
import { type EditorView, hoverTooltip, type Tooltip } from '@codemirror/view'
import { element } from '../../../parts/element.ts'
import { type Completion, queryCompletions } from '../language/query-completions.ts'
import { fieldAt } from '../language/query-place.ts'
import type { QuerySchema } from '../language/read-schema.ts'
import { tokensIn } from './token-field.ts'

/** Completion and words on hover, by the schema; `schema` is asked each time, as it comes later. */
export function schemaAssist(schema: () => QuerySchema): Extension {
  return [
    autocompletion({
      override: [(context) => complete(context, schema())],
      icons: false,
    }),
    hoverTooltip((view, offset) => docAt(view.state, offset, schema())),
  ]
}

/** Comes by itself once a word has begun, and goes when it is whole: Enter is a new line then. */
function complete(context: CompletionContext, schema: QuerySchema): CompletionResult | null {
  const { state, pos, explicit } = context
  const found = queryCompletions(state.doc.toString(), pos, schema)
  if (!found) return null
  const typed = state.sliceDoc(found.from, pos)
  const isWhole = found.options.some(({ insert }) => insert === typed)
  if (!explicit && (typed === '' || isWhole)) return null
  return { from: found.from, options: found.options.map(choiceOf) }
}

function choiceOf({ label, detail, doc, insert }: Completion): Choice {
  return {
    label,
    detail,
    info: () => docElement(`${label}${detail ? `: ${detail}` : ''}`, doc),
    apply: (view, _choice, from, to) => put(view, insert, from, to),
  }
}

/** Puts a text in, with the cursor where it says and lines indented as the first one is. */
function put(view: EditorView, insert: string, from: number, to: number): void {
  const indent = /^\s*/.exec(view.state.doc.lineAt(from).text)?.[0] ?? ''
  const text = insert.replaceAll('\n', `\n${indent}`)
  const cursor = text.indexOf('|')
  view.dispatch({
    changes: { from, to, insert: text.replace('|', '') },
    selection: { anchor: from + (cursor === -1 ? text.length : cursor) },
    userEvent: 'input.complete',
    scrollIntoView: true,
  })
}

function docAt(state: EditorState, offset: number, schema: QuerySchema): Tooltip | null {
  const tokens = tokensIn(state)
  const at = tokens.findIndex(({ from, to }) => from <= offset && offset < to)
  const token = tokens[at]
  if (!token) return null
  const field = fieldAt(tokens, at, schema)
  const type = field ? null : schema.get(token.text)
  if (!field && !type) return null
  const title = field ? `${field.name}: ${field.type}` : token.text
  const doc = field ? field.doc || (schema.get(field.of)?.doc ?? '') : (type?.doc ?? '')
  return {
    pos: token.from,
    end: token.to,
    above: true,
    create: () => ({ dom: docElement(title, doc) }),
  }
}

function docElement(title: string, doc: string): HTMLElement {
  const words = doc ? [document.createElement('br'), doc] : []
  return element('div', { className: 'doc' }, element('code', {}, title), ...words)
}
