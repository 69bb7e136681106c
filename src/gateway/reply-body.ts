import { keep } from '../core/lent-memory.ts'
import { putAround, roomyBytes } from '../core/roomy-bytes.ts'
import type { ReplyParts } from './serve-rpc.ts'

type Piece = string | Uint8Array | ReadableStream<Uint8Array>

/** The body of a reply: text or bytes where everything is at hand, else a stream that is pulled. */
export function replyBody(
  replies: readonly ReplyParts[],
  isBatch: boolean,
): string | Uint8Array | ReadableStream {
  const [first] = replies
  if (!isBatch && typeof first === 'string') return first
  if (!isBatch && typeof first === 'object' && 'memory' in first[1]) {
    return roomyBytes(putAround(first[1], first[0], first[2]))
  }
  if (replies.every((parts) => typeof parts === 'string')) return `[${replies.join(',')}]`

  const pieces: Piece[] = isBatch ? ['['] : []
  replies.forEach((parts, at) => {
    if (at > 0) pieces.push(',')
    if (typeof parts === 'string') pieces.push(parts)
    else pieces.push(parts[0], pieceOf(parts[1]), parts[2])
  })
  if (isBatch) pieces.push(']')
  return piecesStream(pieces)
}

/** Gives up the streams of a reply that nobody will read. */
export function dropReply(replies: readonly ReplyParts[]): void {
  for (const parts of replies) {
    if (typeof parts === 'string' || 'memory' in parts[1]) continue
    parts[1].cancel().catch(() => {})
  }
}

function pieceOf(answer: Exclude<ReplyParts, string>[1]): Piece {
  return 'memory' in answer ? keep(roomyBytes(answer)) : answer
}

type Reader = {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

function piecesStream(pieces: Piece[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let reader: Reader | null = null

  const giveUp = () => {
    reader?.cancel().catch(() => {})
    for (const piece of pieces.splice(0)) {
      if (piece instanceof ReadableStream) piece.cancel().catch(() => {})
    }
  }

  const next = async (): Promise<Uint8Array | null> => {
    for (;;) {
      if (reader) {
        const { done, value } = await reader.read()
        if (!done && value) return value
        reader = null
      }
      const piece = pieces.shift()
      if (piece === undefined) return null
      if (typeof piece === 'string') return encoder.encode(piece)
      if (piece instanceof Uint8Array) return piece
      reader = piece.getReader()
    }
  }

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const bytes = await next()
        if (bytes) controller.enqueue(bytes)
        else controller.close()
      } catch (thrown) {
        // The client sees its connection break, never a short answer that looks whole.
        giveUp()
        controller.error(thrown)
      }
    },
    cancel: giveUp,
  })
}
