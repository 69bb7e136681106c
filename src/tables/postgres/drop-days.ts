import { assert } from '../../core/errors.ts'
import { type Database, type Sql, sql } from '../../ports/database.ts'
import { type dropOldDays, type Removal, shrinkLog } from '../deliveries/retention.ts'
import {
  attach,
  beginDay,
  dayOf,
  lastEventOf,
  PARTITIONED,
  partitionOf,
  statement,
} from './event-days.ts'

type DayTables = Record<(typeof PARTITIONED)[number]['table'], Sql>

/** Others wait for a table that is to be dropped, so we do not wait long for it ourselves. */
const LOCK_TIMEOUT = '3s'

/** Deliveries that retention removes. */
const isGone = (beforeMs: number) =>
  sql`deliveries.state IN (1, 3) AND deliveries.done_at_ms < ${beforeMs}`

/**
 * Removes what was delivered or cancelled of the oldest day, once all of it is old enough, by
 * dropping the day's partitions. What waits, has failed or was done later is moved into new ones
 * before. Nothing else has to go by its age, except what is done late.
 */
export const dropOldDaysOnPostgres: typeof dropOldDays = {
  name: 'dropOldDays',
  async run(tx, [nowMs, beforeMs]) {
    await beginDay(tx, nowMs)
    const days = await tx.query<{ day: number }>(sql`
      SELECT day FROM event_days WHERE is_pruned = 0 AND day < ${dayOf(nowMs)}
      ORDER BY day FOR UPDATE SKIP LOCKED`)
    for (const { day } of days) {
      const removed = await pruneDay(tx, day, beforeMs)
      if (removed === null) break
      if (removed > 0) return { removed, eventsBeforeMs: 0 }
    }
    await dropEmptyDays(tx)
    return { removed: 0, eventsBeforeMs: 0 }
  },
}

/** The number of deliveries that were removed; null when the day is not old enough. */
async function pruneDay(tx: Database, day: number, beforeMs: number): Promise<number | null> {
  const of = tablesOf(day, '')
  if (!(await isOldEnough(tx, of, beforeMs))) return null
  await lockDay(tx, of)
  if (!(await isOldEnough(tx, of, beforeMs))) return null

  const gone = await goneOf(tx, of, beforeMs)
  const kept = await keepRest(tx, day, beforeMs)
  await noteDoneLate(tx, day, kept, beforeMs)
  await shrinkLog(tx, [...gone, ...(await droppedBytes(tx, of, kept))])
  await tx.query(sql`
    UPDATE retention SET event = ${lastEventOf(day)} WHERE id = 1 AND event < ${lastEventOf(day)}`)
  await replaceDay(tx, day)
  await tx.query(sql`UPDATE event_days SET is_pruned = 1 WHERE day = ${day}`)
  return gone.reduce((sum, { deliveries }) => sum + deliveries, 0)
}

/** By the events: a day may have begun late, or have had too many for its numbers. */
async function isOldEnough(tx: Database, of: DayTables, beforeMs: number): Promise<boolean> {
  const [newest] = await tx.query<{ at: number | null }>(sql`
    SELECT MAX(created_at_ms) AS at FROM ${of.events}`)
  return (newest?.at ?? 0) < beforeMs
}

