import type { Rejection } from '../core/errors.ts'
import { heightWanted } from '../core/rpc/cache-policy.ts'
import {
  type BadCall,
  type Call,
  isBadCall,
  NO_SUCH_METHOD,
  nodeErrorReply,
  rejectionReply,
  resultReply,
} from '../core/rpc/jsonrpc.ts'
import type { Method } from '../core/rpc/method-registry.ts'
import type { TraceContext } from '../core/rpc/trace-context.ts'
import type { SpendGuard } from '../metering/spend-guard.ts'
import type { UsageMeter } from '../metering/usage-meter.ts'
import {
  askNetwork,
  type CacheStatus,
  type NetworkService,
  type Transport,
} from '../upstream/answers/ask-network.ts'
import type { PoolCall } from '../upstream/pool/routed-request.ts'
import type { Caller } from './app-directory.ts'
import { callRefusalOf, unanswered } from './call-refusals.ts'
import { type DemoLimiter, demoClient } from './demo-limiter.ts'
import { askOwnEngine, isLocalMethod, type LocalMethods, NO_UPSTREAM } from './local-methods.ts'
import type { MonotonicHeights } from './monotonic-heights.ts'
import { bytesOf, type HeldAnswer } from './pieces-stream.ts'
import type { SubscriptionCalls } from './subscriptions/subscription-calls.ts'
import { type UnreadBudget, type UnreadReservation, unreadAnswers } from './unread-budget.ts'

export type ReplyParts =
  | string
  | [before: string, answer: ReadableStream<Uint8Array> | HeldAnswer, after: string]

export type Served = {
  status: number
  parts: ReplyParts
  centiCu: number
  cache: CacheStatus
  upstream: string
  /** The bounded name of the method, for logs and metrics. */
  method: string
  /** The JSON-RPC code of the node's error; zero where it answered well or was not asked. */
  nodeErrorCode: number
  rejection: Rejection | null
}

export type ServeNeeds = {
  guard: SpendGuard
  meter: UsageMeter
  demo: DemoLimiter
  heights: MonotonicHeights
  answers: UnreadBudget
  /** Null passes every method on to a node. */
  local: LocalMethods | null
  publicUrl: string
  /** Binds the ids of filters to their callers. */
  filterSecret: Uint8Array
}

/** One request, once its key and its network are known. */
export type RpcContext = {
  caller: Caller
  service: NetworkService
  /** By `callerName`: whose share of limits it takes. */
  name: string
  isBatch: boolean
  /** The memory reserved for its answers until they are sent; null while they take none. */
  held: UnreadReservation | null
  /** Null where the caller named none. */
  trace: TraceContext | null
  /** The subscriptions of its connection; absent where that is no WebSocket. */
  subscriptions?: SubscriptionCalls
}

type Answer = { reply: Reply; upstream: string; cache: CacheStatus }

type Reply =
  | { kind: 'result'; text: string }
  | { kind: 'stream'; stream: ReadableStream<Uint8Array> }
  | ({ kind: 'bytes' } & HeldAnswer)
  | { kind: 'error'; code: number; text: string }
  | { kind: 'error_stream'; code: number; stream: ReadableStream<Uint8Array> }

/** Smaller ones are not counted: a batch has at most a thousand of them. */
const COUNTED_BYTES_MIN = 16 * 1024

/** The hot path: one call, from its text to the text of its answer. */
export function serveRpc(
  needs: ServeNeeds,
  context: RpcContext,
  call: Call | BadCall,
  transport: Transport,
): Served | Promise<Served> {
  if (isBadCall(call)) return refused(call.idText, '', call.rejection)
  const { service } = context
  const method = service.methods.priced(call, service.pool.selection.head)
  const rejection = admit(needs, context, method, call)
  if (rejection) return refused(call.idText, method.refusedLabel, rejection)

  const own = askOwnEngine(needs, context, method, call)
  const answer = own ?? askNetwork(service, poolCall(needs, context, method, call), transport)
  const isThere =
    !(answer instanceof Promise) && reportHeight(needs, context, call, answer) === null
  return isThere
    ? charge(needs, context, method, call, answer)
    : awaitAnswer(needs, context, method, call, answer)
}

/** The reason not to serve a call. Without one, what it takes of limits is taken. */
function admit(
  { publicUrl, demo, answers, guard }: ServeNeeds,
  { caller, service, name }: RpcContext,
  method: Method,
  call: Call,
): Rejection | null {
  const isOpen = !method.isRestricted && caller.rules === null
  const { kind } = service.network
  const closed = isOpen ? null : callRefusalOf(publicUrl, caller, kind, method, call)
  if (closed) return closed

  const crowded = caller.isDemo ? demo.admit(name, method) : null
  if (crowded) return crowded

  if (isLocalMethod(service, call.method) && !answers.hasRoom(name)) return unreadAnswers()
  return guard.admit(caller.account, method)
}

