import { type Database, sql } from '../../ports/database.ts'

/** A row of a delivery with its entries in the indexes, rounded up. */
const DELIVERY_BYTES = 1024

export function logBytesOf(results: readonly { bytes: number }[], deliveries: number): number {
  return results.reduce((sum, { bytes }) => sum + bytes, deliveries * DELIVERY_BYTES)
}

/**
 * Notes that the log has grown, or has shrunk by a negative number: events and results in the part
 * of their network, attempts in those of couriers.
 */
export async function growLog(tx: Database, part: string, bytes: number): Promise<void> {
  if (bytes === 0) return
  await tx.query(sql`
    INSERT INTO log_sizes (part, bytes) VALUES (${part}, ${bytes})
    ON CONFLICT (part) DO UPDATE SET bytes = log_sizes.bytes + excluded.bytes`)
}

/**
 * Sums that many processes add to are kept in parts. A row stays locked until the commit, so
 * a network, whose events are committed one after the other, has a part of its own, and so do
 * couriers; whoever writes seldom adds to this one.
 */
export const REST = 'rest'

export async function logBytes(db: Database): Promise<number> {
  const rows = await db.query<{ bytes: number }>(sql`
    SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS bytes FROM log_sizes`)
  return rows[0]?.bytes ?? 0
}
