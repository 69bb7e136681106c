import type { Socket } from 'bun'
import { Failure } from '../core/errors.ts'
import type { OutboundAnswer, OutboundCall, OutboundRequest } from '../ports/outbound.ts'
import {
  openResponseReader,
  type ResponseHead,
  type ResponseReader,
  wholeResponse,
} from './http1-response.ts'
import { type Origin, openRoutes } from './outbound-routes.ts'

/** One call on one connection. */
type Exchange = {
  repeatable: boolean
  message: string
  reader: ResponseReader
  resolve: ((answer: OutboundAnswer) => void) | null
  reject: (failure: Failure) => void
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

type Carried = {
  exchange: Exchange | null
  unsent: Uint8Array | null
  used: boolean
  paused: boolean
  home: Origin<Connection>
}

type Connection = Socket<Carried>

/** More stay open only while they are needed. */
const IDLE_MAX = 256

/** A body nobody reads is left in the kernel, so that the sender slows down. */
const UNREAD_BYTES_MAX = 1024 * 1024

/** How the standard names a packing, and how the runtime does. */
const PACKINGS = new Map<string, Bun.CompressionFormat>([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'brotli'],
  ['zstd', 'zstd'],
])

/** Plain HTTP/1.1 over sockets of this very thread; for `http:` addresses only. */
export function openSocketOutbound(): (request: OutboundRequest) => OutboundCall {
  const routeOf = openRoutes<Connection>()
  return (request) => {
    const { home, start } = routeOf(request)
    const { promise, resolve, reject } = Promise.withResolvers<OutboundAnswer>()
    const exchange: Exchange = {
      repeatable: request.repeatable,
      message: `${start}content-length: ${Buffer.byteLength(request.body)}\r\n\r\n${request.body}`,
      reader: NOTHING_YET,
      resolve,
      reject,
      wake: null,
      broken: false,
      cancelled: false,
      finished: false,
      sent: false,
      begun: false,
      socket: null,
    }
    // A write must not meet a connection that the other side has just given up.
    const warm = request.repeatable ? home.idle.pop() : undefined
    if (warm) send(warm, exchange, true)
    else connect(home, exchange)
    return { answer: promise, cancel: () => cancel(exchange) }
  }
}

function connect(home: Origin<Connection>, exchange: Exchange): void {
  const data: Carried = { exchange, unsent: null, used: false, paused: false, home }
  const { hostname, port } = home
  Bun.connect<Carried>({ hostname, port, data, socket: HANDLERS }).catch(() =>
    // After a second sending, the first may have arrived all the same.
    exchange.reject(
      new Failure(exchange.sent ? 'upstream_answered_badly' : 'upstream_unreachable'),
    ),
  )
}

function send(socket: Connection, exchange: Exchange, used: boolean): void {
  const { message } = exchange
  socket.data.exchange = exchange
  socket.data.used = used
  exchange.socket = socket
  exchange.sent = true
  const written = socket.write(message)
  const bytes = Buffer.byteLength(message)
  if (written >= 0 && written < bytes) socket.data.unsent = Buffer.from(message).subarray(written)
}

/** Stands for the answer before its first byte; made anew for those that need one. */
const NOTHING_YET = openResponseReader()

const HANDLERS = {
  // Sent from here and not when the promise resolves: by then the other side may have closed.
  open(socket: Connection) {
    const { exchange } = socket.data
    socket.setNoDelay(true)
    if (exchange && !exchange.cancelled) {
      send(socket, exchange, false)
      return
    }
    socket.data.exchange = null
    socket.terminate()
  },
  data(socket: Connection, bytes: Buffer) {
    const { exchange } = socket.data
    if (!exchange) {
      // Nothing was asked, so whatever this is, the connection cannot be trusted.
      drop(socket)
      return
    }
    if (!exchange.begun && answerAtOnce(socket, exchange, bytes)) return
    if (!exchange.begun) exchange.reader = openResponseReader()
    exchange.begun = true
    if (!exchange.reader.feed(bytes)) {
      // Taken away first, or the close that follows would send the call again.
      socket.data.exchange = null
      breakOff(exchange)
      socket.terminate()
      return
    }
    advance(socket, exchange)
  },
  drain(socket: Connection) {
    const { unsent } = socket.data
    if (!unsent) return
    const written = socket.write(unsent)
    socket.data.unsent = written < unsent.length ? unsent.subarray(Math.max(0, written)) : null
  },
  close(socket: Connection, error?: Error) {
    const { exchange, home } = socket.data
    forget(home, socket)
    if (!exchange) return
    socket.data.exchange = null
    // A connection that was torn down is no proper end of a body that lasts until the close.
    if (!error && exchange.reader.closed()) settle(exchange)
    else loseConnection(socket, exchange)
  },
  error() {
    // A close follows, and that is where it is dealt with.
  },
}

/** Hot path: the whole answer came in one piece, as small ones do. */
function answerAtOnce(socket: Connection, exchange: Exchange, bytes: Buffer): boolean {
  const { home, unsent } = socket.data
  if (unsent !== null || !exchange.resolve) return false
  const response = wholeResponse(home.memo, bytes)
  if (!response) return false
  const { head, body } = response
  const { resolve } = exchange
  socket.data.exchange = null
  exchange.resolve = null
  exchange.finished = true
  release(socket, true)
  resolve({
    status: head.status,
    header: head.header,
    length: head.length,
    whole: body,
    text: async () => body,
    stream: () => new Response(body).body ?? new ReadableStream(),
  })
  return true
}

function advance(socket: Connection, exchange: Exchange): void {
  const { reader } = exchange
  if (reader.ended) {
    socket.data.exchange = null
    // Answered before it was all sent: the rest of this call would stand before the next one.
    release(socket, reader.reusable && socket.data.unsent === null)
  } else if (reader.waitingBytes > UNREAD_BYTES_MAX) {
    socket.data.paused = true
    socket.pause()
  }
  settle(exchange)
}

/** Hands over the head when it is there, and wakes whoever waits for the body. */
function settle(exchange: Exchange): void {
  const { reader } = exchange
  if (reader.head && exchange.resolve) {
    const { resolve } = exchange
    exchange.resolve = null
    resolve(answerOf(exchange))
  }
  exchange.wake?.()
}

/** A kept connection that dies unanswered was dead before: the call goes out once more. */
function loseConnection(socket: Connection, exchange: Exchange): void {
  const { used, home } = socket.data
  const unanswered = !exchange.begun || exchange.reader.head === null
  if (used && unanswered && exchange.repeatable) {
    exchange.begun = false
    connect(home, exchange)
    return
  }
  breakOff(exchange)
}

function breakOff(exchange: Exchange): void {
  exchange.broken = true
  exchange.reject(new Failure('upstream_answered_badly'))
  exchange.wake?.()
}

function cancel(exchange: Exchange): void {
  if (exchange.cancelled || exchange.finished) return
  exchange.cancelled = true
  const { socket } = exchange
  if (socket && socket.data.exchange === exchange) {
    socket.data.exchange = null
    socket.terminate()
  }
  if (!exchange.reader.ended) breakOff(exchange)
}

function answerOf(exchange: Exchange): OutboundAnswer {
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

function release(socket: Connection, reusable: boolean): void {
  const { home } = socket.data
  if (reusable && !home.retired && home.idle.length < IDLE_MAX) home.idle.push(socket)
  else socket.end()
}

function drop(socket: Connection): void {
  forget(socket.data.home, socket)
  socket.terminate()
}

function forget(home: Origin<Connection>, socket: Connection): void {
  const at = home.idle.indexOf(socket)
  if (at >= 0) home.idle.splice(at, 1)
}
