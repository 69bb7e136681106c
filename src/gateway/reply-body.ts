import type { ReplyParts } from './serve-rpc.ts'

type Piece = string | ReadableStream<Uint8Array>

/** The body of a reply: text where everything is at hand, else a stream that is pulled. */
export function replyBody(
  replies: readonly ReplyParts[],
  isBatch: boolean,
): string | ReadableStream {
  const [first] = replies
  if (!isBatch && typeof first === 'string') return first
  if (replies.every((parts) => typeof parts === 'string')) return `[${replies.join(',')}]`

  const pieces: Piece[] = isBatch ? ['['] : []
  replies.forEach((parts, at) => {
    if (at > 0) pieces.push(',')
    if (typeof parts === 'string') pieces.push(parts)
    else pieces.push(...parts)
  })
  if (isBatch) pieces.push(']')
  return piecesStream(pieces)
}

/** Gives up the streams of a reply that nobody will read. */
export function dropReply(replies: readonly ReplyParts[]): void {
  for (const parts of replies) {
    if (typeof parts !== 'string') parts[1].cancel().catch(() => {})
  }
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
      if (typeof piece !== 'string') piece.cancel().catch(() => {})
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
