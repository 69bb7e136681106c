import { Database as Connection, type SQLQueryBindings } from 'bun:sqlite'
import { assert } from '../core/errors.ts'
import type { SqlValue } from '../ports/database.ts'
import { openStatementCache } from './statement-cache.ts'

/**
 * How long SQLite waits for another process to let go of the file. The thread
 * stands still meanwhile.
 */
const BUSY_TIMEOUT_MS = 5_000

/** One connection of the thread it is opened in. Its errors are SQLite's own. */
export type SqliteEngine = {
  run(text: string, values: readonly SqlValue[]): Record<string, unknown>[]
  /** A full disk makes SQLite roll back by itself, and then there is nothing left to do. */
  rollback(): void
  close(): void
}

export function openSqliteEngine(path: string): SqliteEngine {
  const connection = new Connection(path, { create: true, safeIntegers: true })
  // First of all, since changing the journal may itself have to wait.
  connection.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  connection.run('PRAGMA journal_mode = WAL')
  connection.run('PRAGMA synchronous = FULL')
  connection.run('PRAGMA foreign_keys = ON')
  const cache = openStatementCache(connection)
  return {
    run: (text, values) =>
      cache.use(text, (prepared) => {
        const rows = prepared.all(...values.map(bound)) as Record<string, unknown>[]
        for (const row of rows) plainNumbers(row)
        return rows
      }),
    rollback() {
      if (connection.inTransaction) connection.run('ROLLBACK')
    },
    close() {
      cache.close()
      connection.close()
    },
  }
}

function bound(value: SqlValue): SQLQueryBindings {
  if (typeof value === 'number') {
    assert(Number.isSafeInteger(value), 'a stored number is whole and below 2^53')
    return BigInt(value)
  }
  // PostgreSQL cannot store it, and what one engine refuses the other must not accept.
  if (typeof value === 'string') assert(!value.includes('\0'), 'a stored text holds no NUL')
  return value
}

function plainNumbers(row: Record<string, unknown>): void {
  for (const column in row) {
    const value = row[column]
    if (typeof value !== 'bigint' && typeof value !== 'number') continue
    const plain = Number(value)
    assert(Number.isSafeInteger(plain), `${column} is whole and below 2^53`)
    row[column] = plain
  }
}
