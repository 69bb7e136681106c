import type { SubscriptionCall } from '../../core/rpc/subscription-source.ts'

/** The answer to a subscription call, in the form of those of local methods. */
export type SubscriptionReply =
  | { kind: 'result'; text: string; upstream: 'none'; cache: 'miss' }
  | { kind: 'error'; code: number; text: string; upstream: null }

export type SubscriptionCalls = {
  serve(call: SubscriptionCall): SubscriptionReply | Promise<SubscriptionReply>
}

export function subscriptionResult(text: string): SubscriptionReply {
  return { kind: 'result', text, upstream: 'none', cache: 'miss' }
}

/** An error of ours, which costs nothing. */
export function subscriptionError(code: number, message: string): SubscriptionReply {
  return { kind: 'error', code, text: JSON.stringify({ code, message }), upstream: null }
}
