import { type Database, sql } from '../../ports/database.ts'
import { liveCouriers } from './shards.ts'

/** Whether a process that delivers or follows a chain runs on the store. */
export async function isInUse(db: Database, nowMs: number): Promise<boolean> {
  if ((await liveCouriers(db, nowMs)) > 0) return true
  const held = await db.query(sql`SELECT name FROM leases WHERE until_ms > ${nowMs} LIMIT 1`)
  return held.length > 0
}
