import { checkDestination, NO_USABLE_ADDRESS } from '../../core/delivery/check-destination.ts'
import { assert } from '../../core/errors.ts'
import type { Egress, EgressFault, EgressOutcome, EgressRequest } from '../../ports/egress.ts'
import { type Connect, hostOf, openConnector } from '../http1/connector.ts'
import {
  type ExchangeFault,
  type ExchangeListener,
  endExchange,
  startExchange,
} from '../http1/exchange.ts'
import { openIdlePool } from '../http1/idle-pool.ts'
import {
  headerLines,
  type Message,
  requestLines,
  requestMessage,
} from '../http1/request-message.ts'
import type { ResponseHead } from '../http1/response-head.ts'
import { type AddressOptions, openVettedAddresses } from './vetted-addresses.ts'
import { type Destination, type EgressParts, vettedOrigin } from './vetted-origin.ts'

type EgressOptions = AddressOptions & {
  /** Receives exceptions that our own code throws while it reads answers. */
  reportBug?: (bug: unknown) => void
  connect?: Connect
}

type Delivery = Destination & {
  teamId: string
  message: Message
  startMs: number
  /** Null until the lookup is over. */
  lookedUpMs: number | null
}

type DeliveryAnswer = { status: number; retryAfter: string | null; bodyStart: string }

type AnswerReading = {
  bodyBytes: number
  bodyStart: Uint8Array[]
  done(result: DeliveryAnswer | ExchangeFault): void
}

/** The message's framing and its way are said by egress, and by nobody else. */
const RESERVED_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Each holds a file handle and, behind TLS, some 20 KiB. */
const IDLE_MAX = 2000

const IDLE_PER_ORIGIN_MAX = 64

const SWEEP_MS = 1000

const ABANDONED_MAX = 8

const BODY_START_BYTES_MAX = 4 * 1024

/** Read to its end up to here, for the sake of the connection; a new one costs less than more. */
const BODY_BYTES_MAX = 64 * 1024

const RETRY_AFTER = /^[\x20-\x7e]{1,64}$/

const DELIVERY_ANSWER_LISTENER: ExchangeListener<AnswerReading> = {
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

/**
 * POST over sockets of this thread, to addresses that were vetted at this very attempt. The
 * runtime's own client is no choice here: it keeps 64 idle connections at most, resolves
 * names by itself, and would follow where the environment or an answer sends it.
 */
export function openEgress(options: EgressOptions): Egress {
  const { clock, allowPrivate, reportBug } = options
  const { connect = openConnector({ abandonedMax: ABANDONED_MAX, reportBug }) } = options
  const addresses = openVettedAddresses(options)
  const pool = openIdlePool({ perOriginMax: IDLE_PER_ORIGIN_MAX, totalMax: IDLE_MAX })
  const stopSweeping = clock.every(SWEEP_MS, () => pool.sweep(clock.monotonicMs()))
  const parts: EgressParts = { clock, allowPrivate, addresses, pool, connect }
  return {
    vet: (url, teamId) => vet(parts, url, teamId),
    post: (request) => post(parts, request),
    close() {
      stopSweeping()
      pool.close()
    },
  }
}

async function vet(parts: EgressParts, url: string, teamId: string): Promise<string | null> {
  const destination = checkDestination(url, parts.allowPrivate)
  if (typeof destination === 'string') return destination
  if (parts.allowPrivate) return null

  const addresses = await parts.addresses.of(hostOf(destination), teamId)
  return typeof addresses === 'string' ? NO_USABLE_ADDRESS : null
}

async function post(parts: EgressParts, request: EgressRequest): Promise<EgressOutcome> {
  const startMs = parts.clock.monotonicMs()
  const unknown = { startMs, lookedUpMs: null, acceptedMs: null, connectedMs: null, address: null }
  const url = checkDestination(request.url, parts.allowPrivate)
  if (typeof url === 'string') return outcome(parts, unknown, 'refused_address')

  const { teamId, timeoutMs } = request
  const message = deliveryMessage(url, request)
  const endMs = startMs + timeoutMs
  const delivery: Delivery = { ...unknown, url, host: hostOf(url), teamId, message, endMs }
  const result = await deliver(parts, delivery, timeoutMs)
  return outcome(parts, delivery, result)
}

function deliveryMessage(url: URL, { headers, body }: EgressRequest): Message {
  // Nobody decodes the answer, so no content encoding is asked for.
  const given = headerLines(headers, RESERVED_HEADERS)
  const lines = `${requestLines(url, false)}accept-encoding: identity\r\n${given}`
  return requestMessage(lines, Buffer.byteLength(lines), body)
}

function deliver(
  parts: EgressParts,
  delivery: Delivery,
  timeoutMs: number,
): Promise<DeliveryAnswer | EgressFault> {
  const { clock, addresses } = parts
  return new Promise((resolve) => {
    let isOver = false
    let giveUp = () => {}
    const done = (result: DeliveryAnswer | EgressFault) => {
      isOver = true
      stopTimer()
      resolve(result)
    }
    const stopTimer = clock.after(timeoutMs, () => {
      giveUp()
      done('timeout')
    })
    const send = (vetted: readonly string[] | EgressFault) => {
      if (isOver) return
      delivery.lookedUpMs = clock.monotonicMs()
      delivery.connectedMs = delivery.lookedUpMs
      if (typeof vetted === 'string') return done(vetted)
      const origin = vettedOrigin(parts, delivery, vetted)
      const reading = { bodyBytes: 0, bodyStart: [], done }
      const listener = DELIVERY_ANSWER_LISTENER
      const exchange = startExchange(origin, delivery.message, 'unanswered', listener, reading)
      giveUp = () => endExchange(exchange)
    }
    addresses.of(delivery.host, delivery.teamId).then(send, () => send('dns'))
  })
}

function outcome(
  { clock }: EgressParts,
  delivery: Pick<Delivery, 'startMs' | 'lookedUpMs' | 'acceptedMs' | 'connectedMs' | 'address'>,
  result: DeliveryAnswer | EgressFault,
): EgressOutcome {
  const { startMs, address } = delivery
  const endMs = clock.monotonicMs()
  const lookedUpMs = delivery.lookedUpMs ?? endMs
  const connectedMs = delivery.connectedMs ?? endMs
  const acceptedMs = delivery.acceptedMs ?? connectedMs
  const ms = {
    lookup: Math.round(lookedUpMs - startMs),
    connect: Math.round(acceptedMs - lookedUpMs),
    tls: Math.round(connectedMs - acceptedMs),
    answer: Math.round(endMs - connectedMs),
    total: Math.round(endMs - startMs),
  }
  if (typeof result === 'string') {
    return { status: null, fault: result, retryAfter: null, bodyStart: '', address, ms }
  }
  return { ...result, fault: null, address, ms }
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
