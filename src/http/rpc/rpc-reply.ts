import type { Sending } from '../../gateway/pieces-stream.ts'
import type { ReaderWatch } from '../../gateway/reader-watch.ts'
import { dropReply, type ReplyBody, replyBody } from '../../gateway/reply-body.ts'
import type { UnreadReservation } from '../../gateway/unread-budget.ts'
import type { Client } from '../edge/client.ts'
import { compressAnswer, isCompressible } from '../edge/compress-answer.ts'
import type { AccessLog, RpcExchange, RpcOutcome } from './access-log.ts'
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
  return response
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
