import type { Lane } from '../../../src/tables/deliveries/delivery.ts'
import type { AttemptOutcome } from '../../../src/tables/deliveries/settle-deliveries.ts'

/** A delivery as someone would keep it who had no database, and no care for speed. */
export type ModelDelivery = {
  id: string
  event: number
  webhook: number
  isError: boolean
  state: 'waiting' | 'delivered' | 'failed' | 'cancelled'
  dueAtMs: number
  attemptsMade: number
  /** How often it was sent anew. */
  version: number
}

export type Model = {
  webhooks: Map<number, 'active' | 'paused' | 'deleted'>
  deliveries: Map<string, ModelDelivery>
}

/** The ids that are due; in the lane of retries the order is that of `dueAtMs` alone. */
export function modelWaiting(model: Model, webhook: number, lane: Lane, nowMs: number): string[] {
  const all = [...model.deliveries.values()]
  const waiting = all
    .filter((one) => one.webhook === webhook && one.state === 'waiting')
    .sort((a, b) => a.event - b.event)
  const isDue = (one: ModelDelivery) => isNew(one) || one.dueAtMs <= nowMs
  if (lane === 'error') {
    return waiting.filter((one) => one.isError && isDue(one)).map(({ id }) => id)
  }
  if (model.webhooks.get(webhook) !== 'active') return []

  const data = waiting.filter(({ isError }) => !isError)
  if (lane === 'ordered') {
    const [oldest] = data
    return oldest && isDue(oldest) ? [oldest.id] : []
  }
  const meant = data.filter((one) => isDue(one) && isNew(one) === (lane === 'new'))
  if (lane === 'retry') meant.sort((a, b) => a.dueAtMs - b.dueAtMs)
  return meant.map(({ id }) => id)
}

/** It waits for its first attempt, not for a moment. */
export function isNew({ isError, attemptsMade, version }: ModelDelivery): boolean {
  return !isError && attemptsMade === 0 && version === 0
}

/** True when the outcome counts. */
export function modelOutcome(model: Model, outcome: AttemptOutcome): boolean {
  const { event, webhook, next } = outcome
  const one = [...model.deliveries.values()].find(
    (delivery) => delivery.event === event && delivery.webhook === webhook,
  )
  if (!one || one.version !== outcome.version) return false
  if (one.attemptsMade !== outcome.attemptsMade) return false
  if (one.state !== 'waiting' && one.state !== 'cancelled') return false
  one.attemptsMade += 1
  if (next.kind === 'retry' && one.state === 'waiting') one.dueAtMs = next.dueAtMs
  if (next.kind === 'delivered') one.state = 'delivered'
  if (next.kind === 'failed' && one.state === 'waiting') one.state = 'failed'
  return true
}
