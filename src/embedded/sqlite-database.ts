import { assert, Failure } from '../core/errors.ts'
import type { Database, Sql, SqlValue } from '../ports/database.ts'
import { openSqliteEngine } from './sqlite-engine.ts'
import { startSqliteThread } from './sqlite-thread.ts'
import { openTurnstile } from './turnstile.ts'

/** What writes: an engine in this thread or in another. */
type Writer = {
  run(text: string, values: readonly SqlValue[]): MaybePromise<Record<string, unknown>[]>
  begin(): MaybePromise<void>
  /** The transaction is over afterwards, committed or not. */
  commit(): MaybePromise<void>
  rollback(): MaybePromise<void>
  close(): MaybePromise<void>
}

type MaybePromise<T> = T | Promise<T>

type Run = <Row>(statement: Sql) => Promise<Row[]>

/** These say that the file or the disk is at fault; all other errors of SQLite are bugs of ours. */
const UNAVAILABLE =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|CORRUPT|NOTADB|NOMEM|PERM|AUTH|PROTOCOL)/

const READS = /^\s*SELECT\b/i

/**
 * A file: its writer lives in a thread of its own, since a commit waits for the
 * disk, and what only reads is read here, at once, from the last commit.
 */
export async function openSqliteFile(path: string): Promise<Database> {
  const writer = await guarded(() => startSqliteThread(path))
  const reader = await guarded(() => openSqliteEngine(path))
  return openDatabase(writer, reader)
}

/** A store in memory for tests: one connection, this thread. */
export function openSqlite(path: ':memory:'): Database {
  return openDatabase(openSqliteEngine(path), null)
}

/**
 * One connection writes. A transaction spans many turns of the event loop, so all
 * who write pass a turnstile: otherwise a stranger's statement would land in an
 * open transaction and be rolled back with it. It is left as soon as the last order is given,
 * for the writer obeys one after the other: what follows is there when it is done waiting for
 * the disk.
 */
function openDatabase(
  writer: Writer,
  reader: ReturnType<typeof openSqliteEngine> | null,
): Database {
  const pass = openTurnstile()
  let closed: Promise<void> | null = null

  const run: Run = <Row>(statement: Sql) =>
    guarded(() => writer.run(statement.parts.join('?'), statement.values)) as Promise<Row[]>

  function open(): void {
    if (closed) throw new Failure('database_unavailable', { reason: 'closed' })
  }

  return {
    async query<Row>(statement: Sql) {
      open()
      if (reader === null || !READS.test(statement.parts[0] ?? '')) {
        return pass((leave) => {
          const answer = run<Row>(statement)
          leave()
          return answer
        })
      }
      const rows = await guarded(() => reader.run(statement.parts.join('?'), statement.values))
      return rows as Row[]
    },
    async transaction<T>(work: (tx: Database) => Promise<T>) {
      open()
      return pass((leave) => transact(writer, run, work, leave))
    },
    async close() {
      // What came before still gets its turn; what comes after is refused.
      closed ??= pass(async () => {
        await writer.close()
        reader?.close()
      })
      return closed
    },
  }
}

async function transact<T>(
  writer: Writer,
  run: Run,
  work: (tx: Database) => Promise<T>,
  leave: () => void,
): Promise<T> {
  const tx = openTransaction(run)
  // Not waited for: when it fails, so does all that follows, for the same reason.
  guarded(() => writer.begin()).catch(() => {})
  let result: T
  try {
    result = await work(tx.database)
    tx.end()
  } catch (error) {
    tx.abandon()
    const ended = guarded(() => writer.rollback())
    leave()
    await ended
    throw error
  }
  const ended = guarded(() => writer.commit())
  leave()
  await ended
  return result
}

/** The `tx` of one transaction. As in PostgreSQL, after a failed statement nothing is kept. */
function openTransaction(run: Run) {
  let over = false
  let failed: { error: unknown } | null = null

  const database: Database = {
    async query<Row>(statement: Sql) {
      assert(!over, 'a transaction is used only until its work is done')
      if (failed) throw failed.error
      try {
        return await run<Row>(statement)
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

async function guarded<T>(work: () => MaybePromise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!UNAVAILABLE.test(code)) throw error
    throw new Failure('database_unavailable', { code }, error)
  }
}