async function awaitAnswer(
  needs: ServeNeeds,
  context: RpcContext,
  method: Method,
  call: Call,
  answer: Answer | Promise<Answer>,
): Promise<Served> {
  const { service } = context
  let asked: Answer
  try {
    asked = await answer
  } catch (thrown) {
    const { caller } = context
    needs.guard.settle(caller.account, method, true)
    if (caller.isDemo) needs.demo.refund(context.name, method)
    return refused(call.idText, method.refusedLabel, unanswered(service.network.id, thrown))
  }
  const reporting = reportHeight(needs, context, call, asked)
  if (reporting) await reporting
  return charge(needs, context, method, call, asked)
}

/** Resolves when a new height may be shown; null where there is nothing to wait for. */
function reportHeight(
  { heights }: ServeNeeds,
  { service }: RpcContext,
  call: Call,
  { reply }: Answer,
): Promise<void> | null {
  return call.method === 'eth_blockNumber' ? heights.share(service, reply) : null
}

/** Charged only after the node answered: our outage is not on the customer's bill. */
function charge(
  needs: ServeNeeds,
  context: RpcContext,
  method: Method,
  call: Call,
  asked: Answer,
): Served {
  const { caller, service } = context
  const { account } = caller
  needs.guard.settle(account, method, false)

  // A refused answer is not billed, but counts against the rate limit, lest it be repeated.
  if (!holds(needs, context, asked.reply)) {
    return refused(call.idText, method.refusedLabel, unreadAnswers())
  }

  const { reply, cache, upstream } = asked
  const isError = reply.kind === 'error' || reply.kind === 'error_stream'
  const unknown = isError && reply.code === NO_SUCH_METHOD
  const free = unknown || (isError && upstream === NO_UPSTREAM)
  const centiCu = free ? 0 : method.billedCentiCu
  const proven = method.isUnproven && !isError ? service.methods.prove(method) : method.label
  const label = unknown ? 'unknown' : proven
  needs.meter.add(account, caller.app.id, service.network.id, label, centiCu)
  return {
    status: 200,
    parts: partsOf(needs, context, call, reply),
    centiCu,
    cache,
    upstream,
    method: label,
    nodeErrorCode: isError ? reply.code : 0,
    rejection: null,
  }
}

function poolCall(
  needs: ServeNeeds,
  { name, trace }: RpcContext,
  of: Method,
  { params, paramsText }: Call,
): PoolCall {
  return {
    method: of.name,
    of,
    params,
    paramsText,
    trace,
    share: name,
    owner: of.safety === 'filter' ? { secret: needs.filterSecret, name } : null,
    atHead: true,
    heightMin: heightWanted(of, params),
    heavy: of.heavy,
  }
}

/** Reserves memory for an answer until its client has read it; false: there is none. */
function holds(needs: ServeNeeds, context: RpcContext, reply: Reply): boolean {
  const bytes = heldBytes(context, reply)
  if (bytes < COUNTED_BYTES_MIN) return true
  context.held ??= needs.answers.open(context.name)
  return context.held.grow(bytes)
}

/** A single text is small enough for the socket; those of a batch add up until all are there. */
function heldBytes({ isBatch }: RpcContext, reply: Reply): number {
  if (reply.kind === 'bytes') return bytesOf(reply.pieces)
  return isBatch && 'text' in reply ? reply.text.length : 0
}

function partsOf(
  needs: ServeNeeds,
  context: RpcContext,
  call: Call,
  reply: Answer['reply'],
): ReplyParts {
  if (reply.kind === 'error') return nodeErrorReply(call.idText, reply.text)
  if (reply.kind === 'error_stream') {
    return [`{"jsonrpc":"2.0","id":${call.idText},"error":`, reply.stream, '}']
  }
  if (reply.kind !== 'result') {
    const answer = reply.kind === 'bytes' ? reply : reply.stream
    return [`{"jsonrpc":"2.0","id":${call.idText},"result":`, answer, '}']
  }
  if (call.method !== 'eth_blockNumber') return resultReply(call.idText, reply.text)
  return resultReply(call.idText, needs.heights.raise(context.service, reply.text))
}

export function refused(idText: string, method: string, rejection: Rejection): Served {
  return {
    status: rejection.httpStatus,
    parts: rejectionReply(idText, rejection),
    centiCu: 0,
    cache: 'miss',
    upstream: NO_UPSTREAM,
    method,
    nodeErrorCode: 0,
    rejection,
  }
}

/** The key `demo` is everybody's, so its limits and filters belong to the address that asks. */
export function callerName({ app, isDemo }: Caller, client: { address(): string }): string {
  return isDemo ? `${app.id} ${demoClient(client.address())}` : app.id
}
