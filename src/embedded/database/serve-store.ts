import { coalesced } from '../../core/async/coalesced.ts'
import { assert } from '../../core/errors.ts'
import type { Database, Procedure } from '../../ports/database.ts'
import { serveThreadCalls } from '../../ports/driver-parts/thread-calls.ts'
import { type LogSyncThread, startLogSyncThread } from './log-sync-thread.ts'
import { openSqliteHere } from './sqlite-database.ts'
import { openSqliteEngine, type SqliteEngine } from './sqlite-engine.ts'
import type { StoreFunctions } from './sqlite-thread.ts'

declare const self: Worker

type Store = { engine: SqliteEngine; database: Database; log: LogSyncThread }

const NOT_ON_DISK = { message: 'the disk did not take it', code: 'SQLITE_IOERR' }

/**
 * Makes this thread the one of a store. The reply to a commit goes out when it is safe on the
 * disk, and the next calls are served meanwhile.
 */
export function serveStore(procedures: readonly Procedure<never, unknown>[]): void {
  let opened: Store | null = null
  const store = (): Store => {
    assert(opened !== null, 'a store is opened before it is used')
    return opened
  }
  const disk = openDiskSync(() => store().log.sync())
  const functions: StoreFunctions = {
    open(path) {
      const engine = openSqliteEngine(path, 'unsynced')
      const log = startLogSyncThread(`${path}-wal`)
      opened = { engine, database: openSqliteHere(engine), log }
    },
    run: (text, values) => store().engine.run(text, values),
    each: (text, rows) => store().engine.each(text, rows),
    begin: () => store().engine.begin(),
    commit: () => store().engine.commit(),
    rollback: () => store().engine.rollback(),
    async perform(name, ...args) {
      const procedure = procedures.find((one) => one.name === name)
      assert(procedure !== undefined, `${name} is a procedure of the tables`)
      const { unpack } = procedure
      return store().database.perform(procedure, (unpack ? unpack(args) : args) as never)
    },
    async close() {
      const { engine, log } = store()
      await disk.rest()
      await log.close()
      engine.close()
    },
  }
  const commits = openCommitWatch()
  serveThreadCalls(self, functions, {
    // A commit that the disk did not take may have happened, like any whose reply is lost.
    release(names, send) {
      const isCommitted = names.map(commits).includes(true)
      if (isCommitted) disk.whenSafe((fault) => send(fault ? NOT_ON_DISK : null))
      else send(null)
    },
  })
}

/** Tells of each call, in their order, whether something may be committed after it. */
function openCommitWatch(): (name: string) => boolean {
  let isInTransaction = false
  return (name) => {
    if (name === 'begin') isInTransaction = true
    if (name === 'commit' || name === 'rollback') isInTransaction = false
    return name !== 'open' && name !== 'close' && name !== 'rollback' && !isInTransaction
  }
}

/**
 * Waiting for the disk takes longer than the work it is for, so the work goes on meanwhile: one
 * sync at a time, and what is written while it lasts is made safe by the next one.
 */
export function openDiskSync(sync: () => Promise<void>) {
  let waiting: ((fault: unknown) => void)[] = []

  const round = async () => {
    const told = waiting
    waiting = []
    const fault = await sync().then(
      () => null,
      (thrown: unknown) => thrown,
    )
    for (const tell of told) tell(fault)
  }
  const rounds = coalesced(round, (bug) => {
    throw bug
  })

  return {
    /** `tell` is called once all that was written so far is on the disk, or with why it is not. */
    whenSafe(tell: (fault: unknown) => void) {
      waiting.push(tell)
      rounds.ask()
    },
    /** Ends when nothing is held back any more. */
    rest: rounds.idle,
  }
}