/** Nobody writes to the day until we commit; to read is free. */
async function lockDay(tx: Database, of: DayTables): Promise<void> {
  await tx.query(statement(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`))
  await tx.query(sql`
    LOCK TABLE ${of.events}, ${of.results}, ${of.deliveries}, ${of.done_deliveries}
    IN SHARE ROW EXCLUSIVE MODE`)
}

function goneOf(tx: Database, of: DayTables, beforeMs: number): Promise<Removal[]> {
  return tx.query(sql`
    SELECT events.network, CAST(SUM(gone.deliveries) AS BIGINT) AS deliveries,
      CAST(0 AS BIGINT) AS bytes, CAST(SUM(gone.attempts) AS BIGINT) AS "attemptsBytes"
    FROM (
      SELECT key / 16777216 AS event, COUNT(*) AS deliveries, SUM(attempts_bytes) AS attempts
      FROM ${of.deliveries} AS deliveries WHERE ${isGone(beforeMs)} GROUP BY key / 16777216
    ) AS gone JOIN ${of.events} AS events ON events.event = gone.event
    GROUP BY events.network`)
}

/** Copies what stays into tables of its own, which are small when receivers are well. */
async function keepRest(tx: Database, day: number, beforeMs: number): Promise<DayTables> {
  const [of, kept] = [tablesOf(day, ''), tablesOf(day, '_kept')]
  for (const { table } of PARTITIONED) {
    await tx.query(
      statement(`CREATE TABLE ${nameOf(table, day, '_kept')} (LIKE ${table} INCLUDING ALL)`),
    )
  }
  await tx.query(sql`
    INSERT INTO ${kept.deliveries}
    SELECT * FROM ${of.deliveries} AS deliveries WHERE NOT (${isGone(beforeMs)})`)
  await tx.query(sql`
    INSERT INTO ${kept.results}
    SELECT * FROM ${of.results} WHERE key IN (
      SELECT key - key % 16777216 + part FROM ${kept.deliveries} WHERE part IS NOT NULL)`)
  await tx.query(sql`
    INSERT INTO ${kept.events}
    SELECT * FROM ${of.events} WHERE event IN (SELECT key / 16777216 FROM ${kept.deliveries})`)
  await tx.query(sql`
    INSERT INTO ${kept.done_deliveries}
    SELECT * FROM ${of.done_deliveries} WHERE event * 16777216 + webhook IN (
      SELECT key FROM ${kept.deliveries})`)
  return kept
}

/** Retention comes back for what was done too late for this time. */
async function noteDoneLate(
  tx: Database,
  day: number,
  kept: DayTables,
  beforeMs: number,
): Promise<void> {
  await tx.query(sql`
    DELETE FROM late_deliveries WHERE done_at_ms < ${beforeMs}
      AND event > ${lastEventOf(day - 1)} AND event <= ${lastEventOf(day)}`)
  await tx.query(sql`
    INSERT INTO late_deliveries (done_at_ms, event, webhook)
    SELECT done_at_ms, key / 16777216, key % 16777216 FROM ${kept.deliveries}
    WHERE state IN (1, 3) ON CONFLICT (done_at_ms, event, webhook) DO NOTHING`)
}

function droppedBytes(tx: Database, of: DayTables, kept: DayTables): Promise<Removal[]> {
  return tx.query(sql`
    SELECT events.network, CAST(0 AS BIGINT) AS deliveries,
      CAST(SUM(dropped.bytes) AS BIGINT) AS bytes, CAST(0 AS BIGINT) AS "attemptsBytes"
    FROM (
      SELECT key / 16777216 AS event, SUM(bytes) AS bytes FROM ${of.results}
      WHERE key NOT IN (SELECT key FROM ${kept.results}) GROUP BY key / 16777216
    ) AS dropped JOIN ${of.events} AS events ON events.event = dropped.event
    GROUP BY events.network`)
}

async function replaceDay(tx: Database, day: number): Promise<void> {
  for (const { table } of PARTITIONED) await dropPartition(tx, table, day)
  for (const partitioned of PARTITIONED) {
    const { table } = partitioned
    const name = partitionOf(table, day)
    await tx.query(statement(`ALTER TABLE ${nameOf(table, day, '_kept')} RENAME TO ${name}`))
    await attach(tx, partitioned, name, day)
  }
}

async function dropEmptyDays(tx: Database): Promise<void> {
  const days = await tx.query<{ day: number }>(sql`
    SELECT day FROM event_days WHERE is_pruned = 1 ORDER BY day FOR UPDATE SKIP LOCKED`)
  for (const { day } of days) {
    const of = tablesOf(day, '')
    const left = await tx.query(sql`SELECT event FROM ${of.events} LIMIT 1`)
    if (left.length > 0) continue
    await lockDay(tx, of)
    const missed = await tx.query(sql`SELECT key FROM ${of.deliveries} LIMIT 1`)
    assert(missed.length === 0, 'a delivery has an event')
    for (const { table } of PARTITIONED) await dropPartition(tx, table, day)
    await tx.query(sql`DELETE FROM event_days WHERE day = ${day}`)
  }
}

async function dropPartition(
  tx: Database,
  table: (typeof PARTITIONED)[number]['table'],
  day: number,
): Promise<void> {
  const name = partitionOf(table, day)
  await tx.query(statement(`ALTER TABLE ${table} DETACH PARTITION ${name}`))
  await tx.query(statement(`DROP TABLE ${name}`))
}

function tablesOf(day: number, suffix: '' | '_kept'): DayTables {
  const named = PARTITIONED.map(({ table }) => [table, statement(nameOf(table, day, suffix))])
  return Object.fromEntries(named) as DayTables
}

function nameOf(table: (typeof PARTITIONED)[number]['table'], day: number, suffix: string) {
  return `${partitionOf(table, day)}${suffix}`
}
