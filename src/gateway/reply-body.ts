import { putAround, roomyBytes } from '../core/roomy-bytes.ts'
import { drop, type Piece, piecesStream, type Sending } from './pieces-stream.ts'
import type { ReplyParts } from './serve-rpc.ts'

/** Up to here the server takes an answer in one piece: sockets hold about as much anyway. */
const DIRECT_BYTES_MAX = 256 * 1024

/**
 * While few requests are open, a page of the index goes out in one piece as well: pulled slice by
 * slice it takes the event loop half as long again. Nobody tells us when the client has read it,
 * so it is not counted as unread, and only the number of open requests bounds such pages.
 */
const QUIET_DIRECT_BYTES_MAX = 8 * 1024 * 1024

/**
 * The body of a reply: text or bytes where it is small and at hand, which the server has taken
 * over when this returns, else a stream that is pulled.
 */
export function replyBody(
  replies: readonly ReplyParts[],
  isBatch: boolean,
  sending: Sending,
): string | Uint8Array | ReadableStream<Uint8Array> {
  const [first] = replies
  if (!isBatch && typeof first === 'string') return taken(sending, first)
  if (!isBatch && typeof first === 'object' && isSmall(first[1], sending)) {
    return taken(sending, roomyBytes(putAround(first[1], first[0], first[2])))
  }
  if (replies.every((parts) => typeof parts === 'string')) {
    const chars = replies.reduce((sum, text) => sum + text.length, 0)
    if (chars <= DIRECT_BYTES_MAX) return taken(sending, `[${replies.join(',')}]`)
  }

  const pieces: Piece[] = isBatch ? ['['] : []
  replies.forEach((parts, at) => {
    if (at > 0) pieces.push(',')
    if (typeof parts === 'string') pieces.push(parts)
    else pieces.push(...parts)
  })
  if (isBatch) pieces.push(']')
  return piecesStream(pieces, sending)
}

/** Gives up a reply that nobody will read. */
export function dropReply(replies: readonly ReplyParts[]): void {
  for (const parts of replies) if (typeof parts !== 'string') drop(parts[1])
}

function isSmall(
  answer: Exclude<ReplyParts, string>[1],
  sending: Sending,
): answer is Exclude<typeof answer, ReadableStream> {
  if (!('memory' in answer)) return false
  const bytes = answer.to - answer.from
  return bytes <= DIRECT_BYTES_MAX || (bytes <= QUIET_DIRECT_BYTES_MAX && sending.isQuiet())
}

function taken<Body>(sending: Sending, body: Body): Body {
  sending.ended()
  return body
}
