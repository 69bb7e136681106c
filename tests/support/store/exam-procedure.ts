import { type Procedure, sql } from '../../../src/ports/database.ts'

const ADD_NOTE = sql`INSERT INTO exam_notes (id) VALUES (${null})`

/** Writes a note for each id, and fails as a whole where one is there already. */
export const addNotes: Procedure<readonly number[], { added: number }> = {
  name: 'addNotes',
  async run(tx, ids) {
    const rows = ids.map((id) => [id])
    return { added: (await tx.each(ADD_NOTE, rows)).length }
  },
}

/** Ends the thread that it runs in, as a crash would. */
export const endThread: Procedure<[], never> = {
  name: 'endThread',
  run: () => process.exit(1),
}
