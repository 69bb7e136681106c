import type { Socket } from 'bun'
import { Failure, type FailureCode } from '../../core/errors.ts'
import type { OutboundAnswer, OutboundHearer } from '../../ports/outbound.ts'
import type { ResponseHead } from './http1-head.ts'
import type { ResponseReader } from './http1-response.ts'
import type { Origin } from './outbound-routes.ts'

/** One call on one connection. */
export type Exchange = {
  repeatable: boolean
  message: string
  messageBytes: number
  reader: ResponseReader
  /** Null once it was told. */
  hearer: OutboundHearer | null
  /** Tells whoever reads the body that more came, or that it is over. */
  wake: (() => void) | null
  broken: boolean
  cancelled: boolean
  /** Its answer has come whole and is with the caller. */
  finished: boolean
  sent: boolean
  /** Bytes of the answer have come. */
  begun: boolean
  socket: Connection | null
}

export type Carried = {
  exchange: Exchange | null
  unsent: Uint8Array | null
  used: boolean
  paused: boolean
  home: Origin<Connection>
}

export type Connection = Socket<Carried>

/** How the standard names a packing, and how the runtime does. */
const PACKINGS = new Map<string, Bun.CompressionFormat>([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'brotli'],
  ['zstd', 'zstd'],
])

export function breakOff(exchange: Exchange): void {
  exchange.broken = true
  lose(exchange, 'upstream_answered_badly')
  exchange.wake?.()
}

export function cancel(exchange: Exchange): void {
  if (exchange.cancelled || exchange.finished) return
  exchange.cancelled = true
  const { socket } = exchange
  if (socket && socket.data.exchange === exchange) {
    socket.data.exchange = null
    socket.terminate()
  }
  if (!exchange.reader.ended) breakOff(exchange)
}

/** Tells that there will be no answer; nothing happens when there was one. */
export function lose(exchange: Exchange, code: FailureCode): void {
  const { hearer } = exchange
  exchange.hearer = null
  hearer?.lost(new Failure(code))
}

/** The answer whose head has come; its body may still be on its way. */
export function answerOf(exchange: Exchange): OutboundAnswer {
  const { head } = exchange.reader
  if (!head) throw new Failure('upstream_answered_badly')
  // We ask for no packing; some hosts pack all the same.
  const packing = head.header('content-encoding')?.toLowerCase() ?? 'identity'
  const whole = exchange.reader.ended
  const empty = whole && exchange.reader.waitingBytes === 0
  if (packing !== 'identity' && !empty) return packedAnswer(exchange, head, packing)
  return {
    status: head.status,
    header: head.header,
    length: whole ? exchange.reader.waitingBytes : head.length,
    whole: null,
    text: () => wholeText(exchange),
    stream: () => bodyStream(exchange),
  }
}

function packedAnswer(exchange: Exchange, head: ResponseHead, packing: string): OutboundAnswer {
  const stream = () => {
    const format = PACKINGS.get(packing)
    if (!format) {
      cancel(exchange)
      throw new Failure('upstream_answered_badly')
    }
    const unpack = new DecompressionStream(format) as TransformStream<Uint8Array, Uint8Array>
    return bodyStream(exchange).pipeThrough(unpack)
  }
  return {
    status: head.status,
    header: head.header,
    length: null,
    whole: null,
    text: async () => new Response(stream()).text(),
    stream,
  }
}

async function wholeText(exchange: Exchange): Promise<string> {
  const chunks: Uint8Array[] = []
  for (;;) {
    for (const chunk of takeChunks(exchange)) chunks.push(chunk)
    if (exchange.reader.ended) break
    await more(exchange)
  }
  const whole = chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)
  return Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString('utf8')
}

function bodyStream(exchange: Exchange): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (exchange.reader.waitingBytes === 0) {
        if (exchange.reader.ended) return controller.close()
        await more(exchange)
      }
      for (const chunk of takeChunks(exchange)) controller.enqueue(chunk)
    },
    cancel: () => cancel(exchange),
  })
}

function takeChunks(exchange: Exchange): Uint8Array[] {
  const chunks = exchange.reader.take()
  const { socket } = exchange
  if (socket?.data.exchange === exchange && socket.data.paused) {
    socket.data.paused = false
    socket.resume()
  }
  return chunks
}

function more(exchange: Exchange): Promise<void> {
  if (exchange.broken) throw new Failure('upstream_answered_badly')
  return new Promise((resolve, reject) => {
    exchange.wake = () => {
      exchange.wake = null
      if (exchange.broken) reject(new Failure('upstream_answered_badly'))
      else resolve()
    }
  })
}
