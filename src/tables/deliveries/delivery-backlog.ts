import { type Database, sql } from '../../ports/database.ts'
import { openDeliveries } from './sheets/sheet-log.ts'

/** How many deliveries wait for a webhook; counted up to `countMax`. */
export async function waitingCount(
  db: Database,
  webhookId: string,
  countMax: number,
): Promise<number> {
  const isEnough = (found: readonly unknown[]) => found.length >= countMax
  const open = await openDeliveries(db, { webhookId }, Number.MAX_SAFE_INTEGER, isEnough)
  const [counted] = await db.query<{ count: number }>(sql`
    SELECT CAST(COUNT(*) AS BIGINT) AS count FROM (
      SELECT 1 FROM deliveries
      WHERE webhook_id = ${webhookId} AND state = 'waiting' LIMIT ${countMax}) AS waiting`)
  return Math.min(open.length + (counted?.count ?? 0), countMax)
}
