export type ResponseHead = {
  status: number
  header(name: string): string | null
  length: number | null
}

export const HEAD_END = '\r\n\r\n'
export const HEAD_BYTES_MAX = 64 * 1024

const CR_LF = '\r\n'

/**
 * The head that came last over a connection, with its end; most of the next ones are the same for
 * a second.
 */
export type HeadMemo = { text: string; head: ResponseHead | null }

/** Every kept connection holds one, so long heads are read anew each time. */
const MEMO_CHARS_MAX = 2048

/**
 * Hot path: a small answer that came in one piece, read without a reader. Null when
 * it is anything else, and nothing has been used up then.
 */
export function wholeResponse(
  memo: HeadMemo,
  bytes: Buffer,
): { head: ResponseHead; bodyAt: number } | null {
  // Most heads are like the last one, and one look costs less than a search for the end.
  if (memo.text === '' || bytes.toString('latin1', 0, memo.text.length) !== memo.text) {
    const end = bytes.indexOf(HEAD_END)
    if (end < 0 || end > MEMO_CHARS_MAX) return null
    const text = bytes.toString('latin1', 0, end)
    memo.text = text + HEAD_END
    memo.head = plainHead(text)
  }
  const { head } = memo
  const bodyAt = memo.text.length
  if (head === null || bytes.length !== bodyAt + (head.length ?? 0)) return null
  return { head, bodyAt }
}

/** A head with nothing to it but a length, on a connection that stays; null for all others. */
function plainHead(text: string): ResponseHead | null {
  const head = parseHead(text)
  if (!head?.keepAlive || head.status < 200 || head.status === 204 || head.status === 304) {
    return null
  }
  const plain = head.length !== null && head.coding === null
  if (!plain || head.header('content-encoding') !== null) return null
  return { status: head.status, header: head.header, length: head.length }
}

export type ParsedHead = ResponseHead & { minor: string; coding: string | null; keepAlive: boolean }

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?:[ \r]|$)/

const LENGTH = /^\d{1,15}$/

export function parseHead(text: string): ParsedHead | null {
  const status = STATUS_LINE.exec(text)
  if (!status) return null
  const lower = text.toLowerCase()
  const header = (name: string) => headerIn(text, lower, name.toLowerCase())
  const declared = header('content-length')
  const length = declared === null ? null : lengthOf(declared)
  if (length === false) return null
  const connection = header('connection')?.toLowerCase() ?? ''
  const minor = status[1] ?? ''
  return {
    status: Number(status[2]),
    header,
    length,
    minor,
    coding: header('transfer-encoding'),
    keepAlive: minor === '1' ? !connection.includes('close') : connection === 'keep-alive',
  }
}

function lengthOf(declared: string): number | false {
  if (LENGTH.test(declared)) return Number(declared)
  // A length that is declared twice is no contradiction.
  const [first = '', ...others] = declared.split(', ')
  return LENGTH.test(first) && others.every((other) => other === first) && Number(first)
}

/**
 * Found on demand: most answers are asked for three headers of a dozen. One that
 * comes several times is one list, as the standard has it.
 */
function headerIn(text: string, lower: string, name: string): string | null {
  const key = `${CR_LF}${name}:`
  let found: string | null = null
  for (let at = lower.indexOf(key); at >= 0; at = lower.indexOf(key, at + key.length)) {
    const start = at + key.length
    const end = text.indexOf(CR_LF, start)
    const value = (end < 0 ? text.slice(start) : text.slice(start, end)).trim()
    found = found === null ? value : `${found}, ${value}`
  }
  return found
}
