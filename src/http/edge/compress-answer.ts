import { type Coding, chooseCoding } from './choose-coding.ts'
import { compressedStream } from './compressed-stream.ts'

type Body = string | Uint8Array | Blob | ReadableStream<Uint8Array>

/** Below it, compression saves less than it costs. */
const COMPRESSED_BYTES_MIN = 16 * 1024

/** Takes some tenths of a millisecond; a longer body is compressed in another thread. */
const AT_ONCE_BYTES_MAX = 64 * 1024

const encoder = new TextEncoder()

/** Large enough to be compressed where the client takes that. Hot path: a comparison. */
export function isCompressible(body: Body): boolean {
  if (body instanceof ReadableStream) return true
  return (body instanceof Blob ? body.size : body.length) >= COMPRESSED_BYTES_MIN
}

/** Compresses a body for a client that takes it compressed; null: it does not. */
export function compressAnswer(
  body: Body,
  acceptEncoding: string | null,
): { body: Uint8Array | ReadableStream<Uint8Array>; coding: Coding } | null {
  const coding = chooseCoding(acceptEncoding)
  if (coding === null) return null
  if (body instanceof ReadableStream) return { body: compressedStream(body, coding), coding }
  if (body instanceof Blob) return { body: compressedStream(body.stream(), coding), coding }
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  if (bytes.length <= AT_ONCE_BYTES_MAX) return { body: compressedAtOnce(bytes, coding), coding }
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream()
  return { body: compressedStream(stream, coding), coding }
}

/** Compressed in one go, which takes about a millisecond for each 300 KiB. */
export function compressedAtOnce(bytes: Uint8Array, coding: Coding): Uint8Array {
  const own = bytes as Uint8Array<ArrayBuffer>
  return coding === 'zstd' ? Bun.zstdCompressSync(own) : Bun.gzipSync(own)
}
