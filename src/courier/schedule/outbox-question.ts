import type { Delivery, Lane } from '../../tables/deliveries/delivery.ts'
import type { OutboxQuestion } from '../../tables/deliveries/outbox.ts'

/** The lanes that the outbox has; 'ordered' is a question to two of them. */
export type StoredLane = Exclude<Lane, 'ordered'>

/**
 * Deliveries of one lane on their way from the store, with their results. One lane of a queue
 * has at most one load, and nothing else of that lane starts meanwhile, to keep its order.
 */
export type Load = {
  readonly lane: Lane
  /** The question to the outbox; null when enough is prefetched. */
  readonly question: OutboxQuestion | null
  /** Deliveries of another lane than 'new', whose own are prefetched instead. */
  readonly found: Delivery[]
  /** Settled while the outbox was read, which may have seen them waiting. */
  readonly settled: Set<number>
}

/** Bounds what is prefetched for all webhooks together. */
export type PrefetchBudget = { used: number }

/** The state of a queue, as far as it decides what is read next. */
type Known = {
  unsettled: ReadonlySet<number>
  tail: { event: number } | null
  budget: PrefetchBudget
}

/** Reading 32 rows takes hardly longer than reading one, even if fewer may be sent now. */
const READ_ROWS = 32

const BUDGET_MAX = 20_000

export function isUsedUp({ used }: PrefetchBudget): boolean {
  return used >= BUDGET_MAX
}

/** Unsettled deliveries come along until the store knows better, so more rows are asked for. */
export function outboxQuestion(
  { unsettled, tail, budget }: Known,
  lane: Lane,
  slots: number,
  nowMs: number,
): OutboxQuestion {
  if (lane === 'ordered') return { lane, nowMs, limit: 1 }
  if (lane !== 'new') return { lane, nowMs, limit: slots + unsettled.size }
  const wanted = isUsedUp(budget) ? slots : READ_ROWS
  if (tail === null) return { lane, nowMs, limit: wanted + unsettled.size }
  return { lane, nowMs, limit: wanted, after: tail.event }
}

export function storedLanes(lane: Lane): readonly [StoredLane, ...StoredLane[]] {
  return lane === 'ordered' ? ['new', 'retry'] : [lane]
}
