import { type Database, sql, sqlRows } from '../ports/database.ts'
import { dropResults } from './drop-results.ts'
import { ATTEMPTS, growLog, logBytes, logBytesOf } from './log-sizes.ts'
import { listChunks } from './statement-chunks.ts'

export type Retention = {
  /** What was done with before this moment goes. */
  olderThanMs: number
  /** When the log holds more, the oldest go whatever their age. */
  bytesMax: number
  /** At once: others wait meanwhile. */
  rowsMax: number
}

type DoneRow = {
  id: string
  network: string
  sequence_number: number | null
  part: number | null
  data_bytes: number
  attempts_bytes: number
  done_at_ms: number
}

/**
 * Removes what was delivered or cancelled, the oldest first, with the results that nothing
 * refers to any more. Never what waits or has failed. The number of deliveries removed: as
 * long as it is `rowsMax`, there may be more.
 */
export function pruneDelivered(db: Database, retention: Retention): Promise<number> {
  return db.transaction(async (tx) => {
    const oldest = await tx.query<DoneRow>(sql`
      SELECT id, network, sequence_number, part, data_bytes, attempts_bytes, done_at_ms
      FROM deliveries WHERE state IN ('delivered', 'cancelled')
      ORDER BY done_at_ms LIMIT ${retention.rowsMax}`)
    const surplus = (await logBytes(tx)) - retention.bytesMax
    const ids = chooseRows(oldest, retention.olderThanMs, surplus)
    const removed = await removeRows(tx, ids)
    await shrinkLog(tx, removed)
    return removed.length
  })
}

/** Those that are too old, and as many more as have to go for the log to fit. */
function chooseRows(oldest: readonly DoneRow[], olderThanMs: number, surplus: number): string[] {
  const ids: string[] = []
  const results = new Set<string>()
  let freedBytes = 0
  for (const row of oldest) {
    if (row.done_at_ms >= olderThanMs && freedBytes >= surplus) break
    ids.push(row.id)
    freedBytes += logBytesOf([], 1) + row.attempts_bytes
    // Others may still refer to it; then the next call goes on.
    const result = JSON.stringify([row.network, row.sequence_number, row.part])
    if (!results.has(result)) freedBytes += row.data_bytes
    results.add(result)
  }
  return ids
}

async function removeRows(tx: Database, ids: readonly string[]): Promise<DoneRow[]> {
  const removed: DoneRow[] = []
  for (const chunk of listChunks(ids)) {
    // Asked again, since one may have been sent anew meanwhile.
    const rows = await tx.query<DoneRow>(sql`
      DELETE FROM deliveries
      WHERE id IN ${sqlRows([chunk])} AND state IN ('delivered', 'cancelled')
      RETURNING id, network, sequence_number, part, data_bytes, attempts_bytes, done_at_ms`)
    removed.push(...rows)
  }
  return removed
}

async function shrinkLog(tx: Database, removed: readonly DoneRow[]): Promise<void> {
  const keys = removed.flatMap(({ network, sequence_number, part }) =>
    sequence_number === null || part === null
      ? []
      : [{ network, sequenceNumber: sequence_number, part }],
  )
  const results = await dropResults(tx, keys)
  // In order: two who lock the same rows in the same order cannot block each other.
  for (const network of [...new Set(removed.map((row) => row.network))].sort()) {
    const here = (row: { network: string }) => row.network === network
    const bytes = logBytesOf(results.filter(here), removed.filter(here).length)
    await growLog(tx, network, -bytes)
  }
  const attemptsBytes = removed.reduce((sum, row) => sum + row.attempts_bytes, 0)
  await growLog(tx, ATTEMPTS, -attemptsBytes)
}
