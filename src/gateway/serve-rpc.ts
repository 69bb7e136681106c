import { callRefusal } from '../core/access/access-rules.ts'
import { Failure, Rejection } from '../core/errors.ts'
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
import {
  askNetwork,
  type CacheStatus,
  type NetworkCall,
  type NetworkService,
  type Transport,
} from '../upstream/answers/ask-network.ts'
import type { Caller } from './app-directory.ts'
import { askOwnEngine, isLocalMethod, NO_UPSTREAM } from './local-methods.ts'
import { bytesOf, type HeldAnswer } from './pieces-stream.ts'
import { callerName, type RpcContext, type ServeNeeds } from './rpc-context.ts'
import { unreadAnswers } from './unread-budget.ts'

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
  const { caller, service } = context
  const method = service.methods.priced(call, service.pool.selection.head)

  const closed = mayCall(needs.publicUrl, caller, service, method, call)
  if (closed) return refused(call.idText, method.refusedLabel, closed)

  const crowded = caller.isDemo ? needs.demo.admit(context.clientAddress(), method) : null
  if (crowded) return refused(call.idText, method.refusedLabel, crowded)

  const unread = isLocalMethod(service, call.method) && !needs.answers.hasRoom(callerName(context))
  if (unread) return refused(call.idText, method.refusedLabel, unreadAnswers())

  const tooMuch = needs.guard.admit(caller.account, method)
  if (tooMuch) return refused(call.idText, method.refusedLabel, tooMuch)

  const answer = ask(needs, context, method, call, transport)
  if (answer instanceof Promise) return awaitAnswer(needs, context, method, call, answer)
  const { tellOthers } = service
  const shared = tellOthers ? needs.heights.share(service, call.method, answer.reply) : null
  if (shared) return shared.then(() => charge(needs, context, method, call, answer))
  return charge(needs, context, method, call, answer)
}

async function awaitAnswer(
  needs: ServeNeeds,
  context: RpcContext,
  method: Method,
  call: Call,
  answer: Promise<Answer>,
): Promise<Served> {
  const { service } = context
  let asked: Answer
  try {
    asked = await answer
  } catch (thrown) {
    const { caller } = context
    needs.guard.settle(caller.account, method, true)
    if (caller.isDemo) needs.demo.refund(context.clientAddress(), method)
    return refused(call.idText, method.refusedLabel, unanswered(service.network.id, thrown))
  }
  if (service.tellOthers) await needs.heights.share(service, call.method, asked.reply)
  return charge(needs, context, method, call, asked)
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

  const { reply } = asked
  const isError = reply.kind === 'error' || reply.kind === 'error_stream'
  const unknown = isError && reply.code === NO_SUCH_METHOD
  const free = unknown || (isError && asked.upstream === NO_UPSTREAM)
  const centiCu = free ? 0 : method.billedCentiCu
  const proven = method.isUnproven && !isError ? service.methods.prove(method) : method.label
  const label = unknown ? 'unknown' : proven
  needs.meter.add(account, caller.app.id, service.network.id, label, centiCu)
  return answered(needs, context, call, asked, centiCu, label)
}

/** Asks an engine of ours where it has the method, else a node. Hot path: few promises. */
function ask(
  needs: ServeNeeds,
  context: RpcContext,
  of: Method,
  call: Call,
  transport: Transport,
): Answer | Promise<Answer> {
  const { service, subscriptions } = context
  const { teamId } = context.caller.app
  const engines = { local: needs.local, subscriptions }
  const own = askOwnEngine(engines, service, of, call, teamId)
  if (own !== null) return own
  const { params, paramsText } = call
  const owner = of.safety === 'filter' ? filterOwner(needs, context) : null
  const { trace } = context
  const share = callerName(context)
  return askNetwork(service, { of, params, paramsText, owner, trace, share }, transport)
}

function filterOwner(needs: ServeNeeds, context: RpcContext): NetworkCall['owner'] {
  return { secret: needs.filterSecret, name: callerName(context) }
}

/** Reserves memory for an answer until its client has read it; false: there is none. */
function holds(needs: ServeNeeds, context: RpcContext, reply: Reply): boolean {
  const bytes = heldBytes(context, reply)
  if (bytes < COUNTED_BYTES_MIN) return true
  context.held ??= needs.answers.open(callerName(context))
  return context.held.grow(bytes)
}

/** A single text is small enough for the socket; those of a batch add up until all are there. */
function heldBytes({ isBatch }: RpcContext, reply: Reply): number {
  if (reply.kind === 'bytes') return bytesOf(reply.pieces)
  return isBatch && 'text' in reply ? reply.text.length : 0
}

function answered(
  needs: ServeNeeds,
  context: RpcContext,
  call: Call,
  asked: Answer,
  centiCu: number,
  method: string,
): Served {
  const { reply, cache, upstream } = asked
  return {
    status: 200,
    parts: partsOf(needs, context, call, reply),
    centiCu,
    cache,
    upstream,
    method,
    nodeErrorCode: nodeErrorCodeOf(reply),
    rejection: null,
  }
}

function nodeErrorCodeOf(reply: Reply): number {
  return reply.kind === 'error' || reply.kind === 'error_stream' ? reply.code : 0
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
  const { caller, service } = context
  return resultReply(call.idText, needs.heights.raise(caller.app.id, service, reply.text))
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

/** The refusal of a call that no node answered. What is no failure of the world is thrown on. */
function unanswered(networkId: string, thrown: unknown): Rejection {
  if (!(thrown instanceof Failure)) throw thrown
  if (thrown.code === 'upstream_timed_out') {
    return new Rejection('upstream_timeout', `No ${networkId} node answered in time.`)
  }
  if (thrown.code === 'upstream_disagreed') {
    return new Rejection('upstream_failed', disagreement(networkId, thrown.facts.reason))
  }
  return new Rejection('upstream_failed', `No ${networkId} node could answer; please try again.`)
}

function disagreement(networkId: string, reason: unknown): string {
  if (reason === 'too_few') {
    return `Too few ${networkId} nodes answered to agree; please try again.`
  }
  if (reason === 'too_large') return `The answer is too large for ${networkId} nodes to agree on.`
  return `The ${networkId} nodes disagree; please try again.`
}

/** The reason why this caller may not make a call; null when it may. Hot path: mostly two looks. */
function mayCall(
  publicUrl: string,
  caller: Caller,
  { network }: NetworkService,
  method: Method,
  call: Call,
): Rejection | null {
  const closed = method.isRestricted ? notServed(publicUrl, caller, method) : null
  if (closed || caller.rules === null) return closed
  return callRefusal(caller.rules, network.kind, call)
}

function notServed(publicUrl: string, caller: Caller, method: Method): Rejection | null {
  const { name, access, paidOnly } = method
  if (access === 'none' || (access === 'own_keys' && caller.isDemo)) {
    return new Rejection('method_not_served', `${name} is not served here.`)
  }
  if (!paidOnly || caller.account.tier.paid) return null
  return new Rejection(
    'paid_only',
    `${name} is not available on the Free tier - upgrade to a paid tier for access. ${publicUrl}/settings/billing`,
  )
}
