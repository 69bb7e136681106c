import { assert, Failure } from '../../core/errors.ts'
import type { Database, Procedure, Sql, SqlValue } from '../../ports/database.ts'
import { openSqliteEngine, type SqliteEngine } from './sqlite-engine.ts'
import { startSqliteThread, type ThreadScript } from './sqlite-thread.ts'
import { openTurnstile } from './turnstile.ts'

/** What writes: an engine in this thread or in another. */
type Writer = {
  run(text: string, values: readonly SqlValue[]): MaybePromise<Record<string, unknown>[]>
  each(text: string, rows: readonly (readonly SqlValue[])[]): MaybePromise<number[]>
  /** Null where procedures are run by who asks for them. */
  perform: ((procedure: string, args: unknown) => Promise<unknown>) | null
  begin(): MaybePromise<void>
  /** The transaction is over afterwards, committed or not. */
  commit(): MaybePromise<void>
  rollback(): MaybePromise<void>
  close(): MaybePromise<void>
}

type MaybePromise<T> = T | Promise<T>

type Run = {
  query<Row>(statement: Sql): Promise<Row[]>
  each(statement: Sql, rows: readonly (readonly SqlValue[])[]): Promise<number[]>
}

/** These say that the file or the disk is at fault; all other errors of SQLite are bugs of ours. */
const UNAVAILABLE =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|CORRUPT|NOTADB|NOMEM|PERM|AUTH|PROTOCOL)/

const READS = /^\s*SELECT\b/i

/**
 * A file: its writer lives in a thread of its own, since a commit waits for the
 * disk, and what only reads is read here, at once, from the last commit.
 */
export async function openSqliteFile(path: string, script?: ThreadScript): Promise<Database> {
  const thread = await guarded(() => startSqliteThread(path, script))
  const reader = await guarded(() => openSqliteEngine(path))
  const writer = { ...thread, perform: script === undefined ? null : thread.perform }
  return openDatabase(writer, reader)
}

/** On an engine of this thread. */
export function openSqliteHere(engine: SqliteEngine): Database {
  return openDatabase({ ...engine, perform: null }, null)
}

/** A store in memory for tests: one connection, this thread. */
export function openSqlite(path: ':memory:'): Database {
  return openSqliteHere(openSqliteEngine(path))
}

/**
 * One connection writes. A transaction spans many turns of the event loop, so all
 * who write pass a turnstile: otherwise a stranger's statement would land in an
 * open transaction and be rolled back with it. It is left as soon as the last order is given,
 * for the writer obeys one after the other: what follows is there when it is done waiting for
 * the disk.
 */
function openDatabase(writer: Writer, reader: SqliteEngine | null): Database {
  const pass = openTurnstile()
  let closed: Promise<void> | null = null

  const run: Run = {
    query: <Row>({ parts, values }: Sql) =>
      guarded(() => writer.run(parts.join('?'), values)) as Promise<Row[]>,
    each: ({ parts }, rows) => guarded(() => writer.each(parts.join('?'), rows)),
  }

  function open(): void {
    if (closed) throw new Failure('database_unavailable', { reason: 'closed' })
  }

  async function perform<Args, Answer>(
    { name, run: runHere }: Procedure<Args, Answer>,
    args: Args,
  ): Promise<Answer> {
    open()
    const { perform: runThere } = writer
    return pass(async (leave) => {
      if (runThere === null) return transact(writer, run, (tx) => runHere(tx, args), leave)
      const answer = guarded(() => runThere(name, args) as Promise<Answer>)
      leave()
      return answer
    })
  }

  return {
    async query<Row>(statement: Sql) {
      open()
      if (reader === null || !READS.test(statement.parts[0] ?? '')) {
        return pass((leave) => {
          const answer = run.query<Row>(statement)
          leave()
          return answer
        })
      }
      const rows = await guarded(() => reader.run(statement.parts.join('?'), statement.values))
      return rows as Row[]
    },
    async each(statement, rows) {
      open()
      return pass((leave) => transact(writer, run, (tx) => tx.each(statement, rows), leave))
    },
    async transaction<T>(work: (tx: Database) => Promise<T>) {
      open()
      return pass((leave) => transact(writer, run, work, leave))
    },
    perform,
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

  const obey = async <T>(order: () => Promise<T>): Promise<T> => {
    assert(!over, 'a transaction is used only until its work is done')
    if (failed) throw failed.error
    try {
      return await order()
    } catch (error) {
      failed = { error }
      throw error
    }
  }

  const database: Database = {
    query: <Row>(statement: Sql) => obey(() => run.query<Row>(statement)),
    each: (statement, rows) => obey(() => run.each(statement, rows)),
    perform: (procedure, args) => procedure.run(database, args),
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
