import { type Database, sql, sqlRows } from '../../ports/database.ts'
import { listChunks } from '../sql/statement-chunks.ts'
import { allBacklogBytes } from '../usage/team-backlogs.ts'
import { dropResults } from './drop-results.ts'
import { ATTEMPTS, growLog, logBytes, logBytesOf } from './log-sizes.ts'
import {
  type DoneDeliveries,
  type DoneEvent,
  openDoneEvents,
  removeSheets,
} from './sheets/sheet-retention.ts'

export type Retention = {
  /** What was done with before this moment goes. */
  olderThanMs: number
  /** When the log holds more of what is done with, the oldest go whatever their age. */
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

type Chosen = { ids: string[]; events: DoneEvent[] }

/**
 * Removes what was delivered or cancelled, the oldest first, with the results that nothing
 * refers to any more. Never what waits or has failed. What stands on sheets goes event by event.
 * The number of deliveries removed: as long as it is `rowsMax`, or more because the last event
 * had many, there may be more.
 */
export function pruneDelivered(db: Database, retention: Retention): Promise<number> {
  return db.transaction(async (tx) => {
    const oldest = await tx.query<DoneRow>(sql`
      SELECT id, network, sequence_number, part, data_bytes, attempts_bytes, done_at_ms
      FROM deliveries WHERE state IN ('delivered', 'cancelled')
      ORDER BY done_at_ms LIMIT ${retention.rowsMax}`)
    // What nobody has accepted stays, so that none of it counts: else the backlog of one team
    // would take the log of all others.
    const doneBytes = (await logBytes(tx)) - (await allBacklogBytes(tx))
    const surplus = doneBytes - retention.bytesMax
    const { ids, events } = await choose(tx, oldest, surplus, retention)
    const rows = await removeRows(tx, ids)
    await removeSheets(tx, events)
    const gone = [...rows.map(doneOf), ...events]
    await shrinkLog(tx, gone)
    return gone.reduce((sum, { deliveries }) => sum + deliveries, 0)
  })
}

/** Those that are too old, and as many more as have to go for the log to fit. */
async function choose(
  tx: Database,
  oldest: readonly DoneRow[],
  surplus: number,
  { olderThanMs, rowsMax }: Retention,
): Promise<Chosen> {
  const onSheets = await openDoneEvents(
    tx,
    (createdAtMs) => createdAtMs < olderThanMs || surplus > 0,
  )
  const chosen: Chosen = { ids: [], events: [] }
  const results = new Set<string>()
  let freedBytes = 0
  // Events whose deliveries were all moved count as well: they take time too.
  for (let count = 0; count < rowsMax; ) {
    const row = oldest[chosen.ids.length]
    const event = onSheets.peek()
    const isRow = row !== undefined && (!event || row.done_at_ms < event.doneAtMs)
    const next = isRow ? doneOf(row) : event
    if (!next || (next.doneAtMs >= olderThanMs && freedBytes >= surplus)) break

    count += Math.max(next.deliveries, 1)
    freedBytes += logBytesOf([], next.deliveries) + next.attemptsBytes
    // Others may still refer to it; then the next call goes on.
    for (const { network, sequenceNumber, part, bytes } of next.results) {
      const result = JSON.stringify([network, sequenceNumber, part])
      if (!results.has(result)) freedBytes += bytes
      results.add(result)
    }
    if (isRow) chosen.ids.push(row.id)
    if (isRow || !event) continue
    chosen.events.push(event)
    await onSheets.take(event)
  }
  return chosen
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

async function shrinkLog(tx: Database, gone: readonly DoneDeliveries[]): Promise<void> {
  const results = await dropResults(
    tx,
    gone.flatMap((one) => one.results),
  )
  // In order: two who lock the same rows in the same order cannot block each other.
  for (const network of [...new Set(gone.map((one) => one.network))].sort()) {
    const here = (one: { network: string }) => one.network === network
    const deliveries = gone.filter(here).reduce((sum, one) => sum + one.deliveries, 0)
    await growLog(tx, network, -logBytesOf(results.filter(here), deliveries))
  }
  const attemptsBytes = gone.reduce((sum, one) => sum + one.attemptsBytes, 0)
  await growLog(tx, ATTEMPTS, -attemptsBytes)
}

function doneOf(row: DoneRow): DoneDeliveries {
  const { network, sequence_number: sequenceNumber, part, data_bytes: bytes } = row
  return {
    network,
    doneAtMs: row.done_at_ms,
    deliveries: 1,
    attemptsBytes: row.attempts_bytes,
    results:
      sequenceNumber === null || part === null ? [] : [{ network, sequenceNumber, part, bytes }],
  }
}
