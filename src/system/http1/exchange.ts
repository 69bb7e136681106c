import { assert } from '../../core/errors.ts'
import type { ConnectFault, Connection, ConnectionOwner, ConnectListener } from './connector.ts'
import type { Message } from './request-message.ts'
import { type ResponseHead, wholeResponse } from './response-head.ts'
import { openResponseReader, type ResponseReader } from './response-reader.ts'

/** How long a request may be sent again on a new connection, after a kept one died under it. */
export type Repeat =
  /** Not at all, so it never goes out on a kept one. */
  | 'never'
  /** While no byte of an answer has come: the other side cannot have begun with it. */
  | 'unanswered'
  /** While the answer's head is not complete, for a second sending does no harm. */
  | 'until_head'

export type Origin = {
  takeIdle(): Connection | undefined
  connect(listener: ConnectListener): () => void
  /** Takes back a connection that is fit for another exchange. */
  release(connection: Connection, head: ResponseHead): void
}

export type ExchangeFault = ConnectFault | 'reset' | 'protocol'

/** Receives what comes of an exchange, but nothing before `startExchange` has returned. */
export type ExchangeListener<T> = {
  /** Hot path: all came in one piece, as small answers do, the body from `bodyAt` to its end. */
  answered(exchange: Exchange<T>, head: ResponseHead, bytes: Buffer, bodyAt: number): void
  /** More of an answer came, or its end: the reader has it. */
  advanced(exchange: Exchange<T>, reader: ResponseReader): void
  /** There will be no answer, or no more of it. Nothing follows. */
  lost(exchange: Exchange<T>, fault: ExchangeFault): void
}

/** It owns its connection itself: functions made for each exchange would cost the hot path. */
export type Exchange<T> = ConnectionOwner & {
  readonly context: T
  readonly origin: Origin
  readonly message: Message
  readonly repeat: Repeat
  readonly listener: ExchangeListener<T>
  /** The connection in use; null before it is there and when the exchange is over. */
  connection: Connection | null
  /** Gives up the connection that is being made. */
  giveUp: (() => void) | null
  /** Null until an answer has begun that did not come in one piece. */
  reader: ResponseReader | null
  /** The connection was kept from an earlier exchange, so it may have died since. */
  isWarm: boolean
  isSent: boolean
  isOver: boolean
  pieces: number
}

/** Each piece of a head costs a look at all before it, so nobody may send it byte by byte. */
const HEAD_PIECES_MAX = 256

export function startExchange<T>(
  origin: Origin,
  message: Message,
  repeat: Repeat,
  listener: ExchangeListener<T>,
  context: T,
): Exchange<T> {
  const exchange: Exchange<T> = {
    context,
    origin,
    message,
    repeat,
    listener,
    connection: null,
    giveUp: null,
    reader: null,
    isWarm: false,
    isSent: false,
    isOver: false,
    pieces: 0,
    received,
    closed,
  }
  const warm = repeat === 'never' ? undefined : origin.takeIdle()
  if (warm) send(exchange, warm, true)
  else connect(exchange)
  return exchange
}

/** Ends an exchange, whatever has come so far; its listener is not called any more. */
export function endExchange<T>(exchange: Exchange<T>): void {
  if (exchange.isOver) return
  exchange.isOver = true
  exchange.giveUp?.()
  exchange.connection?.terminate()
  exchange.connection = null
}

function connect<T>(exchange: Exchange<T>): void {
  exchange.giveUp = exchange.origin.connect({
    opened(connection) {
      exchange.giveUp = null
      send(exchange, connection, false)
    },
    failed(fault) {
      exchange.giveUp = null
      lose(exchange, fault)
    },
  })
}

function send<T>(exchange: Exchange<T>, connection: Connection, isWarm: boolean): void {
  exchange.connection = connection
  exchange.isWarm = isWarm
  exchange.isSent = true
  connection.owner = exchange
  connection.send(exchange.message)
}

function received<T>(this: Exchange<T>, connection: Connection, bytes: Buffer): void {
  this.pieces++
  if (this.pieces === 1 && answerAtOnce(this, connection, bytes)) return
  this.reader ??= openResponseReader()
  const { reader } = this
  const isEndless = reader.head === null && this.pieces > HEAD_PIECES_MAX
  if (isEndless || !reader.feed(bytes)) {
    connection.terminate()
    lose(this, 'protocol')
    return
  }
  if (reader.ended) {
    assert(reader.head !== null, 'a body comes after its head')
    // The last bytes were already in the queue when the connection was paused.
    connection.resume()
    finish(this, connection, reader.reusable ? reader.head : null)
  }
  this.listener.advanced(this, reader)
}

function answerAtOnce<T>(exchange: Exchange<T>, connection: Connection, bytes: Buffer): boolean {
  if (connection.isSending) return false
  const response = wholeResponse(connection.memo, bytes)
  if (response === null) return false
  finish(exchange, connection, response.head)
  exchange.listener.answered(exchange, response.head, bytes, response.bodyAt)
  return true
}

/** The answer is whole; with a head, the connection may carry another exchange. */
function finish<T>(
  exchange: Exchange<T>,
  connection: Connection,
  reusableHead: ResponseHead | null,
): void {
  exchange.isOver = true
  exchange.connection = null
  connection.owner = null
  // Answered before all was sent: the rest of this request would stand before the next one.
  if (connection.isSending) connection.terminate()
  else if (reusableHead) exchange.origin.release(connection, reusableHead)
  else connection.end()
}

function closed<T>(this: Exchange<T>, _connection: Connection, isBroken: boolean): void {
  const { reader } = this
  this.connection = null
  // A connection that was torn down is no proper end of a body that lasts until the close.
  if (!isBroken && reader?.closed()) {
    this.isOver = true
    this.listener.advanced(this, reader)
  } else if (mayRepeat(this)) {
    this.reader = null
    this.pieces = 0
    connect(this)
  } else {
    lose(this, 'reset')
  }
}

/** A kept connection that dies without an answer was most likely dead before. */
function mayRepeat<T>({ isWarm, repeat, pieces, reader }: Exchange<T>): boolean {
  if (!isWarm) return false
  return repeat === 'until_head' ? !reader?.head : repeat === 'unanswered' && pieces === 0
}

function lose<T>(exchange: Exchange<T>, fault: ExchangeFault): void {
  exchange.isOver = true
  exchange.connection = null
  exchange.listener.lost(exchange, fault)
}
