import { type Database, sql, sqlRows } from '../../ports/database.ts'

export type Lease = { holder: string; untilMs: number }

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
  return (await takeLeases(db, [name], nowMs, { holder, untilMs })).has(name)
}

/** The same for several leases; those that are the holder's. */
export async function takeLeases(
  db: Database,
  names: readonly string[],
  nowMs: number,
  { holder, untilMs }: Lease,
): Promise<Set<string>> {
  if (names.length === 0) return new Set()
  // In order: two who lock the same rows in the same order cannot block each other.
  const rows = names.toSorted().map((name) => [name, holder, untilMs])
  const taken = await db.query<{ name: string }>(sql`
    INSERT INTO leases (name, holder, until_ms) VALUES ${sqlRows(rows)}
    ON CONFLICT (name) DO UPDATE
    SET holder = excluded.holder, until_ms = excluded.until_ms
    WHERE leases.holder = excluded.holder OR leases.until_ms <= ${nowMs}
    RETURNING name`)
  return new Set(taken.map(({ name }) => name))
}

/** The leases as they are, lapsed ones too; those that were given up are missing. */
export async function readLeases(
  db: Database,
  names: readonly string[],
): Promise<Map<string, Lease>> {
  const rows = await db.query<{ name: string; holder: string; until_ms: number }>(sql`
    SELECT name, holder, until_ms FROM leases WHERE name IN ${sqlRows([names])}`)
  return new Map(rows.map(({ name, holder, until_ms }) => [name, { holder, untilMs: until_ms }]))
}

/** Gives it up before its time; nothing happens when it is another's by now. */
export async function releaseLease(db: Database, name: string, holder: string): Promise<void> {
  await db.query(sql`DELETE FROM leases WHERE name = ${name} AND holder = ${holder}`)
}
