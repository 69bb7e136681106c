import type { Database as Connection, SQLQueryBindings } from 'bun:sqlite'
import { openStatementCache } from '../database/statement-cache.ts'

/** One connection to the file of a network's accounts, in the thread it is opened in. */
export type AccountFile = ReturnType<typeof fileOver>

/** The end of a version that has none yet. */
export const OPEN_END = Number.MAX_SAFE_INTEGER

/** Before every key. */
export const FIRST = new Uint8Array()
/** Behind every key. */
export const LAST = new Uint8Array(33).fill(255)

export function fileOver(connection: Connection) {
  const statements = openStatementCache(connection)
  return {
    connection,
    statements,
    run: (text: string, ...values: SQLQueryBindings[]) =>
      statements.use(text, (prepared) => void prepared.run(...values)),
    rows: <Row>(text: string, ...values: SQLQueryBindings[]) =>
      statements.use(text, (prepared) => prepared.all(...values) as Row[]),
    close() {
      statements.close()
      connection.close()
    },
  }
}
