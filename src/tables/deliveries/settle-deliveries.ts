import type { Database } from '../../ports/database.ts'
import type { AttemptFacts } from './attempt-facts.ts'
import type { DeliveryKey } from './delivery.ts'
import type { Fence } from './shards.ts'

/** What became of one attempt. */
export type Outcome = DeliveryKey & {
  /** It only counts while the delivery has this version and has made no other attempt. */
  version: number
  attemptsMade: number
  teamId: string
  /** Bytes of its result, by which the team's backlog shrinks; null for an error. */
  dataBytes: number | null
  next: { kind: 'delivered' } | { kind: 'retry'; dueAtMs: number } | { kind: 'failed' }
  attempt: AttemptFacts
  bodyBytes: number
  /** What it costs; only with `delivered`. */
  bill: Bill | null
}

export type Bill = {
  teamId: string
  appId: string | null
  network: string
  centiCu: number
  bytes: number
}

/**
 * Writes what became of attempts, with the bill, in one transaction; the indexes of the
 * outcomes that held. For the others nothing is written or billed: one that comes too late, or
 * that was written before without its commit being heard of, changes nothing. 'fenced' when the
 * token is not the courier's any more: then nothing at all is written.
 */
export async function settleDeliveries(
  db: Database,
  fence: Fence,
  outcomes: readonly Outcome[],
): Promise<ReadonlySet<number> | 'fenced'> {
  throw new Error(`not written yet: ${db} ${fence} ${outcomes}`)
}
