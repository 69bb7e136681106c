import { Failure } from '../../src/core/errors.ts'
import { type Database, type Sql, sql, type Transaction } from '../../src/ports/database.ts'
import { migrate } from '../../src/tables/migrate.ts'
import { dayOfEvent, makeDay } from '../../src/tables/postgres/event-days.ts'
import { migratedDatabase, openTestPostgres } from '../fresh-store.ts'
import type { Chance } from '../support/basics/seeded-chance.ts'
import { WORLD } from '../support/product/world.ts'
import { openSqlite } from '../support/store/open-sqlite.ts'
import type { Life } from './process-life.ts'
import { openSyncPostgres } from './sync-postgres.ts'
import type { VirtualClock } from './virtual-clock.ts'

export const NETWORK = 'SIM_CHAIN'

/** How far the stored chain had come when a transaction was committed. */
export type ChainRow = {
  sequence_number: number
  tip_number: number
  tip_hash: string
  finalized: number | null
}

/** How the way to the store may fail; all zero is one that never does. */
export type StoreFaults = {
  /** Statements that are late, and by how much at most. */
  lateRate: number
  lateMsMax: number
  failRate: number
  /** Commits that are done although the caller hears of a failure. */
  lostAnswerRate: number
}

export type SimStore = {
  database: Database
  /** The store as one process sees it; `committed` is told where the chain stood by then. */
  connect(
    life: Life,
    faults: () => StoreFaults,
    committed: (chain: ChainRow | null) => void,
  ): Database
  /** Forgets all rows, for the next run. */
  wipe(): void
}

/** Sees what a transaction has written, as the last thing in it; its commit does not fail. */
export type Watch = (tx: Database, life: Life) => Promise<void>

export type SimStores = {
  open(clock: VirtualClock, chance: Chance, watch?: Watch): SimStore
}

type Connection = {
  clock: VirtualClock
  chance: Chance
  life: Life
  faults: () => StoreFaults
  watch: Watch | undefined
}

/** Thrown in the transactions of the dead, so that they are rolled back. */
class Died extends Error {}

/** Runs have few deliveries: some are listed together, and some are done too late for that. */
const CREATED_MAX = 8

export const NO_FAULTS: StoreFaults = {
  lateRate: 0,
  lateMsMax: 0,
  failRate: 0,
  lostAnswerRate: 0,
}

/** One store in memory for all runs of a test: making its tables takes longer than a run. */
export async function openSimStores(): Promise<SimStores> {
  const database = WORLD === 'postgres' ? await openOnPostgres() : openSqlite(':memory:')
  if (WORLD === 'embedded') await migrate(database)
  await database.query(sql`UPDATE listing SET created_max = ${CREATED_MAX}`)
  const wiping = (await tablesOf(database)).map(wipingText)
  // Events of each run are numbered alike.
  if (WORLD === 'postgres') wiping.push("SELECT setval('event_numbers', 1, false)")
  return {
    open(clock, chance, watch) {
      const store: SimStore = {
        database,
        connect: (life, faults, committed) =>
          connect({ clock, chance, life, faults, watch }, database, committed),
        wipe() {
          for (const text of wiping) {
            clock.settle(database.query({ parts: [text], values: [] }), 0)
          }
        },
      }
      return store
    },
  }
}

/** Runs begin at event numbers that only stores of many years have: they have partitions too. */
async function openOnPostgres(): Promise<Database> {
  const { url } = await migratedDatabase()
  const db = openTestPostgres(url)
  for (const event of [2 ** 31, 2 ** 38]) {
    await db.transaction((tx) => makeDay(tx, dayOfEvent(event)))
  }
  await db.close()
  return openSyncPostgres(url)
}

function connect(
  connection: Connection,
  inner: Database,
  committed: (chain: ChainRow | null) => void,
): Database {
  const { life } = connection
  const database: Database = {
    async query<Row>(statement: Sql) {
      // What is written is a transaction of its own, which may be committed and not heard of.
      if (isWrite(statement)) return database.transaction((tx) => tx.query<Row>(statement))
      await reach(connection)
      if (!life.alive) return never()
      const rows = await inner.query<Row>(statement)
      life.step('statement')
      return heard(connection, rows)
    },
    each: (statement, rows) => database.transaction((tx) => tx.each(statement, rows)),
    async transaction<T>(work: (tx: Transaction) => Promise<T>) {
      await reach(connection)
      if (!life.alive) return never()
      let result: T
      try {
        result = await inner.transaction((tx) => within(connection, tx, work, committed))
      } catch (thrown) {
        if (!life.alive) return never()
        throw thrown
      }
      life.step('committed')
      if (!life.alive) return never()
      if (strikes(connection, 'lostAnswerRate')) throw unavailable('answer lost')
      return heard(connection, result)
    },
    perform: (procedure, args) => database.transaction((tx) => procedure.run(tx, args)),
    close: async () => {},
  }
  return database
}

