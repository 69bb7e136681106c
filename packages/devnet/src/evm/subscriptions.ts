type Listener = { send(text: string): unknown }

/** Far above what wallets and followers on one machine open. */
const SUBSCRIPTIONS_MAX = 1_000

/** Events may overtake the answer that tells their subscription's id: a few blocks' worth wait. */
const EARLY_EVENTS_MAX = 64

/** The listeners of the chain's subscriptions. */
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
