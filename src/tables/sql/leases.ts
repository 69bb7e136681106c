import { type Database, sql } from '../../ports/database.ts'

/**
 * True when the lease is the holder's until then: it was free, had lapsed, or was theirs
 * before. Whoever keeps it takes it again in time.
 */
export async function takeLease(
  db: Database,
  name: string,
  holder: string,
  nowMs: number,
  untilMs: number,
): Promise<boolean> {
  const taken = await db.query(sql`
    INSERT INTO leases (name, holder, until_ms) VALUES (${name}, ${holder}, ${untilMs})
    ON CONFLICT (name) DO UPDATE
    SET holder = excluded.holder, until_ms = excluded.until_ms
    WHERE leases.holder = excluded.holder OR leases.until_ms <= ${nowMs}
    RETURNING name`)
  return taken.length === 1
}

/** Gives it up before its time; nothing happens when it is another's by now. */
export async function releaseLease(db: Database, name: string, holder: string): Promise<void> {
  await db.query(sql`DELETE FROM leases WHERE name = ${name} AND holder = ${holder}`)
}
