import type { Rejection } from '../errors.ts'

/** A subscription call, such as `eth_subscribe` with `["newHeads"]` or `slotSubscribe`. */
export type SubscriptionCall = {
  method: string
  params: readonly unknown[]
  paramsText: string
}

/** The same, as its source is asked: whatever a source bounds, its callers' teams share. */
type TeamSubscriptionCall = SubscriptionCall & { team: string }

export type Subscriber = {
  /** Sends one notification; the text is its `result`, as JSON. Calls after the end are ignored. */
  notify(resultText: string): void
  /** The subscription has served its purpose, as that of a signature after its notification. */
  done(): void
  /** Something may be missing that cannot be made up for: the client must connect anew. */
  lost(reason: string): void
}

export type OpenSubscription = { close(): void }

/** Feeds the subscriptions of one network. A subscriber may be told before `subscribe` returns. */
export type SubscriptionSource = {
  /** A rejection names the parameter that is wrong, or says that nothing can serve it. */
  subscribe(
    call: TeamSubscriptionCall,
    subscriber: Subscriber,
  ): OpenSubscription | Rejection | Promise<OpenSubscription | Rejection>
}
