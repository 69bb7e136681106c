/** A word of GraphQL, be it of a query or of a schema; `to` is the place behind it. */
export type Token = { kind: TokenKind; text: string; from: number; to: number }

type TokenKind =
  | 'comment'
  | 'string'
  | 'variable'
  | 'directive'
  | 'name'
  | 'number'
  | 'punctuation'
  | 'unknown'

/** In the order in which they are tried; a string that nobody closed ends with its line. */
const FORMS: readonly [kind: TokenKind, form: string][] = [
  ['comment', '#[^\\n\\r]*'],
  ['string', '"""(?:[^"\\\\]|\\\\"""|\\\\|"(?!""))*(?:"""|$)|"(?:[^"\\\\\\n\\r]|\\\\.)*"?'],
  ['variable', '\\$\\w*'],
  ['directive', '@\\w*'],
  ['name', '[_A-Za-z]\\w*'],
  ['number', '-?\\d[\\w.+-]*'],
  ['punctuation', '\\.\\.\\.|[!&(){}\\[\\]:=|]'],
  ['unknown', '[^\\s,\\uFEFF]'],
]

const TOKEN = FORMS.map(([, form]) => `(${form})`).join('|')

/** The words of a text, in their order. Any text has some: what is no GraphQL is `unknown`. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  for (const match of text.matchAll(new RegExp(TOKEN, 'g'))) {
    const at = FORMS.findIndex((_, place) => match[place + 1] !== undefined)
    const from = match.index
    const kind = FORMS[at]?.[0] ?? 'unknown'
    tokens.push({ kind, text: match[0], from, to: from + match[0].length })
  }
  return tokens
}
