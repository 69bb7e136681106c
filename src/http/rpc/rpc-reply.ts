import type { TraceContext } from '../../core/rpc/trace-context.ts'
import type { Caller } from '../../gateway/app-directory.ts'
import type { Sending } from '../../gateway/pieces-stream.ts'
import type { ReaderWatch } from '../../gateway/reader-watch.ts'
import { dropReply, type ReplyBody, replyBody } from '../../gateway/reply-body.ts'
import type { Served } from '../../gateway/serve-rpc.ts'
import type { UnreadReservation } from '../../gateway/unread-budget.ts'
import type { CallFigures } from '../../metering/call-figures.ts'
import type { Clock } from '../../ports/clock.ts'
import { compressAnswer, isCompressible } from '../edge/compress-answer.ts'
import type { ReplyHeaders } from './rpc-headers.ts'
import type { RpcNotes } from './rpc-notes.ts'

export type ReplyNeeds = {
  clock: Clock
  notes: RpcNotes
  figures: Pick<CallFigures, 'add'>
  replyHeaders: ReplyHeaders
  readers: ReaderWatch
  nextRequestId(): string
}

export type RpcOutcome = {
  replies: Served[]
  isBatch: boolean
  status: number
  centiCu: number
  cache: Served['cache']
  upstream: string
  rejection: Served['rejection']
  caller: Caller | null
}

export type RpcExchange = {
  request: Request
  networkId: string | undefined
  trace: TraceContext | null
  startedAtMs: number
  client: Pick<Sending, 'cut' | 'isQuiet'>
}

/** Notes how a request went, in its figures, its metrics and the log; returns its id. */
export function noteOutcome(
  needs: Pick<ReplyNeeds, 'clock' | 'notes' | 'figures' | 'nextRequestId'>,
  exchange: Pick<RpcExchange, 'networkId' | 'trace' | 'startedAtMs'>,
  outcome: RpcOutcome,
): string {
  const { networkId = 'unknown' } = exchange
  const { caller, replies } = outcome
  const requestId = needs.nextRequestId()
  const tookMs = needs.clock.monotonicMs() - exchange.startedAtMs
  // The members of a batch are answered together, so that each of them took as long as all.
  if (caller) for (const served of replies) needs.figures.add(caller.app, networkId, served, tookMs)
  needs.notes.note({
    requestId,
    traceId: exchange.trace?.traceId ?? null,
    network: networkId,
    appId: caller?.app.id ?? null,
    replies,
    isBatch: outcome.isBatch,
    status: outcome.status,
    centiCu: outcome.centiCu,
    cache: outcome.cache,
    upstream: outcome.upstream,
    tookMs,
  })
  return requestId
}

export function replyTo(
  needs: ReplyNeeds,
  exchange: RpcExchange,
  outcome: RpcOutcome,
  held: UnreadReservation | null,
): Response {
  const { request } = exchange
  const requestId = noteOutcome(needs, exchange, outcome)
  const headers = needs.replyHeaders(outcome, request)
  const body = bodyOf(needs, exchange, outcome, held)
  const compressible = isCompressible(body)
  const compressed = compressible
    ? compressAnswer(body, request.headers.get('accept-encoding'))
    : null
  // Hot path: a response copies the headers it is given, so these can be used again, while its
  // own are made only when somebody asks for them.
  headers.set('x-request-id', requestId)
  const response = new Response(compressed?.body ?? body, { status: outcome.status, headers })
  if (compressible) response.headers.set('vary', 'accept-encoding')
  if (compressed) response.headers.set('content-encoding', compressed.coding)
  return response
}

function bodyOf(
  needs: ReplyNeeds,
  { request, client: { cut, isQuiet } }: RpcExchange,
  { replies, isBatch }: RpcOutcome,
  held: UnreadReservation | null,
): ReplyBody {
  const only = isBatch ? undefined : replies[0]?.parts
  if (typeof only === 'string') return only
  const parts = replies.map((served) => served.parts)
  const ended = () => held?.release()
  const sending: Sending = { watch: needs.readers, cut, isQuiet, ended }
  if (!request.signal.aborted) return replyBody(parts, isBatch, sending)
  // A client that hung up will not read, and unread streams would hold their upstreams.
  dropReply(parts)
  ended()
  return ''
}
