import { Failure } from '../../core/errors.ts'
import { postgresServers } from '../../core/servers/postgres-servers.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Database, Procedure, Sql, SqlValue, Transaction } from '../../ports/database.ts'
import {
  guardedTransaction,
  type OwnProcedures,
} from '../../ports/driver-parts/guarded-transaction.ts'
import { openPostgresConnection, type PostgresConnection } from './postgres-connection.ts'
import { isLostRace } from './postgres-fault.ts'
import { openPostgresPool } from './postgres-pool.ts'

type Options = {
  /** May name several hosts: the one that accepts writes is used. */
  url: string
  connectionsMax: number
  /** The server is reached through a pooler that lends a connection to each transaction. */
  isPooled: boolean
  /** Procedures that are done in another way on this engine, by their names. */
  procedures: readonly Procedure<never, unknown>[]
}

const CONNECT_MS = 5_000

const LIMITS = {
  // Far more than can wait in health: beyond it the caller is told, before memory runs out.
  waitingMax: 100_000,
  waitMs: 30_000,
  // Our statements take milliseconds. One that takes this long may have lost its server.
  silentMs: 1000,
  probeMs: 3000,
  // Longer than the server itself allows a statement to take.
  answerMs: 70_000,
}

/** One of those that lose against each other always wins, so a few rounds are enough. */
const TRIES_MAX = 10
const TRY_AGAIN_MS = 5

export function openPostgresDatabase({ clock }: { clock: Clock }, options: Options): Database {
  const { url, connectionsMax, isPooled } = options
  const own = new Map(options.procedures.map((one) => [one.name, one]))
  const nowMs = clock.monotonicMs
  const servers = postgresServers(url).map((server) => ({
    connect: () => openPostgresConnection({ url: server, isPooled, nowMs, connectMs: CONNECT_MS }),
  }))
  const limits = { ...LIMITS, connectionsMax }
  const pool = openPostgresPool({ clock, servers, isPooled }, limits)
  const underWay = new Set<Promise<unknown>>()
  let closed: Promise<void> | null = null

  /** A transaction that loses a race to another runs again. */
  async function used<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    if (closed) throw new Failure('database_unavailable', { code: 'closed' })
    for (let tries = 1; ; tries++) {
      const using = pool.use(work)
      underWay.add(using)
      try {
        return await using
      } catch (thrown) {
        if (!isLostRace(thrown) || tries === TRIES_MAX) throw thrown
      } finally {
        underWay.delete(using)
      }
      await clock.sleep(tries * TRY_AGAIN_MS)
    }
  }

  const transaction = <T>(work: (tx: Transaction) => Promise<T>) =>
    used((connection) => transact(connection, own, work))

  /** A pooler gives each statement any connection: only a transaction brings its limits along. */
  const query = <Row>(statement: Sql): Promise<Row[]> =>
    isPooled
      ? transaction((tx) => tx.query<Row>(statement))
      : used(async (connection) => (await connection.run(statement)) as Row[])

  return {
    query,
    each: (statement, rows) => transaction((tx) => tx.each(statement, rows)),
    transaction,
    perform<Args extends readonly unknown[], Answer>(
      procedure: Procedure<Args, Answer>,
      args: Args,
    ) {
      return transaction((tx) => tx.perform(procedure, args))
    },
    close() {
      closed ??= Promise.allSettled(underWay).then(() => pool.close())
      return closed
    },
  }
}

async function transact<T>(
  connection: PostgresConnection,
  own: OwnProcedures,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const run = {
    query: async <Row>(statement: Sql) => (await connection.run(statement)) as Row[],
    each: (statement: Sql, rows: readonly (readonly SqlValue[])[]) =>
      connection.each(statement, rows),
  }
  const guard = guardedTransaction(run, own)
  // Not waited for: when it fails, so does all that follows, for the same reason.
  connection.begin().catch(() => {})
  let result: T
  let last: Promise<unknown>
  try {
    result = await work(guard.tx)
    last = guard.end()
  } catch (error) {
    guard.abandon()
    await connection.rollback().catch(() => {})
    throw error
  }
  // When one of the last statements fails, the server rolls back instead.
  const [sent, committed] = await Promise.allSettled([last, connection.commit()])
  if (sent.status === 'rejected') throw sent.reason
  if (committed.status === 'rejected') throw committed.reason
  return result
}
