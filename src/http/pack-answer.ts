import { type Coding, chooseCoding } from './accept-encoding.ts'
import { packedStream } from './packed-stream.ts'

type Body = string | Uint8Array | ReadableStream<Uint8Array>

/** Below it, packing saves less than it costs. */
const PACKED_BYTES_MIN = 16 * 1024

/** Takes some tenths of a millisecond; what is longer is packed in another thread. */
const AT_ONCE_BYTES_MAX = 64 * 1024

const encoder = new TextEncoder()

/** Large enough to be packed where the client takes that. Hot path: a comparison. */
export function isPackable(body: Body): boolean {
  return body instanceof ReadableStream || body.length >= PACKED_BYTES_MIN
}

/** Packs a body for a client that takes it packed; null: it does not. */
export function packAnswer(
  body: Body,
  acceptEncoding: string | null,
): { body: Uint8Array | ReadableStream<Uint8Array>; coding: Coding } | null {
  const coding = chooseCoding(acceptEncoding)
  if (coding === null) return null
  if (body instanceof ReadableStream) return { body: packedStream(body, coding), coding }
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  if (bytes.length <= AT_ONCE_BYTES_MAX) return { body: packedAtOnce(bytes, coding), coding }
  // What was handed in may be let go of before it is packed.
  const own = typeof body === 'string' ? bytes : new Uint8Array(bytes)
  return { body: packedStream(streamOf(own), coding), coding }
}

/** Packed in one go, which takes about a millisecond for each 300 KiB. */
export function packedAtOnce(bytes: Uint8Array, coding: Coding): Uint8Array {
  // Shared memory is not packed where it lies.
  const own = bytes.buffer instanceof ArrayBuffer ? bytes : new Uint8Array(bytes)
  const unshared = own as Uint8Array<ArrayBuffer>
  return coding === 'zstd' ? Bun.zstdCompressSync(unshared) : Bun.gzipSync(unshared)
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })
}
