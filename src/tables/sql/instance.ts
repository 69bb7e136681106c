import { type Database, sql } from '../../ports/database.ts'

/** A fact about this installation, or null while nobody has written it. */
export async function readInstanceFact(db: Database, name: string): Promise<string | null> {
  const rows = await db.query<{ value: string }>(sql`
    SELECT value FROM instance_facts WHERE name = ${name}`)
  return rows[0]?.value ?? null
}

/** The first writer wins; everyone is told the value that is stored from then on. */
export async function writeInstanceFactOnce(
  db: Database,
  name: string,
  value: string,
): Promise<string> {
  // DO NOTHING would return no row, so the stored value is written over itself.
  const rows = await db.query<{ value: string }>(sql`
    INSERT INTO instance_facts (name, value) VALUES (${name}, ${value})
    ON CONFLICT (name) DO UPDATE SET value = instance_facts.value RETURNING value`)
  return rows[0]?.value ?? value
}
