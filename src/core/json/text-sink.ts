/**
 * Bytes of JSON that grow at their end. Records are written here by the million, so the fields
 * are open and nothing is checked twice: `reserve` before what is put.
 */
export type TextSink = { out: SinkBuffer; at: number }

/** Has what every Buffer has, though it is in no manual: `write` with the encoding settled. */
type SinkBuffer = Buffer<ArrayBuffer> & {
  latin1Write(text: string, at: number, bytes: number): number
}

const FIRST_BYTES = 16 * 1024
/** A single big record must not make every later buffer as big as its own. */
const LATER_BYTES_MAX = 1024 * 1024

const DIGIT_ZERO = 48
/** Below this, whole numbers take the machine's own division. */
const UINT32_END = 2 ** 32
const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER)

export function openTextSink(): TextSink {
  return { out: newBuffer(FIRST_BYTES), at: 0 }
}

/** Makes room for `bytes` more. How much may wait in all is up to who takes it. */
export function reserve(sink: TextSink, bytes: number): void {
  const wanted = sink.at + bytes
  if (wanted <= sink.out.length) return
  let size = sink.out.length * 2
  while (size < wanted) size *= 2
  const larger = newBuffer(size)
  larger.set(sink.out.subarray(0, sink.at))
  sink.out = larger
}

export function putBytes(sink: TextSink, bytes: Uint8Array): void {
  sink.out.set(bytes, sink.at)
  sink.at += bytes.length
}

/** Text of ASCII alone: one byte a character. */
export function putAscii(sink: TextSink, text: string): void {
  sink.at += sink.out.latin1Write(text, sink.at, text.length)
}

/** Any text: up to three bytes a character. */
export function putText(sink: TextSink, text: string): void {
  sink.at += sink.out.write(text, sink.at, 'utf8')
}

/** All the digits of a whole number of up to 64 bits. */
export function putDigits(sink: TextSink, value: bigint): void {
  if (value < 0n || value > SAFE_MAX) {
    putAscii(sink, value.toString())
    return
  }
  putWhole(sink, Number(value))
}

/** The digits of a whole number that is exact in a double. */
function putWhole(sink: TextSink, value: number): void {
  let rest = value
  let digits = 1
  for (let power = 10; rest >= power; power *= 10) digits++
  const { out } = sink
  let at = sink.at + digits
  sink.at = at
  while (rest >= UINT32_END) {
    const tenth = Math.floor(rest / 10)
    out[--at] = DIGIT_ZERO + (rest - tenth * 10)
    rest = tenth
  }
  let low = rest >>> 0
  do {
    const tenth = (low / 10) >>> 0
    out[--at] = DIGIT_ZERO + (low - tenth * 10)
    low = tenth
  } while (low > 0)
}

/** Hands over what was put since the last time; the bytes are the caller's to keep. */
export function takeBytes(sink: TextSink): Uint8Array<ArrayBuffer> {
  const { out, at } = sink
  sink.at = 0
  // A small part is copied, so that keeping it doesn't keep a large buffer alive.
  if (at * 2 <= out.length) return new Uint8Array(out.subarray(0, at))
  sink.out = newBuffer(Math.min(out.length, LATER_BYTES_MAX))
  return new Uint8Array(out.buffer, out.byteOffset, at)
}

function newBuffer(bytes: number): SinkBuffer {
  return Buffer.allocUnsafeSlow(bytes) as SinkBuffer
}
