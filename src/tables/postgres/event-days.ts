import { assert } from '../../core/errors.ts'
import { type Database, type Sql, sql } from '../../ports/database.ts'

/** Days are counted from here: 22 years of them fit into the numbers of events. */
const FIRST_DAY_MS = Date.UTC(2026, 0, 1)
const DAY_MS = 86_400_000

/** Numbers for the events of one day. A day with more goes on in those of the next. */
const EVENTS_A_DAY = 2 ** 26

/** Keys of deliveries and results have the event in front of so many of their own. */
const KEYS_AN_EVENT = 2n ** 24n

export const PARTITIONED = [
  { table: 'events', by: 'event', storage: '' },
  // Results of some kilobytes lie with their rows: to compress or to cut them takes longer.
  { table: 'results', by: 'key', storage: 'WITH (toast_tuple_target = 8160)' },
  // Each is written once more, three times as long, when it is done: on the same page that touches
  // no index.
  { table: 'deliveries', by: 'key', storage: 'WITH (fillfactor = 30)' },
  { table: 'done_deliveries', by: 'event', storage: '' },
] as const

type Partitioned = (typeof PARTITIONED)[number]

/** Partitions are made ahead of their day, so that one that begins late finds its own. */
const DAYS_AHEAD = 2

export function dayOf(nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - FIRST_DAY_MS) / DAY_MS))
}

/** The day whose numbers an event has. */
export function dayOfEvent(event: number): number {
  return Math.floor(event / EVENTS_A_DAY)
}

/** The number of the day's last event, or of one before it. */
export function lastEventOf(day: number): number {
  return (day + 1) * EVENTS_A_DAY - 1
}

/**
 * Makes the partitions of a day and of those after it, and has events numbered from the day's
 * first number on. Nothing happens when the day has begun already.
 */
export async function beginDay(tx: Database, nowMs: number): Promise<void> {
  const day = dayOf(nowMs)
  const begun = await tx.query(sql`
    SELECT day FROM event_days WHERE has_begun = 1 AND day >= ${day} LIMIT 1`)
  if (begun.length > 0) return
  for (let next = day; next <= day + DAYS_AHEAD; next++) await makeDay(tx, next)
  const mine = await tx.query(sql`
    UPDATE event_days SET has_begun = 1 WHERE day = ${day} AND has_begun = 0 RETURNING day`)
  if (mine.length === 0) return
  const first = Math.max(1, day * EVENTS_A_DAY)
  // The numbers of a day with too many events may be ahead of the next day's first.
  await tx.query(sql`
    SELECT setval('event_numbers', ${first}, false) FROM event_numbers
    WHERE last_value < ${first}`)
}

/** Makes the partitions of a day, unless it has them. */
export async function makeDay(tx: Database, day: number): Promise<void> {
  // The second to come waits here until the first has committed.
  const mine = await tx.query(sql`
    INSERT INTO event_days (day, has_begun, is_pruned) VALUES (${day}, 0, 0)
    ON CONFLICT (day) DO NOTHING RETURNING day`)
  if (mine.length === 0) return
  for (const partitioned of PARTITIONED) {
    const { table, storage } = partitioned
    const name = partitionOf(table, day)
    await tx.query(statement(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL) ${storage}`))
    await attach(tx, partitioned, name, day)
  }
}

/** To attach a table, unlike to create it as a partition, holds up nobody who writes. */
export async function attach(
  tx: Database,
  { table, by }: Partitioned,
  name: string,
  day: number,
): Promise<void> {
  const [from, to] = [boundOf(by, day), boundOf(by, day + 1)]
  await tx.query(
    statement(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`),
  )
}

export function partitionOf(table: Partitioned['table'], day: number): string {
  assert(Number.isSafeInteger(day) && day >= 0, 'a day is counted from the first')
  return `${table}_${day}`
}

/** A statement with names and bounds of ours, which cannot be parameters. */
export function statement(text: string): Sql {
  return { parts: [text], values: [] }
}

function boundOf(by: Partitioned['by'], day: number): bigint {
  const event = BigInt(day) * BigInt(EVENTS_A_DAY)
  return by === 'event' ? event : event * KEYS_AN_EVENT
}
