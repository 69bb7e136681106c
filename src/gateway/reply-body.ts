import { bytesOf, drop, type Piece, piecesStream, type Sending } from './pieces-stream.ts'
import type { ReplyParts } from './serve-rpc.ts'

export type ReplyBody = {
  body: string | Uint8Array | Blob | ReadableStream<Uint8Array>
  /** Called when a response was made of the body, which copies bytes; null: it need not be. */
  copied: (() => void) | null
}

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
  if (!isBatch && typeof first === 'string') return taken(sending, first, null)
  if (!isBatch && typeof first === 'object') {
    const whole = inOnePiece(first, sending)
    if (whole) return taken(sending, whole.body, whole.copied)
  }
  if (replies.every((parts) => typeof parts === 'string')) {
    const chars = replies.reduce((sum, text) => sum + text.length, 0)
    if (chars <= DIRECT_BYTES_MAX) return taken(sending, `[${replies.join(',')}]`, null)
  }

  const pieces: Piece[] = isBatch ? ['['] : []
  replies.forEach((parts, at) => {
    if (at > 0) pieces.push(',')
    pieces.push(...(typeof parts === 'string' ? [parts] : piecesOf(parts)))
  })
  if (isBatch) pieces.push(']')
  return { body: piecesStream(pieces, sending), copied: null }
}

/** Gives up a reply that nobody will read. */
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
  const inPlace = isSmall ? null : joinInPlace(pieces)
  const body = inPlace ?? (isSmall ? Buffer.concat(pieces) : new Blob(pieces))
  return { body, copied: answer.release }
}

/**
 * Joins pieces around a large one, in the headroom and tailroom of its buffer; null where there
 * is none. Hot path: megabytes are copied once less.
 */
function joinInPlace(pieces: readonly Uint8Array[]): Uint8Array | null {
  const at = pieces.findIndex(({ length }) => length > DIRECT_BYTES_MAX)
  const large = pieces[at]
  if (!large) return null
  const [head, tail] = [pieces.slice(0, at), pieces.slice(at + 1)]
  const from = large.byteOffset - bytesOf(head)
  const bytes = bytesOf(pieces)
  // Looked at before anything is copied: a page of many large pieces never fits.
  if (from < 0 || from + bytes > large.buffer.byteLength) return null
  const joined = new Uint8Array(large.buffer, from, bytes)
  joined.set(Buffer.concat(head))
  joined.set(Buffer.concat(tail), bytes - bytesOf(tail))
  return joined
}

function piecesOf([before, answer, after]: Exclude<ReplyParts, string>): Piece[] {
  return [before, ...(answer instanceof ReadableStream ? [answer] : answer.pieces), after]
}

function taken(sending: Sending, body: ReplyBody['body'], copied: ReplyBody['copied']): ReplyBody {
  sending.ended()
  return { body, copied }
}
