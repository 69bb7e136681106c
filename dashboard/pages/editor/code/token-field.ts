import { type EditorState, RangeSetBuilder, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view'
import { type Token, tokensOf } from '../language/graphql-tokens.ts'

type Tokens = { tokens: readonly Token[]; marks: DecorationSet }

const KEYWORDS: ReadonlySet<string> = new Set(['query', 'fragment', 'on', 'true', 'false', 'null'])

const MARKS = {
  comment: Decoration.mark({ class: 'c' }),
  string: Decoration.mark({ class: 's' }),
  variable: Decoration.mark({ class: 'v' }),
  directive: Decoration.mark({ class: 'k' }),
  keyword: Decoration.mark({ class: 'k' }),
  type: Decoration.mark({ class: 'n' }),
  name: Decoration.mark({ class: 'f' }),
  number: Decoration.mark({ class: 'n' }),
  punctuation: Decoration.mark({ class: 'p' }),
}

/** The words of the query, read once for every change, and their colours. */
export const TOKEN_FIELD = StateField.define<Tokens>({
  create: (state) => readTokens(state),
  update: (old, change) => (change.docChanged ? readTokens(change.state) : old),
  provide: (field) => EditorView.decorations.from(field, ({ marks }) => marks),
})

export function tokensIn(state: EditorState): readonly Token[] {
  return state.field(TOKEN_FIELD).tokens
}

function readTokens(state: EditorState): Tokens {
  const tokens = tokensOf(state.doc.toString())
  const marks = new RangeSetBuilder<Decoration>()
  for (const [at, token] of tokens.entries()) {
    const kind = kindOf(token, tokens[at - 1])
    if (kind !== 'unknown') marks.add(token.from, token.to, MARKS[kind])
  }
  return { tokens, marks: marks.finish() }
}

function kindOf(token: Token, before: Token | undefined): keyof typeof MARKS | 'unknown' {
  if (token.kind !== 'name') return token.kind
  if (KEYWORDS.has(token.text)) return 'keyword'
  return before?.text === 'on' || /^[A-Z]/.test(token.text) ? 'type' : 'name'
}
