import { codeInBeginning } from '../../core/rpc/node-reply.ts'
import { cutReply, type ResultCutter } from '../../core/rpc/result-cutter.ts'

type Begun =
  | { kind: 'text'; text: string }
  | { kind: 'stream'; stream: ReadableStream<Uint8Array> }
  | { kind: 'error_stream'; code: number; stream: ReadableStream<Uint8Array> }
  | { kind: 'garbage' }

/** The part of a body's reader that every library's types have. */
type BodyReader = {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

/** One answer may not fill a disk behind us; larger than any real node sends. */
const STREAM_BYTES_MAX = 4 * 1024 ** 3

/**
 * Reads an answer of unknown size: whole when it ends within `heldBytesMax`, else
 * as a stream of the result's or the error's bytes that is pulled, so memory stays
 * flat however slow the client is.
 */
export async function streamResult(
  body: ReadableStream<Uint8Array>,
  id: number,
  heldBytesMax: number,
): Promise<Begun> {
  const reader: BodyReader = body.getReader()
  const chunks: Uint8Array[] = []
  let heldBytes = 0
  while (heldBytes <= heldBytesMax) {
    const { done, value } = await reader.read()
    if (done || !value) return { kind: 'text', text: Buffer.concat(chunks).toString('utf8') }
    chunks.push(value)
    heldBytes += value.length
  }
  const cut = cutReply(Buffer.concat(chunks), id)
  if (!cut) {
    await reader.cancel()
    return { kind: 'garbage' }
  }
  const stream = memberStream(reader, cut.cutter, cut.first, heldBytes)
  if (cut.member === 'result') return { kind: 'stream', stream }
  const code = codeInBeginning(Buffer.from(cut.first ?? []).toString('latin1'))
  return { kind: 'error_stream', code, stream }
}

function memberStream(
  reader: BodyReader,
  cutter: ResultCutter,
  first: Uint8Array | null,
  heldBytes: number,
): ReadableStream<Uint8Array> {
  let bytes = heldBytes
  let waiting = first
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (waiting === null) {
        const { done, value } = await reader.read()
        if (done || !value) {
          // A cut answer must never pass for a whole one: the connection breaks instead.
          if (cutter.whole()) controller.close()
          else controller.error(new Error('the upstream answer ended early'))
          return
        }
        bytes += value.length
        if (bytes > STREAM_BYTES_MAX) {
          await reader.cancel()
          controller.error(new Error('the upstream answer is too large'))
          return
        }
        waiting = cutter.feed(value)
      }
      controller.enqueue(waiting)
      waiting = null
    },
    cancel: () => reader.cancel(),
  })
}
