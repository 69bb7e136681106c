import type { Truncation } from '../../core/query/output/outcome.ts'
import type { Database } from '../../ports/database.ts'

/** The result of one query on the block of one event. */
export type EventResult = { data: string; bytes: number; truncation: Truncation | null }

export type StoredResult = Pick<EventResult, 'data' | 'truncation'>

/** The result that a delivery carries; null when the log does not hold it any more. */
export async function findResult(
  db: Database,
  event: number,
  part: number,
): Promise<StoredResult | null> {
  throw new Error(`not written yet: ${db} ${event} ${part}`)
}
