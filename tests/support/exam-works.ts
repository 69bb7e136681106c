import { type Database, sql } from '../../src/ports/database.ts'

/** Works for the exam of stores that do them in a thread of their own. */
export const WORKS = {
  addNotes: (db: Database, ids: readonly number[]) =>
    db.transaction(async (tx) => {
      const add = sql`INSERT INTO notes (id) VALUES (${null})`
      const written = await tx.each(
        add,
        ids.map((id) => [id]),
      )
      return { added: written.length }
    }),
}
