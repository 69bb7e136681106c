import type { SpendGuard } from '../metering/spend-guard.ts'
import type { UsageMeter } from '../metering/usage-meter.ts'
import type { NetworkCall, NetworkService } from '../upstream/answers/ask-network.ts'
import type { Caller } from './app-directory.ts'
import { type DemoLimiter, demoClient } from './demo-limiter.ts'
import type { OwnEngines } from './local-methods.ts'
import type { MonotonicHeights } from './monotonic-heights.ts'
import type { UnreadBudget, UnreadReservation } from './unread-budget.ts'

export type ServeNeeds = {
  guard: SpendGuard
  meter: UsageMeter
  demo: DemoLimiter
  heights: MonotonicHeights
  answers: UnreadBudget
  /** Null passes every method on to a node. */
  local: OwnEngines['local']
  publicUrl: string
  /** Binds the ids of filters to their callers. */
  filterSecret: Uint8Array
}

/** One request, once its key and its network are known. */
export type RpcContext = {
  caller: Caller
  service: NetworkService
  clientAddress(): string
  isBatch: boolean
  /** The memory reserved for its answers until they are sent; null while they take none. */
  held: UnreadReservation | null
  /** Null where the caller named none. */
  trace: NetworkCall['trace']
  /** The subscriptions of its connection; absent where that is no WebSocket. */
  subscriptions?: OwnEngines['subscriptions']
}

/** The key `demo` is everybody's, so its filters and memory belong to the address that asks. */
export function callerName({
  caller,
  clientAddress,
}: Pick<RpcContext, 'caller' | 'clientAddress'>): string {
  const { id } = caller.app
  return caller.isDemo ? `${id} ${demoClient(clientAddress())}` : id
}