/** All of a transaction: `committed` is told before its commit, which does not fail any more. */
async function within<T>(
  connection: Connection,
  tx: Transaction,
  work: (tx: Transaction) => Promise<T>,
  committed: (chain: ChainRow | null) => void,
): Promise<T> {
  const { life, watch } = connection
  const last: (() => Promise<unknown>)[] = []
  const made = await work(guarded(connection, tx, last))
  await Promise.all(last.map((statements) => statements()))
  life.step('commit')
  if (!life.alive) throw new Died()
  const chain = await chainIn(tx)
  if (watch) await watch(tx, life)
  committed(chain)
  return made
}

/** An answer reaches a process that sleeps when it wakes up, and one that is dead never. */
async function heard<T>({ clock, life }: Connection, answer: T): Promise<T> {
  if (life.wakesAtMs > clock.elapsedMs()) {
    await new Promise<void>((resolve) => void clock.after(0, resolve, life))
  }
  return life.alive ? answer : never()
}

const WRITES = /^\s*(INSERT|UPDATE|DELETE)\b/

function isWrite({ parts }: Sql): boolean {
  return WRITES.test(parts[0] ?? '')
}

/** The `tx` of one process: it throws when the process is dead. */
function guarded(
  connection: Connection,
  tx: Transaction,
  last: (() => Promise<unknown>)[],
): Transaction {
  const { life } = connection
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!life.alive) throw new Died()
    await late(connection)
    life.step('statement')
    if (!life.alive) throw new Died()
    const answer = await work()
    life.step('statement')
    if (!life.alive) throw new Died()
    return answer
  }
  // Statements asked at once are answered in that order, as over one connection.
  let turn: Promise<unknown> = Promise.resolve()
  let waiting = 0
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = waiting > 0 ? turn.then(() => ask(work)) : ask(work)
    waiting += 1
    turn = mine.then(
      () => void waiting--,
      () => void waiting--,
    )
    return mine
  }
  const guardedTx: Transaction = {
    query: <Row>(statement: Sql) => inTurn(() => tx.query<Row>(statement)),
    each: (statement, rows) => inTurn(() => tx.each(statement, rows)),
    transaction: (work) => tx.transaction(work),
    perform: (procedure, args) => procedure.run(guardedTx, args),
    last: (statements) => void last.push(statements),
    close: () => tx.close(),
  }
  return guardedTx
}

/** The way to the store: it may take long, and fail before anything was done. */
async function reach(connection: Connection): Promise<void> {
  const { life } = connection
  life.step('statement')
  if (!life.alive) return
  await late(connection)
  if (life.alive && strikes(connection, 'failRate')) throw unavailable('not reached')
}

async function late(connection: Connection): Promise<void> {
  const { clock, chance, faults } = connection
  if (!strikes(connection, 'lateRate')) return
  const ms = Math.ceil(chance.fraction() ** 4 * faults().lateMsMax)
  await new Promise<void>((resolve) => void clock.after(ms, resolve))
}

function strikes({ chance, faults }: Connection, which: keyof Omit<StoreFaults, 'lateMsMax'>) {
  const rate = faults()[which]
  return rate > 0 && chance.fraction() < rate
}

function unavailable(reason: string): Failure {
  return new Failure('database_unavailable', { reason })
}

/** The promise that dead processes wait for. */
function never<T>(): Promise<T> {
  return new Promise(() => {})
}

async function chainIn(tx: Database): Promise<ChainRow | null> {
  const rows = await tx.query<ChainRow>(sql`
    SELECT sequence_number, tip_number, tip_hash, finalized FROM chains
    WHERE network = ${NETWORK}`)
  return rows[0] ?? null
}

/** What the migrations themselves have put into tables stays, as it was at first. */
function wipingText(table: string): string {
  if (table === 'shards') return 'UPDATE shards SET courier = NULL WHERE courier IS NOT NULL'
  if (table === 'retention') return 'UPDATE retention SET event = 0'
  if (table === 'listing') return 'UPDATE listing SET event = 0, next_event = 0, created = 0'
  return `DELETE FROM ${table}`
}

/** The youngest first: what refers to another table was made after it. */
async function tablesOf(database: Database): Promise<string[]> {
  const names =
    WORLD === 'postgres'
      ? sql`
        SELECT CAST(relname AS TEXT) AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
          AND NOT relispartition AND relname NOT IN ('migrations', 'event_days')
        ORDER BY oid DESC`
      : sql`
        SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'migrations'
        ORDER BY rowid DESC`
  return (await database.query<{ name: string }>(names)).map(({ name }) => name)
}
