import { bytesOf, drop, type Piece, piecesStream, type Sending } from './pieces-stream.ts'
import type { ReplyParts } from './serve-rpc.ts'

export type ReplyBody = string | Uint8Array | Blob | ReadableStream<Uint8Array>

const encoder = new TextEncoder()

/** Up to here the server takes an answer in one piece: sockets hold about as much anyway. */
const DIRECT_BYTES_MAX = 256 * 1024

/**
 * While few requests are open, a page of the index goes out in one piece as well: pulled slice by
 * slice it takes the event loop half as long again. Nobody tells us when the client has read it,
 * so it is not counted as unread, and only the number of open requests bounds such pages.
 */
const QUIET_DIRECT_BYTES_MAX = 8 * 1024 * 1024

/** The body of a reply: text or bytes where it is at hand, else a stream that is pulled. */
export function replyBody(
  replies: readonly ReplyParts[],
  isBatch: boolean,
  sending: Sending,
): ReplyBody {
  const [first] = replies
  if (!isBatch && typeof first === 'string') return taken(sending, first)
  if (!isBatch && typeof first === 'object') {
    const whole = inOnePiece(first, sending)
    if (whole) return taken(sending, whole)
  }
  if (replies.every((parts) => typeof parts === 'string')) {
    const chars = replies.reduce((sum, text) => sum + text.length, 0)
    if (chars <= DIRECT_BYTES_MAX) return taken(sending, `[${replies.join(',')}]`)
  }

  const pieces: Piece[] = isBatch ? ['['] : []
  replies.forEach((parts, at) => {
    if (at > 0) pieces.push(',')
    pieces.push(...(typeof parts === 'string' ? [parts] : piecesOf(parts)))
  })
  if (isBatch) pieces.push(']')
  return piecesStream(pieces, sending)
}

export function dropReply(replies: readonly ReplyParts[]): void {
  for (const parts of replies) if (typeof parts !== 'string') drop(parts[1])
}

function inOnePiece(
  [before, answer, after]: Exclude<ReplyParts, string>,
  sending: Sending,
): ReplyBody | null {
  if (answer instanceof ReadableStream) return null
  const bytes = bytesOf(answer.pieces)
  const isSmall = bytes <= DIRECT_BYTES_MAX
  if (!isSmall && (bytes > QUIET_DIRECT_BYTES_MAX || !sending.isQuiet())) return null
  const held = answer.pieces as readonly Uint8Array<ArrayBuffer>[]
  const pieces = [encoder.encode(before), ...held, encoder.encode(after)]
  return isSmall ? Buffer.concat(pieces) : new Blob(pieces)
}

function piecesOf([before, answer, after]: Exclude<ReplyParts, string>): Piece[] {
  return [before, ...(answer instanceof ReadableStream ? [answer] : answer.pieces), after]
}

function taken(sending: Sending, body: ReplyBody): ReplyBody {
  sending.ended()
  return body
}
