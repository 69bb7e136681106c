import { type Coding, chooseCoding } from './accept-encoding.ts'

type Body = string | Uint8Array | ReadableStream<Uint8Array>

/** Below it, packing saves less than it costs. */
const PACKED_BYTES_MIN = 16 * 1024

/** Takes some tenths of a millisecond; what is longer is packed in slices, beside other work. */
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
  return { body: packedStream(slices(own), coding), coding }
}

/** Packed in one go, which takes about a millisecond for each 300 KiB. */
export function packedAtOnce(bytes: Uint8Array, coding: Coding): Uint8Array {
  // Shared memory is not packed where it lies.
  const own = bytes.buffer instanceof ArrayBuffer ? bytes : new Uint8Array(bytes)
  const unshared = own as Uint8Array<ArrayBuffer>
  return coding === 'zstd' ? Bun.zstdCompressSync(unshared) : Bun.gzipSync(unshared)
}

/** Pulled as fast as it is read, so that no more than a few slices are held. */
function packedStream(
  stream: ReadableStream<Uint8Array>,
  coding: Coding,
): ReadableStream<Uint8Array> {
  // The runtime knows zstd, which the types of the standard do not have yet.
  const packer = new CompressionStream(coding as 'gzip')
  return stream.pipeThrough(packer as ReadableWritablePair<Uint8Array, Uint8Array>)
}

function slices(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let from = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (from >= bytes.length) return controller.close()
        controller.enqueue(bytes.subarray(from, from + AT_ONCE_BYTES_MAX))
        from += AT_ONCE_BYTES_MAX
      },
    },
    { highWaterMark: 0 },
  )
}
