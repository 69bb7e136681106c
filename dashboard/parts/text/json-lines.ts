/** A piece of JSON as it is shown; `whole` is there where something in the middle was left out. */
type JsonToken = { kind: 'k' | 's' | 'n' | 'p'; text: string; whole?: string }

type JsonLine = { depth: number; tokens: JsonToken[] }

type Found = { kind: JsonToken['kind']; text: string; end: number }

/** Longer strings say nothing to a reader in their middle. */
const HEX_SHOWN = { longest: 26, head: 11, tail: 9 }
const TEXT_SHOWN = { longest: 160, head: 100, tail: 40 }

const WORD = /[-+.0-9A-Za-z]+/y
const LITERAL = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)$/
const HEX = /^"0x[0-9a-fA-F]{24}/

/** No body nests deeper. */
const DEPTH_MAX = 64

/**
 * The lines of a JSON text, indented, up to a number of them; null where it is not JSON. The text
 * is not read into values, so that numbers keep all their digits.
 */
export function jsonLines(
  text: string,
  linesMax: number,
): { lines: JsonLine[]; isCut: boolean } | null {
  const lines: JsonLine[] = []
  let line: JsonLine = { depth: 0, tokens: [] }
  const closing: string[] = []
  let at = 0
  const breakLine = () => {
    if (line.tokens.length > 0) lines.push(line)
    line = { depth: closing.length, tokens: [] }
  }
  while (lines.length < linesMax) {
    const found = tokenAt(text, at)
    if (found === null) return null
    if (found === 'end') {
      breakLine()
      return closing.length === 0 && lines.length > 0 ? { lines, isCut: false } : null
    }
    at = found.end
    const { text: sign } = found
    if (sign === '}' || sign === ']') {
      if (closing.pop() !== sign) return null
      if (!isOpening(line.tokens.at(-1))) breakLine()
    }
    line.tokens.push(shownToken(found))
    const end = { '{': '}', '[': ']' }[sign]
    if (end) closing.push(end)
    if (closing.length > DEPTH_MAX) return null
    if ((end && !closesAt(text, at)) || sign === ',') breakLine()
  }
  return { lines, isCut: true }
}

function isOpening(token: JsonToken | undefined): boolean {
  return token?.kind === 'p' && (token.text === '{' || token.text === '[')
}

/** True when nothing stands before the bracket that ends it. */
function closesAt(text: string, from: number): boolean {
  const next = text[afterSpace(text, from)]
  return next === '}' || next === ']'
}

function tokenAt(text: string, from: number): Found | 'end' | null {
  const at = afterSpace(text, from)
  const sign = text[at]
  if (sign === undefined) return 'end'
  if (sign === '"') return stringAt(text, at)
  if (sign === ':') return { kind: 'p', text: ': ', end: at + 1 }
  if ('{}[],'.includes(sign)) return { kind: 'p', text: sign, end: at + 1 }
  WORD.lastIndex = at
  const word = WORD.exec(text)?.[0]
  return word && LITERAL.test(word) ? { kind: 'n', text: word, end: at + word.length } : null
}

/** A string with its quotes; one that a colon follows is a name. */
function stringAt(text: string, at: number): Found | null {
  let end = text.indexOf('"', at + 1)
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  if (end < 0) return null
  const isName = text[afterSpace(text, end + 1)] === ':'
  return { kind: isName ? 'k' : 's', text: text.slice(at, end + 1), end: end + 1 }
}

/** A quote after an odd number of backslashes is part of the string. */
function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1
}

function shownToken({ kind, text }: Found): JsonToken {
  if (kind === 'p') return { kind, text }
  const { longest, head, tail } = HEX.test(text) ? HEX_SHOWN : TEXT_SHOWN
  if (text.length <= longest) return { kind, text }
  return { kind, text: `${text.slice(0, head)}…${text.slice(-tail)}`, whole: text }
}

function afterSpace(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\t' || text[at] === '\r') at++
  return at
}
