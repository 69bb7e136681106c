import { obeyOrders } from '../../src/embedded/database/sqlite-worker.ts'
import { sql } from '../../src/ports/database.ts'

/** The thread of a store with a work for the exam. */
obeyOrders({
  addNotes: (db, ids: readonly number[]) =>
    db.transaction(async (tx) => {
      const add = sql`INSERT INTO notes (id) VALUES (${null})`
      const rows = ids.map((id) => [id])
      return { added: (await tx.each(add, rows)).length }
    }),
})
