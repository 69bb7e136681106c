import { type Database, sql } from '../../ports/database.ts'
import { continueAbove } from '../chain/known-numbers.ts'
import { dayOfEvent, makeDay } from './event-days.ts'

/** Two days of numbers: a failover loses less, and a higher number is a mistake. */
const EVENTS_LOST_MAX = 2 ** 27

/** The same, with the numbers of events, which a sequence gives. */
export const continueAboveOnPostgres: typeof continueAbove = {
  name: continueAbove.name,
  async run(tx, args) {
    const [, lastEvent] = args
    const raised = await continueAbove.run(tx, args)
    const lost = lastEvent - (await lastEventNumber(tx))
    if (lost <= EVENTS_LOST_MAX) await continueOnPostgres(tx, lastEvent)
    return raised
  },
}

/** Has new events numbered after that one. */
export async function continueOnPostgres(tx: Database, last: number): Promise<void> {
  const behind = await tx.query(sql`
    SELECT setval('event_numbers', ${last}) FROM event_numbers WHERE last_value < ${last}`)
  if (behind.length === 0) return
  for (const day of [dayOfEvent(last), dayOfEvent(last) + 1]) await makeDay(tx, day)
}

/** The number below which none is given to an event any more. */
async function lastEventNumber(db: Database): Promise<number> {
  const [last] = await db.query<{ event: number | null }>(sql`
    SELECT MAX(event) AS event FROM (
      SELECT last_value AS event FROM event_numbers
      UNION ALL SELECT event FROM retention UNION ALL SELECT MAX(event) FROM events) AS numbers`)
  return last?.event ?? 0
}
