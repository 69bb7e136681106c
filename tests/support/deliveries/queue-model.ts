import type { Delivery, Lane } from '../../../src/tables/deliveries/delivery.ts'
import type { OutboxQuestion } from '../../../src/tables/deliveries/outbox.ts'

/** A delivery as the store has it. */
export type ModelDelivery = {
  delivery: Delivery
  state: 'waiting' | 'delivered'
  lane: 'new' | 'retry' | 'error'
  dueAtMs: number
}

/** The outbox of one webhook, written down in the plainest way. */
export type QueueModel = ReturnType<typeof queueModel>

export function queueModel() {
  const all = new Map<number, ModelDelivery>()
  let events = 0
  let lastSequence: number | null = null
  let isActive = true

  const waiting = (lanes: readonly string[]) =>
    [...all.values()].filter((one) => one.state === 'waiting' && lanes.includes(one.lane))

  return {
    all,
    /** A committed event with something for the webhook. */
    commit(kind: 'data' | 'error'): Delivery {
      const event = ++events
      const sequenceNumber = kind === 'data' ? 1000 + event : null
      const previousSequence = kind === 'data' ? lastSequence : null
      const delivery = aDelivery({ event, kind, sequenceNumber, previousSequence })
      if (sequenceNumber !== null) lastSequence = sequenceNumber
      const lane = kind === 'data' ? 'new' : 'error'
      all.set(event, { delivery, state: 'waiting', lane, dueAtMs: 0 })
      return delivery
    },
    /** Sent anew by hand: an attempt from before does not count. */
    renew(event: number, nowMs: number): void {
      const one = all.get(event)
      if (!one || one.lane === 'error') return
      const { version } = one.delivery
      one.delivery = { ...one.delivery, version: version + 1, attemptsMade: 0 }
      Object.assign(one, { state: 'waiting', lane: 'retry', dueAtMs: nowMs })
    },
    /** False when the outcome does not count. */
    settle(attempted: Delivery, next: 'delivered' | { dueAtMs: number }): boolean {
      const one = all.get(attempted.event)
      const { version, attemptsMade } = attempted
      const counts =
        one?.state === 'waiting' &&
        one.delivery.version === version &&
        one.delivery.attemptsMade === attemptsMade
      if (!one || !counts) return false
      one.delivery = { ...one.delivery, attemptsMade: attemptsMade + 1 }
      if (next === 'delivered') one.state = 'delivered'
      else if (one.lane === 'error') one.dueAtMs = next.dueAtMs
      else Object.assign(one, { lane: 'retry', dueAtMs: next.dueAtMs })
      return true
    },
    setActive(active: boolean): void {
      isActive = active
    },
    isActive: () => isActive,
    /** What the question finds now. */
    read({ lane, nowMs, limit, after = 0 }: OutboxQuestion): Delivery[] {
      if (!isActive && lane !== 'error') return []
      const byEvent = (a: ModelDelivery, b: ModelDelivery) => a.delivery.event - b.delivery.event
      const found = waiting(lane === 'ordered' ? ['new', 'retry'] : [lane]).sort(byEvent)
      if (lane === 'ordered') return due(found.slice(0, 1), nowMs)
      const later = found.filter(({ delivery }) => lane !== 'new' || delivery.event > after)
      return due(later, nowMs).slice(0, limit)
    },
    waitingIn: (...lanes: Lane[]) => waiting(lanes).map(({ delivery }) => delivery.event),
  }
}

function due(some: readonly ModelDelivery[], nowMs: number): Delivery[] {
  return some.filter(({ dueAtMs }) => dueAtMs <= nowMs).map(({ delivery }) => delivery)
}

export function aDelivery(differing: Partial<Delivery>): Delivery {
  return {
    event: 1,
    webhook: 1,
    id: `whevt_${differing.event}`,
    webhookId: 'wh_1',
    teamId: 'team_a',
    network: 'ETH_MAINNET',
    kind: 'data',
    sequenceNumber: null,
    previousSequence: null,
    blockNumber: null,
    blockHash: null,
    part: 0,
    dataBytes: 10,
    error: null,
    replay: false,
    createdAtMs: 0,
    version: 0,
    attemptsMade: 0,
    ...differing,
  }
}
