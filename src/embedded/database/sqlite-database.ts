import { serial } from '../../core/async/serial.ts'
import { Failure } from '../../core/errors.ts'
import type { Database, Procedure, Sql, Transaction } from '../../ports/database.ts'
import {
  guardedTransaction,
  type TransactionRun,
} from '../../ports/driver-parts/guarded-transaction.ts'
import { openSqliteEngine, openSqliteReadEngine, type SqliteEngine } from './sqlite-engine.ts'
import { type SqliteWriter, startSqliteThread } from './sqlite-thread.ts'

/** Codes for which the file, the disk or the thread is at fault; all others are bugs of ours. */
const UNAVAILABLE =
  /^thread_ended$|^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|CORRUPT|NOTADB|NOMEM|PERM|AUTH|PROTOCOL)/

/** Far more than can wait in health: beyond it the caller is told, before memory runs out. */
const WAITING_MAX = 100_000

const READS = /^\s*SELECT\b/i

/**
 * A database in a file: its writer lives in a thread of its own, since a commit waits for the
 * disk, and statements that only read run here, at once, on the last commit.
 */
export async function openSqliteFile(path: string, script?: string): Promise<Database> {
  await using opened = new AsyncDisposableStack()
  const writer = await guarded(() => startSqliteThread(path, script))
  opened.defer(writer.close)
  const reader = await guarded(() => openSqliteEngine(path))
  opened.move()
  return openDatabase(writer, reader)
}

/**
 * The database of another process, which runs procedures for this one. A transaction of several
 * steps never leaves it: a process that is stopped in the middle would hold the only writer.
 */
export async function openSqliteReader(
  path: string,
  perform: Database['perform'],
): Promise<Database> {
  const engine = await guarded(() => openSqliteReadEngine(path))
  const refused = async () => {
    throw new Error('this process writes by procedures alone')
  }
  return {
    async query<Row>({ parts, values }: Sql) {
      return (await guarded(() => engine.run(parts.join('?'), values))) as Row[]
    },
    each: refused,
    transaction: refused,
    perform,
    close: async () => engine.close(),
  }
}

export function openSqliteHere(engine: SqliteEngine): Database {
  return openDatabase({ ...engine, perform: null }, null)
}

/**
 * One connection writes. A transaction spans many turns of the event loop, so all who write hold
 * a mutex: otherwise a stranger's statement would land in an open transaction and be rolled back
 * with it. The mutex is released with the last call of each, for the writer serves one call after
 * the other: whoever is next need not wait for the disk.
 */
function openDatabase(writer: SqliteWriter, reader: SqliteEngine | null): Database {
  const full = () => new Failure('database_unavailable', { reason: 'too_many_waiting' })
  const inTurn = serial(WAITING_MAX, full)
  let closed: Promise<void> | null = null

  const run: TransactionRun = {
    query: <Row>({ parts, values }: Sql) =>
      guarded(() => writer.run(parts.join('?'), values)) as Promise<Row[]>,
    each: ({ parts }, rows) => guarded(() => writer.each(parts.join('?'), rows)),
  }

  function open(): void {
    if (closed) throw new Failure('database_unavailable', { reason: 'closed' })
  }

  async function perform<Args extends readonly unknown[], Answer>(
    { name, run: runHere, pack }: Procedure<Args, Answer>,
    args: Args,
  ): Promise<Answer> {
    open()
    const { perform: runThere } = writer
    return inTurn(async (release) => {
      if (runThere === null) return transact(writer, run, (tx) => runHere(tx, args), release)
      const answer = guarded(() => runThere(name, pack ? pack(args) : args) as Promise<Answer>)
      release()
      return answer
    })
  }

  return {
    async query<Row>(statement: Sql) {
      open()
      if (reader === null || !READS.test(statement.parts[0] ?? '')) {
        return inTurn((release) => {
          const answer = run.query<Row>(statement)
          release()
          return answer
        })
      }
      const rows = await guarded(() => reader.run(statement.parts.join('?'), statement.values))
      return rows as Row[]
    },
    async each(statement, rows) {
      open()
      return inTurn((release) => transact(writer, run, (tx) => tx.each(statement, rows), release))
    },
    async transaction<T>(work: (tx: Transaction) => Promise<T>) {
      open()
      return inTurn((release) => transact(writer, run, work, release))
    },
    perform,
    async close() {
      // Calls made before still get their turn; later ones are refused.
      closed ??= inTurn(async () => {
        try {
          await writer.close()
        } finally {
          reader?.close()
        }
      })
      return closed
    },
  }
}

async function transact<T>(
  writer: SqliteWriter,
  run: TransactionRun,
  work: (tx: Transaction) => Promise<T>,
  release: () => void,
): Promise<T> {
  const guard = guardedTransaction(run)
  // Not waited for: when it fails, so does all that follows, for the same reason.
  guarded(() => writer.begin()).catch(() => {})
  let result: T
  try {
    result = await work(guard.tx)
    // Waited for: the engine would commit what is left when one of them fails.
    await guard.end()
  } catch (error) {
    guard.abandon()
    const ended = guarded(() => writer.rollback())
    release()
    await ended
    throw error
  }
  const ended = guarded(() => writer.commit())
  release()
  await ended
  return result
}

async function guarded<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!UNAVAILABLE.test(code)) throw error
    throw new Failure('database_unavailable', { code }, error)
  }
}
