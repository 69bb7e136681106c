import { Database as Connection, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { assert } from '../../core/errors.ts'
import type { SqlValue } from '../../ports/database.ts'
import { plainNumbers } from '../../ports/driver-parts/plain-numbers.ts'
import { openStatementCache } from './statement-cache.ts'

/** How long SQLite waits for a file that another process holds. The thread blocks meanwhile. */
const BUSY_TIMEOUT_MS = 5_000

/**
 * This many pages of 4 KiB gather in the log before they are copied to where they belong: the
 * same page is written again and again, and copied once.
 */
const CHECKPOINT_PAGES = 8000

/** The length to which the log is cut again after a transaction that was larger. */
const LOG_BYTES_MAX = 64 * 2 ** 20

/** One connection of the thread it is opened in. Its errors are SQLite's own. */
export type SqliteEngine = {
  run(text: string, values: readonly SqlValue[]): Record<string, unknown>[]
  /** The statement for each of the rows; how many rows each wrote. */
  each(text: string, rows: readonly (readonly SqlValue[])[]): number[]
  begin(): void
  /** The transaction is over afterwards: what cannot be committed is rolled back. */
  commit(): void
  rollback(): void
  close(): void
}

/**
 * `unsynced` is for who waits for the disk himself before he tells of a commit: SQLite then does
 * so only where the file would be damaged otherwise.
 */
export function openSqliteEngine(
  path: string,
  commits: 'synced' | 'unsynced' = 'synced',
): SqliteEngine {
  const connection = new Connection(path, { create: true, safeIntegers: true })
  // First of all, since changing the journal may itself have to wait.
  connection.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  connection.run('PRAGMA journal_mode = WAL')
  connection.run(`PRAGMA synchronous = ${commits === 'synced' ? 'FULL' : 'NORMAL'}`)
  connection.run('PRAGMA foreign_keys = ON')
  connection.run(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  connection.run(`PRAGMA journal_size_limit = ${LOG_BYTES_MAX}`)
  const cache = openStatementCache(connection)
  let inTransaction = false
  let failed: { error: unknown } | null = null

  /**
   * Statements of a transaction come without waiting for each other. After one that failed
   * none is run: a full disk makes SQLite roll back by itself, and the rest would be kept.
   */
  function step<T>(work: () => T): T {
    if (failed) throw failed.error
    try {
      return work()
    } catch (error) {
      if (inTransaction) failed = { error }
      throw error
    }
  }

  function rollback(): void {
    inTransaction = false
    failed = null
    if (connection.inTransaction) connection.run('ROLLBACK')
  }

  return {
    run: (text, values) => step(() => cache.use(text, (prepared) => rowsOf(prepared, values))),
    each: (text, rows) =>
      step(() =>
        cache.use(text, (prepared) => {
          // Hot path: one list for the values of all rows.
          const values: SQLQueryBindings[] = []
          return rows.map((row) => {
            for (let at = 0; at < row.length; at++) values[at] = bound(row[at] ?? null)
            return prepared.run.apply(prepared, values).changes
          })
        }),
      ),
    begin() {
      inTransaction = true
      // IMMEDIATE: one that starts reading and then writes could not wait for another process.
      step(() => connection.run('BEGIN IMMEDIATE'))
    },
    commit() {
      try {
        step(() => connection.run('COMMIT'))
        inTransaction = false
      } catch (error) {
        rollback()
        throw error
      }
    },
    rollback,
    close() {
      cache.close()
      connection.close()
    },
  }
}

/** Reads a file that another process of ours has opened, and can change nothing in it. */
export function openSqliteReadEngine(path: string): Pick<SqliteEngine, 'run' | 'close'> {
  const connection = new Connection(path, { readonly: true, safeIntegers: true })
  connection.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  const cache = openStatementCache(connection)
  return {
    run: (text, values) => cache.use(text, (prepared) => rowsOf(prepared, values)),
    close() {
      cache.close()
      connection.close()
    },
  }
}

function rowsOf(prepared: Statement, values: readonly SqlValue[]): Record<string, unknown>[] {
  const rows = prepared.all(...values.map(bound)) as Record<string, unknown>[]
  for (const row of rows) plainNumbers(row)
  return rows
}

function bound(value: SqlValue): SQLQueryBindings {
  if (typeof value === 'number') {
    // Hot path: the runtime binds a small whole number as such, and all others as fractions.
    const small = value | 0
    if (small === value) return small
    assert(Number.isSafeInteger(value), 'a stored number is whole and below 2^53')
    return BigInt(value)
  }
  // PostgreSQL cannot store it, and what one engine refuses the other must not accept.
  if (typeof value === 'string') assert(!value.includes('\0'), 'a stored text holds no NUL')
  return value
}
