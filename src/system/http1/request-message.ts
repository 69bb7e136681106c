import { assert } from '../../core/errors.ts'

/** The bytes of a request; text as long as that is cheaper. A second sending sends the same. */
export type Message = { content: string | Uint8Array; bytes: number }

/** Longer bodies become bytes once, instead of at each write that takes only a part. */
const TEXT_LENGTH_MAX = 64 * 1024

/** The head's first lines: everything but the headers of the caller and the body's length. */
export function requestLines({ pathname, search, host }: URL, isHostGiven: boolean): string {
  const hostLine = isHostGiven ? '' : `host: ${host}\r\n`
  return `POST ${pathname}${search} HTTP/1.1\r\n${hostLine}`
}

export function headerLines(
  headers: Readonly<Record<string, string>>,
  reserved: ReadonlySet<string>,
): string {
  let text = ''
  for (const name in headers) {
    if (reserved.has(name.toLowerCase())) continue
    const line = `${name}: ${headers[name]}`
    assert(!/[\r\n\0]/.test(line), 'a header is one line')
    text += `${line}\r\n`
  }
  return text
}

/**
 * Ends the head with the body's length, and puts the body after it. The bytes of the lines are
 * given, for counting those of a text that is still to be put together costs as much as sending.
 */
export function requestMessage(lines: string, linesBytes: number, body: string): Message {
  const bodyBytes = Buffer.byteLength(body)
  const end = `content-length: ${bodyBytes}\r\n\r\n`
  const headBytes = linesBytes + end.length
  const bytes = headBytes + bodyBytes
  if (body.length <= TEXT_LENGTH_MAX) return { content: lines + end + body, bytes }
  const content = Buffer.allocUnsafe(bytes)
  content.write(lines + end, 0)
  content.write(body, headBytes)
  return { content, bytes }
}
