import type { Lane } from '../../src/tables/deliveries/delivery-claims.ts'
import type { AttemptOutcome } from '../../src/tables/deliveries/delivery-outcomes.ts'

/** A delivery as someone would keep it who had no database, and no care for speed. */
export type ModelDelivery = {
  id: string
  webhookId: string
  /** Null for errors. */
  sequenceNumber: number | null
  state: 'waiting' | 'delivered' | 'failed' | 'cancelled'
  dueAtMs: number
  attemptsMade: number
  /** Resent by hand, or by a replay. */
  again: boolean
  lease: string | null
  leaseUntilMs: number
}

export type Model = {
  webhooks: Map<string, 'active' | 'paused' | 'deleted'>
  deliveries: Map<string, ModelDelivery>
}

/** The ids that are ready; in the lane of retries the order is that of `dueAtMs` alone. */
export function modelReady(model: Model, webhookId: string, lane: Lane, nowMs: number): string[] {
  const waiting = [...model.deliveries.values()].filter(
    (one) => one.webhookId === webhookId && one.state === 'waiting',
  )
  const isReady = (one: ModelDelivery) => isDue(one, nowMs) && one.leaseUntilMs <= nowMs
  if (lane === 'errors') {
    return waiting.filter((one) => one.sequenceNumber === null && isReady(one)).map(({ id }) => id)
  }
  if (model.webhooks.get(webhookId) !== 'active') return []

  const data = waiting
    .filter(({ sequenceNumber }) => sequenceNumber !== null)
    .sort((a, b) => (a.sequenceNumber ?? 0) - (b.sequenceNumber ?? 0))
  if (lane === 'ordered')
    return data
      .slice(0, 1)
      .filter(isReady)
      .map(({ id }) => id)

  const ready = data.filter((one) => isReady(one) && isRetry(one) === (lane === 'retry'))
  if (lane === 'retry') ready.sort((a, b) => a.dueAtMs - b.dueAtMs)
  return ready.map(({ id }) => id)
}

/** It waits for its first attempt, not for a moment. */
export function isNew(one: ModelDelivery): boolean {
  return one.sequenceNumber !== null && !isRetry(one)
}

function isRetry({ attemptsMade, again }: ModelDelivery): boolean {
  return attemptsMade > 0 || again
}

/** What is new is due at once. */
function isDue(one: ModelDelivery, nowMs: number): boolean {
  return one.dueAtMs <= nowMs || (one.sequenceNumber !== null && !isRetry(one))
}

export function modelClaim(
  model: Model,
  ids: readonly string[],
  lease: string,
  nowMs: number,
  untilMs: number,
): Set<string> {
  const claimed = ids.filter((id) => {
    const one = model.deliveries.get(id)
    if (one?.state !== 'waiting' || one.leaseUntilMs > nowMs || !isDue(one, nowMs)) return false
    return one.sequenceNumber === null || model.webhooks.get(one.webhookId) === 'active'
  })
  for (const id of claimed) {
    Object.assign(model.deliveries.get(id) ?? {}, { lease, leaseUntilMs: untilMs })
  }
  return new Set(claimed)
}

/** True when the lease held. */
export function modelOutcome(model: Model, { id, lease, next }: AttemptOutcome): boolean {
  const one = model.deliveries.get(id)
  if (!one || one.lease !== lease) return false
  if (one.state !== 'waiting' && one.state !== 'cancelled') return false
  one.lease = null
  one.leaseUntilMs = 0
  if (next.kind !== 'released') one.attemptsMade += 1
  if ('dueAtMs' in next) one.dueAtMs = next.dueAtMs
  if (next.kind === 'delivered') one.state = 'delivered'
  else if (next.kind === 'failed' && one.state === 'waiting') one.state = 'failed'
  return true
}
