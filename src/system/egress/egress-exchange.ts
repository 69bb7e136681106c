import { assert } from '../../core/errors.ts'
import { openResponseReader, type ResponseReader } from '../http1/http1-response.ts'
import type { Wire } from './wire.ts'

export type Answer = {
  status: number
  retryAfter: string | null
  bodyStart: string
  /** How long the connection may rest for the next message; 0 when it is over. */
  idleMs: number
}

export type Lost =
  /** The connection ended before the first byte of an answer. */
  'unanswered' | 'reset' | 'protocol'

/** The bytes to send; text as long as that is cheaper. */
export type Message = { content: string | Uint8Array; bytes: number }

type Exchange = {
  wire: Wire
  reader: ResponseReader
  /** What the other side has not made room for yet. */
  unsent: Uint8Array | null
  pieces: number
  bodyBytes: number
  bodyStart: Uint8Array[]
  done(result: Answer | Lost): void
}

/** Of a body the owner of the webhook sees so much. */
const BODY_START_BYTES_MAX = 4 * 1024

/** Read to its end up to here, for the sake of the connection; a new one costs less than more. */
const BODY_BYTES_MAX = 64 * 1024

/** Each piece of a head costs a look at all before it, so nobody may send it byte by byte. */
const HEAD_PIECES_MAX = 256

/** Node's servers close after 5 s, and they are the impatient ones. */
const IDLE_MS = 4000
const IDLE_MS_MAX = 60_000

/** The server begins to count before its last byte has come to us. */
const IDLE_MARGIN_MS = 1000
const SAID_IDLE = /(?:^|[,;\s])timeout\s*=\s*"?(\d{1,6})\b/i

const RETRY_AFTER = /^[\x20-\x7e]{1,64}$/

/** Sends a message and reads the answer; returns how to give up. */
export function converse(
  wire: Wire,
  message: Message,
  done: (result: Answer | Lost) => void,
): () => void {
  const exchange: Exchange = {
    wire,
    reader: openResponseReader(),
    unsent: null,
    pieces: 0,
    bodyBytes: 0,
    bodyStart: [],
    done,
  }
  wire.holder = {
    received: (bytes) => receive(exchange, bytes),
    drained: () => sendOn(exchange),
    closed: (broken) => lose(exchange, broken),
  }
  const { content, bytes } = message
  const written = Math.max(0, wire.write(content))
  if (written < bytes) {
    const whole = typeof content === 'string' ? Buffer.from(content) : content
    exchange.unsent = whole.subarray(written)
  }
  return () => wire.terminate()
}

function sendOn(exchange: Exchange): void {
  const { unsent, wire } = exchange
  if (!unsent) return
  const written = Math.max(0, wire.write(unsent))
  exchange.unsent = written < unsent.length ? unsent.subarray(written) : null
}

function receive(exchange: Exchange, bytes: Buffer): void {
  const { reader, wire } = exchange
  exchange.pieces++
  const endless = reader.head === null && exchange.pieces > HEAD_PIECES_MAX
  if (endless || !reader.feed(bytes)) {
    wire.terminate()
    exchange.done('protocol')
    return
  }
  for (const chunk of reader.take()) {
    const room = BODY_START_BYTES_MAX - exchange.bodyBytes
    if (room > 0) exchange.bodyStart.push(chunk.subarray(0, room))
    exchange.bodyBytes += chunk.length
  }
  // Answered before all was sent: the rest of this message would stand before the next one.
  if (reader.ended) finish(exchange, reader.reusable && exchange.unsent === null)
  else if (exchange.bodyBytes > BODY_BYTES_MAX) finish(exchange, false)
}

function lose(exchange: Exchange, broken: boolean): void {
  const { reader, pieces, done } = exchange
  // A connection that was torn down is no proper end of a body that lasts until the close.
  if (pieces === 0) done('unanswered')
  else if (!broken && reader.closed()) finish(exchange, false)
  else done('reset')
}

function finish(exchange: Exchange, reusable: boolean): void {
  const { wire, reader, unsent, done } = exchange
  const { head } = reader
  assert(head !== null, 'a body comes after its head')
  const idleMs = reusable ? idleMsOf(head.header('keep-alive')) : 0
  wire.holder = null
  // Torn down where one side still has much to say, or it would say it.
  if (!reader.ended || unsent) wire.terminate()
  else if (idleMs === 0) wire.end()
  const retryAfter = head.header('retry-after')
  done({
    status: head.status,
    retryAfter: retryAfter !== null && RETRY_AFTER.test(retryAfter) ? retryAfter : null,
    bodyStart: textOf(exchange.bodyStart),
    idleMs,
  })
}

function idleMsOf(keepAlive: string | null): number {
  const seconds = SAID_IDLE.exec(keepAlive ?? '')?.[1]
  if (seconds === undefined) return IDLE_MS
  return Math.min(IDLE_MS_MAX, Math.max(0, Number(seconds) * 1000 - IDLE_MARGIN_MS))
}

function textOf(parts: readonly Uint8Array[]): string {
  if (parts.length === 0) return ''
  // Read as a stream that goes on, so that a character cut in two leaves nothing behind.
  const text = new TextDecoder().decode(Buffer.concat(parts), { stream: true })
  // The one character that not every database keeps.
  return text.replaceAll('\0', '\ufffd')
}
