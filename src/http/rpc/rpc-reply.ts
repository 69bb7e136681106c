import type { Rejection } from '../../core/errors.ts'
import type { Caller } from '../../gateway/app-directory.ts'
import type { Sending } from '../../gateway/pieces-stream.ts'
import type { ReaderWatch } from '../../gateway/reader-watch.ts'
import { dropReply, type ReplyBody, replyBody } from '../../gateway/reply-body.ts'
import { refused, type Served } from '../../gateway/serve-rpc.ts'
import type { UnreadReservation } from '../../gateway/unread-budget.ts'
import type { Client } from '../edge/client.ts'
import { compressAnswer, isCompressible } from '../edge/compress-answer.ts'
import { type AccessLog, type RpcExchange, type RpcOutcome, single } from './access-log.ts'
import type { ReplyHeaders } from './rpc-headers.ts'

export type ReplyNeeds = {
  accessLog: AccessLog
  replyHeaders: ReplyHeaders
  readers: ReaderWatch
}

export type HttpExchange = RpcExchange & { request: Request; client: Client }

export function replyTo(
  needs: ReplyNeeds,
  exchange: HttpExchange,
  outcome: RpcOutcome,
  held: UnreadReservation | null,
): Response {
  const { request } = exchange
  const requestId = needs.accessLog.add(exchange, outcome)
  const headers = needs.replyHeaders(outcome, request)
  const body = textOf(outcome) ?? bodyOf(needs, exchange, outcome, held)
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
  const retryAfterS = outcome.isBatch ? throttledForS(outcome.replies) : 0
  if (retryAfterS > 0) response.headers.set('retry-after', String(retryAfterS))
  return response
}

export function refuse(
  needs: ReplyNeeds,
  exchange: HttpExchange,
  rejection: Rejection,
  caller: Caller | null = null,
): Response {
  return replyTo(needs, exchange, single(refused('null', '', rejection), caller), null)
}

/** Hot path: most answers are one text. */
function textOf({ replies, isBatch }: RpcOutcome): string | null {
  const only = isBatch ? undefined : replies[0]?.parts
  return typeof only === 'string' ? only : null
}

function bodyOf(
  { readers }: ReplyNeeds,
  { request, client }: HttpExchange,
  { replies, isBatch }: RpcOutcome,
  held: UnreadReservation | null,
): ReplyBody {
  const parts = replies.map((served) => served.parts)
  const ended = () => held?.release()
  const sending: Sending = {
    watch: readers,
    cut: () => client.cut(),
    isQuiet: () => client.isQuiet(),
    ended,
  }
  if (!request.signal.aborted) return replyBody(parts, isBatch, sending)
  // A client that hung up will not read, and unread streams would hold their upstreams.
  dropReply(parts)
  ended()
  return ''
}

/** When asking again makes sense for all members that came too fast; 0: none did. */
function throttledForS(members: readonly Served[]): number {
  let longestS = 0
  for (const { rejection } of members) {
    if (rejection?.code !== 'throughput_exceeded') continue
    longestS = Math.max(longestS, rejection.facts.retryAfterS ?? 0)
  }
  return longestS
}
