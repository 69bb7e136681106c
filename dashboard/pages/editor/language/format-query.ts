import { type Token, tokensOf } from './graphql-tokens.ts'

type Group = { open: Token; parts: Part[]; close: Token | null }

type Part = Token | Group

const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']' }
const COLUMNS_MAX = 88
const STEP = '  '

/** No query is as deep; brackets beyond are left as they are. */
const DEPTH_MAX = 100

/** The operation, and lists of its block, are not put on one line, however short they are. */
const OUTER_COLUMNS = 4

/**
 * Puts a query into form: two spaces a level, a field a line, short groups on one. Comments stay,
 * and so do the author's line breaks inside of brackets. A text whose brackets do not fit together
 * comes back as it is.
 */
export function formatQuery(text: string): string {
  const tokens = tokensOf(text)
  const parts = groupsOf(tokens)
  if (!parts) return text
  const written: string[] = []
  let line = ''
  for (const [at, part] of parts.entries()) {
    const before = parts[at - 1]
    if (before && startsLine(text, before, part)) {
      written.push(line)
      if (isSelection(before)) written.push('')
      line = ''
    }
    line += (line && spaceBetween(before, part) ? ' ' : '') + writePart(text, part, '', line.length)
  }
  return `${[...written, line].join('\n').trim()}\n`
}

function groupsOf(tokens: readonly Token[]): Part[] | null {
  const root: Part[] = []
  const open: Group[] = []
  for (const token of tokens) {
    const parts = open.at(-1)?.parts ?? root
    if (CLOSERS[token.text] && token.kind === 'punctuation') {
      const group: Group = { open: token, parts: [], close: null }
      parts.push(group)
      open.push(group)
      if (open.length > DEPTH_MAX) return null
    } else if (token.kind === 'punctuation' && Object.values(CLOSERS).includes(token.text)) {
      const group = open.pop()
      if (!group || CLOSERS[group.open.text] !== token.text) return null
      group.close = token
    } else parts.push(token)
  }
  return open.length === 0 ? root : null
}

function writePart(source: string, part: Part, indent: string, column: number): string {
  if (!isGroup(part)) return part.text.trimEnd()
  const { open, close, parts } = part
  const inner = inline(part)
  const isApart = close !== null && source.slice(open.to, close.from).includes('\n')
  const isOuter =
    open.text === '{' && indent.length < OUTER_COLUMNS && (indent === '' || parts.some(isSelection))
  const mayJoin = !isOuter && (!isApart || parts.length <= 1)
  if (inner !== null && mayJoin && column + inner.length <= COLUMNS_MAX) return inner
  // Some hold on to what is in them; the brackets inside are those that break.
  if (hugs(part)) {
    const inside = writeParts(source, parts, indent, column + 1)
    return `${open.text}${inside}${close?.text ?? ''}`
  }
  const deeper = indent + STEP
  const lines = writeLines(source, part, deeper)
  return `${open.text}\n${lines.map((line) => deeper + line).join('\n')}\n${indent}${close?.text ?? ''}`
}

/** The members of a broken group, a line each; a comment that stood behind one stays there. */
function writeLines(source: string, group: Group, indent: string): string[] {
  const lines: string[] = []
  for (const [at, part] of group.parts.entries()) {
    const before = group.parts[at - 1]
    const isTrailing = isComment(part) && before && !startsLine(source, before, part)
    const isNew = !before || (isComment(part) ? !isTrailing : startsMember(group, at))
    const last = lines.at(-1) ?? ''
    const glue = isTrailing ? '  ' : before && spaceBetween(before, part) ? ' ' : ''
    const column = indent.length + (isNew ? 0 : columnsOf(last) + glue.length)
    const text = writePart(source, part, indent, column)
    if (isNew) lines.push(text)
    else lines[lines.length - 1] = last + glue + text
  }
  return lines
}

function writeParts(
  source: string,
  parts: readonly Part[],
  indent: string,
  column: number,
): string {
  let line = ''
  for (const [at, part] of parts.entries()) {
    const glue = spaceBetween(parts[at - 1], part) ? ' ' : ''
    const already = line.includes('\n') ? columnsOf(line) : column + line.length
    line += glue + writePart(source, part, indent, already + glue.length)
  }
  return line
}

/** Round brackets, and a list of one list or object. */
function hugs({ open, parts }: Group): boolean {
  if (parts.some(isComment)) return false
  const [only, more] = parts
  return open.text === '(' || (open.text === '[' && !more && only !== undefined && isGroup(only))
}

/** The width of the last line. */
function columnsOf(text: string): number {
  return text.length - text.lastIndexOf('\n') - 1
}

/** A group on one line; null where a comment is in it. */
function inline({ open, parts, close }: Group): string | null {
  let line = ''
  for (const [at, part] of parts.entries()) {
    if (isComment(part)) return null
    const text = isGroup(part) ? inline(part) : part.text
    if (text === null || text.includes('\n')) return null
    const isItem = open.text !== '{' || parts.some((other) => textOf(other) === ':')
    const comma = isItem && at > 0 && startsMember({ open, parts, close }, at) ? ',' : ''
    line += comma + (at > 0 && spaceBetween(parts[at - 1], part) ? ' ' : '') + text
  }
  const isObject = parts.some((part) => textOf(part) === ':')
  const pad = open.text === '{' && !isObject && line ? ' ' : ''
  return open.text + pad + line + pad + (close?.text ?? '')
}

function startsMember({ open, parts }: Pick<Group, 'open' | 'parts' | 'close'>, at: number) {
  const [part, before] = [parts[at], parts[at - 1]]
  if (!part || !before) return true
  if (isComment(before)) return true
  if (['!', ':', '=', '|', '&'].includes(textOf(part))) return false
  if (open.text === '[') return true
  if (isGroup(part)) return false
  if (part.kind === 'directive') return false
  const isGlued = [':', '...', '=', '@', 'on', '|', '&'].includes(textOf(before))
  const isSpread = textOf(parts[at - 2]) === '...' && textOf(before) === 'on'
  if (isGlued || isSpread) return false
  return part.text !== 'on' || textOf(before) !== '...'
}

function spaceBetween(before: Part | undefined, part: Part): boolean {
  const text = textOf(part)
  const last = textOf(before)
  if (!before || text === ':' || text === '!' || (last === '...' && text !== 'on')) return false
  if (text === '(') return last === 'query'
  return true
}

/** The parts of a document: each definition, and each comment, begins a line. */
function startsLine(source: string, before: Part, part: Part): boolean {
  const end = isGroup(before) ? (before.close?.to ?? before.open.to) : before.to
  const start = isGroup(part) ? part.open.from : part.from
  if (isComment(before)) return true
  const isApart = source.slice(end, start).includes('\n')
  return (isComment(part) && isApart) || (isSelection(before) && !isComment(part))
}

function isSelection(part: Part): boolean {
  return isGroup(part) && part.open.text === '{'
}

function isGroup(part: Part): part is Group {
  return 'open' in part
}

function isComment(part: Part): boolean {
  return !isGroup(part) && part.kind === 'comment'
}

function textOf(part: Part | undefined): string {
  if (!part) return ''
  return isGroup(part) ? part.open.text : part.text
}
