import { assert } from '../../core/errors.ts'
import type { EgressRequest } from '../../ports/egress.ts'
import type { Message } from './egress-exchange.ts'

/** How the message is framed and where it goes is said here, and by nobody else. */
const RESERVED_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Longer ones are copied into bytes once, instead of at each write that takes only a part. */
const TEXT_LENGTH_MAX = 64 * 1024

/** The request as it goes out, byte for byte; a second sending sends the same. */
export function messageOf(url: URL, { headers, body }: EgressRequest): Message {
  const bodyBytes = Buffer.byteLength(body)
  // Nobody unpacks the answer, so nothing packed is asked for.
  let head = `POST ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`
  head += 'accept-encoding: identity\r\n'
  for (const name in headers) {
    if (RESERVED_HEADERS.has(name.toLowerCase())) continue
    const line = `${name}: ${headers[name]}`
    assert(!/[\r\n\0]/.test(line), 'a header is one line')
    head += `${line}\r\n`
  }
  head += `content-length: ${bodyBytes}\r\n\r\n`

  const headBytes = Buffer.byteLength(head)
  const bytes = headBytes + bodyBytes
  if (body.length <= TEXT_LENGTH_MAX) return { content: head + body, bytes }
  const content = Buffer.allocUnsafe(bytes)
  content.write(head, 0)
  content.write(body, headBytes)
  return { content, bytes }
}
