import { type Database, sql } from '../../ports/database.ts'
import { dayOfEvent, makeDay } from '../postgres/event-days.ts'

/** The number below which none is given to an event any more. */
export async function lastEventNumber(db: Database, engine: StoreEngine): Promise<number> {
  const given =
    engine === 'sqlite'
      ? sql`SELECT seq AS event FROM sqlite_sequence WHERE name = 'events'`
      : sql`SELECT last_value AS event FROM event_numbers`
  const [last] = await db.query<{ event: number | null }>(sql`
    SELECT MAX(event) AS event FROM (
      ${given} UNION ALL SELECT event FROM retention UNION ALL SELECT MAX(event) FROM events
    ) AS numbers`)
  return last?.event ?? 0
}

/** The two engines of stores. */
export type StoreEngine = 'sqlite' | 'postgres'

/** Has the events of a store that was moved into numbered after those of its source. */
export async function continueNumbers(
  tx: Database,
  engine: StoreEngine,
  last: number,
): Promise<void> {
  if (engine === 'postgres') return continueOnPostgres(tx, last)
  await tx.query(sql`DELETE FROM sqlite_sequence WHERE name = 'events'`)
  await tx.query(sql`INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ${last})`)
  // All that was delivered so far is listed.
  await tx.query(sql`
    UPDATE listing SET event = ${last}, next_event = ${last}, created = 0 WHERE id = 1`)
}

export async function continueOnPostgres(tx: Database, last: number): Promise<void> {
  const behind = await tx.query(sql`
    SELECT setval('event_numbers', ${last}) FROM event_numbers WHERE last_value < ${last}`)
  if (behind.length === 0) return
  for (const day of [dayOfEvent(last), dayOfEvent(last) + 1]) await makeDay(tx, day)
}
