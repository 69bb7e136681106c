import type { Clock } from '../clock.ts'
import type { RequestHandler } from './fork/raw-chain.ts'

type Listener = { send(text: string): unknown }

/** Far above what wallets and followers on one machine open. */
const SUBSCRIPTIONS_MAX = 1_000

/** Events may overtake the answer that tells their subscription's id: a few blocks' worth wait. */
const EARLY_EVENTS_MAX = 64

export function subscriptions() {
  const listeners = new Map<string, Listener>()
  const early: { id: string; text: string }[] = []

  return {
    onEvent,
    claim,
    release,
    idsOf,
    ids: () => [...listeners.keys()],
    isFull: () => listeners.size >= SUBSCRIPTIONS_MAX,
  }

  function onEvent(subscriptionId: bigint, result: unknown): void {
    const id = `0x${subscriptionId.toString(16)}`
    const params = { subscription: id, result }
    const text = JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params })
    const listener = listeners.get(id)
    if (listener !== undefined) {
      listener.send(text)
      return
    }
    early.push({ id, text })
    if (early.length > EARLY_EVENTS_MAX) early.shift()
  }

  /** From here on the listener hears the subscription, first what was said in the meantime. */
  function claim(id: string, listener: Listener): void {
    listeners.set(id, listener)
    for (const event of early) if (event.id === id) listener.send(event.text)
  }

  function release(id: string): void {
    listeners.delete(id)
  }

  function idsOf(listener: Listener): string[] {
    return [...listeners].filter(([, owner]) => owner === listener).map(([id]) => id)
  }
}

/** Well within the five minutes after which EDR forgets a subscription that nobody asks about. */
const RENEW_MS = 60_000

/**
 * Keeps subscriptions alive for as long as somebody listens. EDR counts them among its filters,
 * which end when they are not asked for; asking also has it forget what it told long ago.
 */
export function renewSubscriptions(
  clock: Clock,
  chain: RequestHandler,
  ids: () => readonly string[],
): void {
  const renew = async () => {
    for (const id of ids()) {
      const request = { jsonrpc: '2.0', id: 1, method: 'eth_getFilterChanges', params: [id] }
      // One that has ended meanwhile is an error, and no loss.
      await chain.handleRequest(JSON.stringify(request)).catch(() => {})
    }
  }
  clock.every(RENEW_MS, () => void renew())
}
