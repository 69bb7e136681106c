import type {
  Outbound,
  OutboundAnswer,
  OutboundHearer,
  OutboundRequest,
} from '../../ports/outbound.ts'
import { wholeResponse } from './http1-head.ts'
import { openResponseReader } from './http1-response.ts'
import { headerLines, type Origin, openRoutes } from './outbound-routes.ts'
import {
  answerOf,
  breakOff,
  type Carried,
  type Connection,
  cancel,
  type Exchange,
  lose,
} from './socket-exchange.ts'

/** More stay open only while they are needed. */
const IDLE_MAX = 256

/** A body nobody reads is left in the kernel, so that the sender slows down. */
const UNREAD_BYTES_MAX = 256 * 1024

/** Plain HTTP/1.1 over sockets of this very thread; for `http:` addresses only. */
export function openSocketOutbound(): Required<Outbound> {
  const routeOf = openRoutes<Connection>()

  const postTo = (request: OutboundRequest, hearer: OutboundHearer) => {
    const { home, start } = routeOf(request)
    const bodyBytes = Buffer.byteLength(request.body)
    // All but the body is ASCII, so its characters are its bytes.
    const own = request.callHeaders === undefined ? '' : headerLines(request.callHeaders)
    const message = `${start}${own}content-length: ${bodyBytes}\r\n\r\n${request.body}`
    const exchange: Exchange = {
      repeatable: request.repeatable,
      message,
      messageBytes: message.length - request.body.length + bodyBytes,
      reader: NOTHING_YET,
      hearer,
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
    return () => cancel(exchange)
  }

  return {
    postTo,
    post(request) {
      const { promise, resolve, reject } = Promise.withResolvers<OutboundAnswer>()
      return { answer: promise, cancel: postTo(request, { answered: resolve, lost: reject }) }
    },
  }
}

function connect(home: Origin<Connection>, exchange: Exchange): void {
  const data: Carried = { exchange, unsent: null, used: false, paused: false, home }
  const { hostname, port } = home
  Bun.connect<Carried>({ hostname, port, data, socket: HANDLERS }).catch(() =>
    // After a second sending, the first may have arrived all the same.
    lose(exchange, exchange.sent ? 'upstream_answered_badly' : 'upstream_unreachable'),
  )
}

function send(socket: Connection, exchange: Exchange, used: boolean): void {
  const { message } = exchange
  socket.data.exchange = exchange
  socket.data.used = used
  exchange.socket = socket
  exchange.sent = true
  const written = socket.write(message)
  if (written >= 0 && written < exchange.messageBytes)
    socket.data.unsent = Buffer.from(message).subarray(written)
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
  const { hearer } = exchange
  if (unsent !== null || !hearer) return false
  const response = wholeResponse(home.memo, bytes)
  if (!response) return false
  const { head, body } = response
  socket.data.exchange = null
  exchange.hearer = null
  exchange.finished = true
  release(socket, true)
  hearer.answered({
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
  const { reader, hearer } = exchange
  if (reader.head && hearer) {
    exchange.hearer = null
    hearer.answered(answerOf(exchange))
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
