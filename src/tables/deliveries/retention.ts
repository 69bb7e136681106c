import { assert } from '../../core/errors.ts'
import { type Database, type Procedure, sql } from '../../ports/database.ts'
import { growLog, logBytes, logBytesOf, REST } from '../usage/log-bytes.ts'
import { doneOf, type RemovedDelivery, removeDone } from './deliveries.ts'
import { type DeliveryKey, isOfEvent, keyOf, stateOf } from './delivery.ts'
import { type DoneEntry, unlistDone } from './done-deliveries.ts'
import { dropEvent, eventAfter, findNetwork } from './events.ts'
import { dropResults } from './results.ts'
import { allBacklogBytes } from './team-backlogs.ts'

export type Retention = {
  /** Deliveries done before this moment are removed. */
  olderThanMs: number
  /** When the log holds more of what is done, the oldest go whatever their age. */
  bytesMax: number
  /** At once: others wait meanwhile. */
  rowsMax: number
}

/** A delivery that retention comes back for, since it was not done when its event's turn was. */
type LateDelivery = DeliveryKey & { doneAtMs: number }

export type Removal = { network: string; deliveries: number; bytes: number; attemptsBytes: number }

const INSERT_LATE = sql`
  INSERT INTO late_deliveries (done_at_ms, event, webhook) VALUES (${null}, ${null}, ${null})
  ON CONFLICT (done_at_ms, event, webhook) DO NOTHING`

/**
 * Removes what is old by whole days, where the store has days: a step of it, with the number of
 * deliveries removed. Else there is nothing to do, and old events are gone through one by one.
 */
export const dropOldDays: Procedure<
  [nowMs: number, beforeMs: number],
  { removed: number; eventsBeforeMs: number }
> = {
  name: 'dropOldDays',
  run: async (_tx, [, beforeMs]) => ({ removed: 0, eventsBeforeMs: beforeMs }),
}

const FOR_EVER_MS = Number.MAX_SAFE_INTEGER

/**
 * Removes what was delivered or cancelled, the oldest first, with the results that nothing
 * carries any more. Never what waits or has failed. It goes event by event, and comes back for
 * what is done later. The number of deliveries removed, which is 0 only when nothing is left to
 * remove, and more than `rowsMax` when the last event had many.
 */
export async function pruneDelivered(
  db: Database,
  retention: Retention,
  eventsBeforeMs = retention.olderThanMs,
): Promise<number> {
  for (;;) {
    const { removed, isOver } = await db.perform(pruneOldest, [retention, eventsBeforeMs])
    if (removed > 0 || isOver) return removed
  }
}

export const pruneOldest: Procedure<
  [Retention, eventsBeforeMs: number],
  { removed: number; isOver: boolean }
> = {
  name: 'pruneOldest',
  async run(tx, [{ olderThanMs, bytesMax, rowsMax }, eventsBeforeMs]) {
    // Two who remove at the same time would take each other's mark back. PostgreSQL locks a row
    // that is written, even with what it holds; SQLite has one writer.
    await tx.query(sql`UPDATE retention SET event = event WHERE id = 1`)
    // Undelivered results stay, so none of them counts: else the backlog of one team would take
    // the log of all others.
    let surplus = (await logBytes(tx)) - (await allBacklogBytes(tx)) - bytesMax
    const removals: Removal[] = []
    let removed = 0
    let isOver = false
    // Events of which nothing can be removed count as well: they take time too.
    while (removals.length < rowsMax && removed < rowsMax) {
      const removal =
        surplus > 0
          ? await removeNext(tx, FOR_EVER_MS, FOR_EVER_MS)
          : await removeNext(tx, olderThanMs, eventsBeforeMs)
      isOver = removal === null
      if (!removal) break
      removals.push(removal)
      removed += removal.deliveries
      surplus -= logBytesOf([removal], removal.deliveries) + removal.attemptsBytes
    }
    await shrinkLog(tx, removals)
    return { removed, isOver }
  },
}

