import { type Database, sql } from '../../../ports/database.ts'
import { EVENT_MAX } from '../done-deliveries.ts'

/** Numbers of events have 39 bits, and each step halves what is left. */
const STEPS_MAX = 40

/**
 * The first event that was created at that moment or later; a number above all where there is
 * none. Events are numbered in the order of their creation, but for the moments by which the
 * clocks of processes differ, so it is found by bisection, without an index of times.
 */
export async function firstEventAt(db: Database, atMs: number): Promise<number> {
  const [ends] = await db.query<{ first: number | null; last: number | null }>(sql`
    SELECT (SELECT MIN(event) FROM events) AS first, (SELECT MAX(event) FROM events) AS last`)
  let low = ends?.first ?? EVENT_MAX
  let high = ends?.last ? ends.last + 1 : EVENT_MAX
  for (let step = 0; low < high && step < STEPS_MAX; step++) {
    const middle = Math.floor((low + high) / 2)
    const [next] = await db.query<{ event: number; created_at_ms: number }>(sql`
      SELECT event, created_at_ms FROM events WHERE event >= ${middle} ORDER BY event LIMIT 1`)
    if (!next || next.created_at_ms >= atMs) high = middle
    else low = next.event + 1
  }
  return low
}
