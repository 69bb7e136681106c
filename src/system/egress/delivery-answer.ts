import { assert } from '../../core/errors.ts'
import { type ExchangeFault, type ExchangeListener, endExchange } from '../http1/exchange.ts'
import type { ResponseHead } from '../http1/response-head.ts'

export type DeliveryAnswer = { status: number; retryAfter: string | null; bodyStart: string }

/** The part of an answer that is kept while it comes. */
export type AnswerReading = {
  bodyBytes: number
  bodyStart: Uint8Array[]
  done(result: DeliveryAnswer | ExchangeFault): void
}

/** How much of a body the owner of the webhook sees. */
const BODY_START_BYTES_MAX = 4 * 1024

/** Read to its end up to here, for the sake of the connection; a new one costs less than more. */
const BODY_BYTES_MAX = 64 * 1024

const RETRY_AFTER = /^[\x20-\x7e]{1,64}$/

/** Reads the start of an answer's body, and gives up a long one. */
export const DELIVERY_ANSWER_LISTENER: ExchangeListener<AnswerReading> = {
  answered({ context }, head, bytes, bodyAt) {
    take(context, bytes.subarray(bodyAt))
    finish(context, head)
  },
  advanced(exchange, reader) {
    const { context } = exchange
    for (const chunk of reader.take()) take(context, chunk)
    const isLong = context.bodyBytes > BODY_BYTES_MAX
    if (!reader.ended && !isLong) return
    endExchange(exchange)
    assert(reader.head !== null, 'a body comes after its head')
    finish(context, reader.head)
  },
  lost: ({ context }, fault) => context.done(fault),
}

function take(reading: AnswerReading, chunk: Uint8Array): void {
  const room = BODY_START_BYTES_MAX - reading.bodyBytes
  if (room > 0 && chunk.length > 0) reading.bodyStart.push(chunk.subarray(0, room))
  reading.bodyBytes += chunk.length
}

function finish(reading: AnswerReading, { status, header }: ResponseHead): void {
  const retryAfter = header('retry-after')
  reading.done({
    status,
    retryAfter: retryAfter !== null && RETRY_AFTER.test(retryAfter) ? retryAfter : null,
    bodyStart: textOf(reading.bodyStart),
  })
}

function textOf(parts: readonly Uint8Array[]): string {
  if (parts.length === 0) return ''
  // Read as a stream that goes on, so that a character cut in two leaves nothing behind.
  const text = new TextDecoder().decode(Buffer.concat(parts), { stream: true })
  // The one character that not every database keeps.
  return text.replaceAll('\0', '\ufffd')
}
