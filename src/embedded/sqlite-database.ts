import { Database as Connection, type SQLQueryBindings } from 'bun:sqlite'
import { assert, Failure } from '../core/errors.ts'
import type { Database, Sql, SqlValue } from '../ports/database.ts'
import { openStatementCache } from './statement-cache.ts'
import { openTurnstile } from './turnstile.ts'

/** How long SQLite waits for another process to let go of the file. The whole process stands still meanwhile. */
const BUSY_TIMEOUT_MS = 5_000

/** These say that the file or the disk is at fault; all other errors of SQLite are bugs of ours. */
const UNAVAILABLE =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|CORRUPT|NOTADB|NOMEM|PERM|AUTH|PROTOCOL)/

type Run = <Row>(statement: Sql) => Row[]

/**
 * One file, one connection. Statements run at once, but a transaction spans many
 * turns of the event loop, so all callers pass a turnstile: otherwise a stranger's
 * statement would land in an open transaction and be rolled back with it. Open a
 * file once in a process: a second connection would wait for the first and stop it.
 */
export function openSqlite(path: string): Database {
  const connection = connect(path)
  const cache = openStatementCache(connection)
  const pass = openTurnstile()
  let closed: Promise<void> | null = null

  const run: Run = <Row>(statement: Sql) =>
    guarded(() =>
      cache.use(statement.parts.join('?'), (prepared) => {
        const rows = prepared.all(...statement.values.map(bound)) as Record<string, unknown>[]
        for (const row of rows) plainNumbers(row)
        return rows as Row[]
      }),
    )

  async function close(): Promise<void> {
    // What came before still gets its turn; what comes after is refused.
    closed ??= pass(() => {
      cache.close()
      connection.close()
    })
    return closed
  }

  function open(): void {
    if (closed) throw new Failure('database_unavailable', { reason: 'closed' })
  }

  return {
    async query<Row>(statement: Sql) {
      open()
      return pass(() => run<Row>(statement))
    },
    async transaction<T>(work: (tx: Database) => Promise<T>) {
      open()
      return pass(() => transact(connection, run, work))
    },
    close,
  }
}

function connect(path: string): Connection {
  return guarded(() => {
    const connection = new Connection(path, { create: true, safeIntegers: true })
    // First of all, since changing the journal may itself have to wait.
    connection.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    connection.run('PRAGMA journal_mode = WAL')
    connection.run('PRAGMA synchronous = FULL')
    connection.run('PRAGMA foreign_keys = ON')
    return connection
  })
}

async function transact<T>(
  connection: Connection,
  run: Run,
  work: (tx: Database) => Promise<T>,
): Promise<T> {
  const tx = openTransaction(run)
  // IMMEDIATE: a transaction that starts reading and then writes could not wait for another process.
  guarded(() => connection.run('BEGIN IMMEDIATE'))
  try {
    const result = await work(tx.database)
    tx.end()
    guarded(() => connection.run('COMMIT'))
    return result
  } catch (error) {
    tx.abandon()
    // A full disk makes SQLite roll back by itself, and then there is nothing left to do.
    if (connection.inTransaction) guarded(() => connection.run('ROLLBACK'))
    throw error
  }
}

/** The `tx` of one transaction, with the rule that PostgreSQL has: after a failed statement nothing is kept. */
function openTransaction(run: Run) {
  let over = false
  let failed: { error: unknown } | null = null

  const database: Database = {
    async query<Row>(statement: Sql) {
      assert(!over, 'a transaction is used only until its work is done')
      if (failed) throw failed.error
      try {
        return run<Row>(statement)
      } catch (error) {
        failed = { error }
        throw error
      }
    },
    async transaction() {
      throw new Error('a transaction cannot hold another: do the work with the tx at hand')
    },
    async close() {
      throw new Error('a transaction cannot close the database')
    },
  }

  return {
    database,
    end(): void {
      over = true
      if (failed) throw failed.error
    },
    abandon(): void {
      over = true
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

function guarded<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!UNAVAILABLE.test(code)) throw error
    throw new Failure('database_unavailable', { code }, error)
  }
}