/** Removes what was done first; null when nothing is old enough. */
async function removeNext(
  tx: Database,
  beforeMs: number,
  eventsBeforeMs: number,
): Promise<Removal | null> {
  const [late, next] = [await firstLate(tx), await eventAfter(tx, await retentionMark(tx))]
  if (late && (!next || late.doneAtMs <= next.created_at_ms)) {
    return late.doneAtMs < beforeMs ? pruneLate(tx, late) : null
  }
  if (!next || next.created_at_ms >= eventsBeforeMs) return null

  const { event, network } = next
  const isOld = sql`${isOfEvent('deliveries', event)} AND done_at_ms < ${beforeMs}`
  const gone = await removeDone(tx, isOld)
  await tx.query(sql`UPDATE retention SET event = ${event} WHERE id = 1`)
  await noteLate(tx, await doneOf(tx, event))
  return finish(tx, network, event, gone)
}

async function pruneLate(tx: Database, late: LateDelivery): Promise<Removal> {
  const { doneAtMs, event, webhook } = late
  await tx.query(sql`
    DELETE FROM late_deliveries
    WHERE done_at_ms = ${doneAtMs} AND event = ${event} AND webhook = ${webhook}`)
  const network = await findNetwork(tx, event)
  // It may have been sent anew since: then it is noted again when it is done again.
  const isSame = sql`key = ${keyOf(event, webhook)} AND done_at_ms = ${doneAtMs}`
  return finish(tx, network ?? '', event, await removeDone(tx, isSame))
}

async function finish(
  tx: Database,
  network: string,
  event: number,
  gone: readonly RemovedDelivery[],
): Promise<Removal> {
  if (gone.length === 0) return { network, deliveries: 0, bytes: 0, attemptsBytes: 0 }
  const entries = gone.map(({ webhook, state }) => ({ event, webhook, state: stateOf(state) }))
  await unlistDone(tx, entries as DoneEntry[])
  const bytes = await dropResults(tx, event)
  await dropEvent(tx, event)
  const attemptsBytes = gone.reduce((sum, one) => sum + one.attemptsBytes, 0)
  return { network, deliveries: gone.length, bytes, attemptsBytes }
}

export async function shrinkLog(tx: Database, removals: readonly Removal[]): Promise<void> {
  // In order: two who lock the same rows in the same order cannot block each other.
  for (const network of [...new Set(removals.map((one) => one.network))].sort()) {
    const here = removals.filter((one) => one.network === network)
    const deliveries = here.reduce((sum, one) => sum + one.deliveries, 0)
    await growLog(tx, network, -logBytesOf(here, deliveries))
  }
  const attemptsBytes = removals.reduce((sum, one) => sum + one.attemptsBytes, 0)
  await growLog(tx, REST, -attemptsBytes)
}

/** Notes those of the deliveries, which are done, whose event retention has passed. */
export async function noteLate(tx: Database, done: readonly LateDelivery[]): Promise<void> {
  if (done.length === 0) return
  const mark = await retentionMark(tx)
  const late = done.filter(({ event }) => event <= mark)
  if (late.length === 0) return
  const rows = late.map(({ doneAtMs, event, webhook }) => [doneAtMs, event, webhook])
  await tx.each(INSERT_LATE, rows)
}

export async function noteCancelledLate(tx: Database, webhook: number): Promise<void> {
  await tx.query(sql`
    INSERT INTO late_deliveries (done_at_ms, event, webhook)
    SELECT deliveries.done_at_ms, entries.event, entries.webhook
    FROM done_deliveries AS entries
      JOIN deliveries ON deliveries.key = entries.event * 16777216 + entries.webhook
    WHERE entries.webhook = ${webhook} AND entries.state = 3
      AND entries.event <= (SELECT event FROM retention WHERE id = 1)
    ON CONFLICT (done_at_ms, event, webhook) DO NOTHING`)
}

async function firstLate(tx: Database): Promise<LateDelivery | null> {
  const [first] = await tx.query<LateDelivery>(sql`
    SELECT done_at_ms AS "doneAtMs", event, webhook FROM late_deliveries
    ORDER BY done_at_ms, event, webhook LIMIT 1`)
  return first ?? null
}

/** The last event that was looked at. */
async function retentionMark(tx: Database): Promise<number> {
  const [mark] = await tx.query<{ event: number }>(sql`SELECT event FROM retention WHERE id = 1`)
  assert(mark !== undefined, 'the mark of retention is one row')
  return mark.event
}
