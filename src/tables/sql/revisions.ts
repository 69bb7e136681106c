import { assert } from '../../core/errors.ts'
import { type Database, sql } from '../../ports/database.ts'

/**
 * A topic that a process may hold in memory and must read again when its revision changes.
 * `webhooks` includes variables; the revisions of the couriers are their fencing tokens.
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

/**
 * Revisions of a later era are above all of the earlier ones, including those that a store has
 * lost. Far more changes fit into an era than are ever made.
 */
const ERA = 2 ** 32

/** After the store has lost commits: nothing read before counts as up to date. */
export async function startNewEra(tx: Database): Promise<void> {
  await tx.query(sql`UPDATE revisions SET revision = (revision / ${ERA} + 1) * ${ERA}`)
}

/** True if the changes after `known` do not lead to `now`: everything must be read again. */
export function isOtherHistory(known: number, now: number): boolean {
  return now < known || Math.floor(now / ERA) !== Math.floor(known / ERA)
}

/** The highest revision of what the topic has; 0 before the first change. */
export async function readRevision(db: Database, topic: Topic): Promise<number> {
  const rows = await db.query<{ revision: number }>(sql`
    SELECT revision FROM revisions WHERE topic = ${topic}`)
  return rows[0]?.revision ?? 0
}
