import { type Database, sql } from '../ports/database.ts'

/** How many deliveries wait for a webhook; counted up to `countMax`. */
export async function waitingCount(
  db: Database,
  webhookId: string,
  countMax: number,
): Promise<number> {
  const [counted] = await db.query<{ count: number }>(sql`
    SELECT CAST(COUNT(*) AS BIGINT) AS count FROM (
      SELECT 1 FROM deliveries
      WHERE webhook_id = ${webhookId} AND state = 'waiting' LIMIT ${countMax}) AS waiting`)
  return counted?.count ?? 0
}
