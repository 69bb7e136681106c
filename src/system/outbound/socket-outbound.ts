import { Failure, type FailureCode } from '../../core/errors.ts'
import type {
  Outbound,
  OutboundAnswer,
  OutboundListener,
  OutboundRequest,
} from '../../ports/outbound.ts'
import { type Connect, hostOf, openConnector, portOf } from '../http1/connector.ts'
import {
  type Exchange,
  type ExchangeListener,
  endExchange,
  type Origin,
  startExchange,
} from '../http1/exchange.ts'
import { type IdlePool, openIdlePool } from '../http1/idle-pool.ts'
import { headerLines, requestLines, requestMessage } from '../http1/request-message.ts'
import type { ResponseHead } from '../http1/response-head.ts'
import type { ResponseReader } from '../http1/response-reader.ts'

type Route = { url: string; origin: Origin; lines: string; linesBytes: number }

type Call = AnswerBody & {
  /** Null once it was called. */
  listener: OutboundListener<unknown> | null
  context: unknown
}

type AnswerBody = {
  /** Tells whoever reads the body that more came, or that it is over. */
  wake: (() => void) | null
  isBroken: boolean
}

type Body = { exchange: Exchange<AnswerBody>; reader: ResponseReader; cancel(): void }

/** More connections to a node stay open only while they are needed. */
const IDLE_PER_NODE_MAX = 256

const IDLE_MAX = 10_000

/** A body nobody reads is left in the kernel, so that the sender slows down. */
const UNREAD_BYTES_MAX = 256 * 1024

/** The message itself says where a body ends, and nobody else does. */
const FRAMING_HEADERS = new Set(['content-length', 'transfer-encoding'])

/** How the standard names a content encoding, and how the runtime does. */
const CONTENT_ENCODINGS = new Map<string, Bun.CompressionFormat>([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'brotli'],
  ['zstd', 'zstd'],
])

/** Plain HTTP/1.1 over sockets of this very thread; for `http:` addresses only. */
export function openSocketOutbound(reportBug?: (bug: unknown) => void): Outbound {
  // An attempt given up says little of a node: of several asked at once, one answers first.
  const connect = openConnector({ abandonedMax: Number.POSITIVE_INFINITY, reportBug })
  const pool = openIdlePool({ perOriginMax: IDLE_PER_NODE_MAX, totalMax: IDLE_MAX })
  // A caller keeps one object of headers for an address, so that object finds its route.
  const routes = new WeakMap<object, Route>()

  const routeOf = ({ url, headers }: OutboundRequest): Route => {
    const known = routes.get(headers)
    if (known?.url === url) return known
    const route = openRoute(connect, pool, url, headers)
    routes.set(headers, route)
    return route
  }

  return {
    post(request, listener, context) {
      const { origin, lines, linesBytes } = routeOf(request)
      const { body, callHeaders, repeatable } = request
      const own = callHeaders === null ? '' : headerLines(callHeaders, FRAMING_HEADERS)
      // Headers of one call are ASCII, so their characters are their bytes.
      const message = requestMessage(lines + own, linesBytes + own.length, body)
      const heard = listener as OutboundListener<unknown>
      const call: Call = { listener: heard, context, wake: null, isBroken: false }
      const repeat = repeatable ? 'until_head' : 'never'
      const exchange = startExchange(origin, message, repeat, LISTENER, call)
      return () => cancel(exchange)
    },
  }
}

function openRoute(
  connect: Connect,
  pool: IdlePool,
  address: string,
  headers: Readonly<Record<string, string>>,
): Route {
  const url = new URL(address)
  const { host } = url
  const isHostGiven = Object.keys(headers).some((name) => name.toLowerCase() === 'host')
  const target = { address: hostOf(url), port: portOf(url), tls: false, serverName: null }
  const lines = requestLines(url, isHostGiven) + headerLines(headers, FRAMING_HEADERS)
  return {
    url: address,
    lines,
    linesBytes: Buffer.byteLength(lines),
    origin: {
      takeIdle: () => pool.take(host, 0),
      connect: (listener) => connect(target, listener),
      // Nodes keep connections open for as long as they like, and say so by closing them.
      release: (connection) => pool.keep(host, connection, Number.POSITIVE_INFINITY),
    },
  }
}

