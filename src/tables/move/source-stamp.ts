import { hashKey } from '../../core/access/hash-key.ts'
import { type Database, sql } from '../../ports/database.ts'
import { MOVED_FACTS } from './moved-tables.ts'

/**
 * Tells whether a store was used: every process that runs on it writes to one of these tables.
 * Two stores with the same contents have the same stamp.
 */
export async function sourceStamp(db: Database): Promise<string> {
  const tables = [
    await db.query(sql`SELECT name, value FROM ${MOVED_FACTS} ORDER BY name`),
    await db.query(sql`SELECT topic, revision FROM revisions ORDER BY topic`),
    await db.query(sql`
      SELECT network, sequence_number, tip_hash, updated_at_ms FROM chains ORDER BY network`),
    await db.query(sql`SELECT part, bytes FROM log_sizes ORDER BY part`),
    await db.query(sql`
      SELECT team_id, month, centi_cu FROM team_months ORDER BY team_id, month`),
  ]
  return hashKey(JSON.stringify(tables))
}
