import { assert } from '../../core/errors.ts'
import { type Database, sql } from '../../ports/database.ts'

/**
 * A topic that a process may hold in memory and must read anew when its revision has moved; the
 * revisions of the couriers are their fencing tokens.
 */
export type Topic = 'accounts' | 'webhooks' | 'couriers'

/** The new revision. Belongs into the transaction that makes the change. */
export async function bumpRevision(tx: Database, topic: Topic): Promise<number> {
  const rows = await tx.query<{ revision: number }>(sql`
    INSERT INTO revisions (topic, revision) VALUES (${topic}, 1)
    ON CONFLICT (topic) DO UPDATE SET revision = revisions.revision + 1
    RETURNING revision`)
  assert(rows[0] !== undefined, 'an upsert writes a row')
  return rows[0].revision
}

/** 0 before the first change. */
export async function readRevision(db: Database, topic: Topic): Promise<number> {
  const rows = await db.query<{ revision: number }>(sql`
    SELECT revision FROM revisions WHERE topic = ${topic}`)
  return rows[0]?.revision ?? 0
}