const LISTENER: ExchangeListener<Call> = {
  answered({ context }, head, bytes, bodyAt) {
    const { listener } = context
    context.listener = null
    const whole = bytes.toString('utf8', bodyAt)
    const { status, header, length } = head
    const answer = { status, header, length, whole, text: textOfWhole, stream: streamOfWhole }
    listener?.answered(answer, context.context)
  },
  advanced(exchange, reader) {
    const { context, connection } = exchange
    const { listener } = context
    if (reader.waitingBytes > UNREAD_BYTES_MAX) connection?.pause()
    if (reader.head && listener) {
      context.listener = null
      const answer = outboundAnswer(exchange, reader, reader.head, () => cancel(exchange))
      listener.answered(answer, context.context)
    }
    context.wake?.()
  },
  lost({ context, isSent }, fault) {
    // After a second sending that finds no one, the first may have arrived all the same.
    const isUnsent = fault === 'connect' && !isSent
    breakOff(context, isUnsent ? 'upstream_unreachable' : 'upstream_answered_badly')
  },
}

async function textOfWhole(this: OutboundAnswer): Promise<string> {
  return this.whole ?? ''
}

function streamOfWhole(this: OutboundAnswer): ReadableStream<Uint8Array> {
  return new Response(this.whole).body ?? new ReadableStream()
}

function cancel(exchange: Exchange<Call>): void {
  if (exchange.isOver) return
  endExchange(exchange)
  breakOff(exchange.context, 'upstream_answered_badly')
}

function breakOff(call: Call, code: FailureCode): void {
  const { listener } = call
  call.isBroken = true
  call.listener = null
  listener?.lost(new Failure(code), call.context)
  call.wake?.()
}

function outboundAnswer(
  exchange: Exchange<AnswerBody>,
  reader: ResponseReader,
  head: ResponseHead,
  cancel: () => void,
): OutboundAnswer {
  const body: Body = { exchange, reader, cancel }
  // We ask for no content encoding; some hosts use one all the same.
  const encoding = head.header('content-encoding')?.toLowerCase() ?? 'identity'
  const isEmpty = reader.ended && reader.waitingBytes === 0
  if (encoding !== 'identity' && !isEmpty) return encodedAnswer(body, head, encoding)
  return {
    status: head.status,
    header: head.header,
    length: reader.ended ? reader.waitingBytes : head.length,
    whole: null,
    text: () => wholeText(body),
    stream: () => bodyStream(body),
  }
}

function encodedAnswer(body: Body, head: ResponseHead, encoding: string): OutboundAnswer {
  const stream = () => {
    const format = CONTENT_ENCODINGS.get(encoding)
    if (!format) {
      body.cancel()
      throw new Failure('upstream_answered_badly')
    }
    const decode = new DecompressionStream(format) as TransformStream<Uint8Array, Uint8Array>
    return bodyStream(body).pipeThrough(decode)
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

async function wholeText(body: Body): Promise<string> {
  const chunks: Uint8Array[] = []
  for (;;) {
    for (const chunk of takeChunks(body)) chunks.push(chunk)
    if (body.reader.ended) break
    await more(body)
  }
  const whole = chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)
  return Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString('utf8')
}

function bodyStream(body: Body): ReadableStream<Uint8Array> {
  const { reader } = body
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (reader.waitingBytes === 0) {
        if (reader.ended) return controller.close()
        await more(body)
      }
      for (const chunk of takeChunks(body)) controller.enqueue(chunk)
    },
    cancel: body.cancel,
  })
}

function takeChunks({ exchange, reader }: Body): Uint8Array[] {
  const chunks = reader.take()
  exchange.connection?.resume()
  return chunks
}

function more({ exchange }: Body): Promise<void> {
  const { context } = exchange
  if (context.isBroken) throw new Failure('upstream_answered_badly')
  return new Promise((resolve, reject) => {
    context.wake = () => {
      context.wake = null
      if (context.isBroken) reject(new Failure('upstream_answered_badly'))
      else resolve()
    }
  })
}
