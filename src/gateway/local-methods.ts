import { NO_SUCH_METHOD } from '../core/rpc/jsonrpc.ts'
import type { Method } from '../core/rpc/method-registry.ts'
import type { SubscriptionCall } from '../core/rpc/subscription-source.ts'
import type { CacheStatus, NetworkService } from '../upstream/answers/ask-network.ts'
import type { Caller } from './app-directory.ts'
import type { HeldAnswer } from './pieces-stream.ts'
import { type SubscriptionCalls, subscriptionError } from './subscriptions/subscription-calls.ts'

/**
 * The answer of a local method. Text, bytes or a stream are the JSON of `result`, at times
 * with a member behind it that stands beside the result in the reply.
 */
type LocalAnswer =
  | { kind: 'result'; text: string; upstream: string; cache: CacheStatus }
  | { kind: 'stream'; stream: ReadableStream<Uint8Array>; upstream: string; cache: CacheStatus }
  | ({ kind: 'bytes'; upstream: string; cache: CacheStatus } & HeldAnswer)
  /** `text` is the error object. Without an upstream it is ours, and costs nothing. */
  | { kind: 'error'; code: number; text: string; upstream: string | null }

/** Methods that an engine of ours answers, instead of passing them to a node as they are. */
export type LocalMethods = {
  /** Throws a Failure when no node could answer, before a byte of an answer was given. */
  serve(
    service: NetworkService,
    method: string,
    paramsText: string,
    teamId: string,
  ): Promise<LocalAnswer>
}

type Asking = {
  caller: Caller
  service: NetworkService
  /** Absent where the connection is no WebSocket. */
  subscriptions?: SubscriptionCalls
}

type OwnAnswer = { reply: LocalAnswer; upstream: string; cache: CacheStatus }

export const NO_UPSTREAM = 'none'

const SOLANA_METHODS: ReadonlySet<string> = new Set(['getProgramAccounts', 'getProgramAccountsV2'])

export function isLocalMethod({ network }: NetworkService, method: string): boolean {
  return network.kind === 'solana' && SOLANA_METHODS.has(method)
}

/** Asks the engine of ours that has the method; null where a node is to be asked. */
export function askOwnEngine(
  { local }: { local: LocalMethods | null },
  { caller, service, subscriptions }: Asking,
  { isSubscription }: Method,
  call: SubscriptionCall,
): OwnAnswer | Promise<OwnAnswer> | null {
  if (isSubscription) {
    const words = `${call.method} is served over WebSocket alone.`
    const reply = subscriptions?.serve(call) ?? subscriptionError(NO_SUCH_METHOD, words)
    return reply instanceof Promise ? reply.then(ownAnswer) : ownAnswer(reply)
  }
  const { method, paramsText } = call
  if (local === null || !isLocalMethod(service, method)) return null
  return local.serve(service, method, paramsText, caller.app.teamId).then(ownAnswer)
}

function ownAnswer(reply: LocalAnswer): OwnAnswer {
  const { upstream } = reply
  const cache = reply.kind === 'error' ? 'miss' : reply.cache
  return { reply, upstream: upstream ?? NO_UPSTREAM, cache }
}
