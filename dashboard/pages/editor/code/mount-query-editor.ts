import { type Extension, Prec } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { element } from '../../../parts/element.ts'
import { formatQuery } from '../language/format-query.ts'
import { type QuerySchema, readSchema } from '../language/read-schema.ts'
import type { QueryProblem } from '../query/query-problem.ts'
import { EDITING } from './editing.ts'
import { applyFix, ERROR_FIELD, offsetOf, showErrors } from './error-field.ts'
import { HEX_FOLDS } from './hex-folds.ts'
import LOOK from './query-editor.css' with { type: 'text' }
import { schemaAssist } from './schema-assist.ts'
import { TOKEN_FIELD } from './token-field.ts'

export type QueryEditor = ReturnType<typeof mountQueryEditor>

type Wishes = { text: string; onChange(text: string): void; onRun(): void }

const HOW =
  'Escape and then Tab leaves the editor. Control or Command with Enter runs the query. ' +
  'Control with Space lists what can stand here, Alt with Enter takes the first name that is ' +
  'suggested for an error in the line.'

/**
 * Opens the editor in a shadow root: the pages' policy forbids sheets that scripts write into the
 * document, and those of a shadow root are adopted instead.
 */
export function mountQueryEditor(host: HTMLElement, wishes: Wishes) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(LOOK)
  root.adoptedStyleSheets = [sheet]
  const how = element('p', { id: 'how', className: 'how' }, HOW)
  let schema: QuerySchema = new Map()
  const extensions = [extensionsOf(wishes), schemaAssist(() => schema)]
  const view = new EditorView({ doc: wishes.text, extensions, root })
  root.replaceChildren(how, view.dom)
  return {
    setText: (text: string) => replaceText(view, text),
    setSchema: (text: string) => {
      schema = readSchema(text)
    },
    showProblems: (problems: readonly QueryProblem[]) => showErrors(view, problems),
    goTo(line: number, column: number) {
      const anchor = offsetOf(view.state.doc, line, column)
      view.dispatch({
        selection: { anchor },
        effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
      })
      view.focus()
    },
    format: () => format(view),
    close: () => view.destroy(),
  }
}

function extensionsOf({ onChange, onRun }: Wishes): Extension {
  const run = () => {
    onRun()
    return true
  }
  return [
    TOKEN_FIELD,
    HEX_FOLDS,
    ERROR_FIELD,
    EditorView.darkTheme.of(true),
    EDITING,
    Prec.highest(
      keymap.of([
        { key: 'Mod-Enter', run },
        { key: 'Shift-Alt-f', run: format },
        { key: 'Alt-Enter', run: applyFix },
      ]),
    ),
    EditorView.contentAttributes.of({
      'aria-label': 'GraphQL query',
      'aria-describedby': 'how',
      tabindex: '0',
      spellcheck: 'false',
      autocapitalize: 'off',
    }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onChange(state.doc.toString())
    }),
  ]
}

function format(view: EditorView): boolean {
  replaceText(view, formatQuery(view.state.doc.toString()))
  return true
}

/** Changes only what is different, so that the cursor and the way back stay. */
function replaceText(view: EditorView, text: string): void {
  const old = view.state.doc.toString()
  if (old === text) return
  let start = 0
  while (start < old.length && start < text.length && old[start] === text[start]) start++
  let end = 0
  const room = Math.min(old.length, text.length) - start
  while (end < room && old[old.length - 1 - end] === text[text.length - 1 - end]) end++
  view.dispatch({
    changes: { from: start, to: old.length - end, insert: text.slice(start, text.length - end) },
  })
}
