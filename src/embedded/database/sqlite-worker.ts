import { assert, Failure } from '../../core/errors.ts'
import type { Database, Procedure } from '../../ports/database.ts'
import { openDiskSync } from './disk-sync.ts'
import { type LogSyncThread, startLogSyncThread } from './log-sync-thread.ts'
import { openSqliteHere } from './sqlite-database.ts'
import { openSqliteEngine, type SqliteEngine } from './sqlite-engine.ts'
import type { WorkerAnswer, WorkerOrder } from './sqlite-thread.ts'

declare const self: Worker

let engine: SqliteEngine | null = null
let database: Database | null = null
let procedures: readonly Procedure<never, unknown>[] = []
let log: LogSyncThread | null = null
let isInTransaction = false
let turn: Promise<void> = Promise.resolve()

const disk = openDiskSync(syncLog)

/**
 * Makes this thread the one of a store, which holds up nobody. What is committed is answered
 * when it is safe on the disk, and the next orders are obeyed meanwhile.
 */
export function serveStore(known: readonly Procedure<never, unknown>[]): void {
  procedures = known
  self.onmessage = (event: MessageEvent<WorkerOrder[]>) => {
    turn = turn.then(async () => {
      const answers: WorkerAnswer[] = []
      let isCommitted = false
      for (const order of event.data) {
        answers.push(await answerTo(order))
        isCommitted ||= commits(order)
      }
      if (isCommitted) disk.whenSafe((fault) => self.postMessage(fault ? unsafe(answers) : answers))
      else self.postMessage(answers)
    })
  }
}

function commits({ kind }: WorkerOrder): boolean {
  if (kind === 'begin') isInTransaction = true
  if (kind === 'commit' || kind === 'rollback') isInTransaction = false
  return kind !== 'open' && kind !== 'close' && kind !== 'rollback' && !isInTransaction
}

async function answerTo(order: WorkerOrder): Promise<WorkerAnswer> {
  const answer: WorkerAnswer = { id: order.id, answer: null, fault: null }
  try {
    answer.answer = await obey(order)
  } catch (thrown) {
    answer.fault = { message: thrown instanceof Error ? thrown.message : '', code: codeOf(thrown) }
  }
  return answer
}

/** As SQLite names it, also where a procedure was told of it as a failure of the store. */
function codeOf(thrown: unknown): string {
  if (thrown instanceof Failure) return String(thrown.facts.code ?? thrown.code)
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}

async function obey(order: WorkerOrder): Promise<unknown> {
  if (order.kind === 'open') return open(order.path)
  if (order.kind === 'run') return engine?.run(order.text, order.values)
  if (order.kind === 'each') return engine?.each(order.text, order.rows)
  if (order.kind === 'perform') return perform(order.procedure, order.args)
  if (order.kind === 'begin') engine?.begin()
  if (order.kind === 'commit') engine?.commit()
  if (order.kind === 'rollback') engine?.rollback()
  if (order.kind === 'close') await close()
}

function open(path: string): void {
  engine = openSqliteEngine(path, 'unsynced')
  database = openSqliteHere(engine)
  log = startLogSyncThread(`${path}-wal`)
}

async function close(): Promise<void> {
  await disk.rest()
  await log?.close()
  engine?.close()
}

async function perform(name: string, args: unknown): Promise<unknown> {
  const procedure = procedures.find((one) => one.name === name)
  assert(procedure !== undefined && database !== null, `${name} is a procedure of the tables`)
  return database.perform(procedure, args as never)
}

async function syncLog(): Promise<void> {
  assert(log !== null, 'only what is open is synced')
  return log.sync()
}

/** They may have happened, as with any commit whose answer is lost. */
function unsafe(answers: readonly WorkerAnswer[]): WorkerAnswer[] {
  const fault = { message: 'the disk did not take it', code: 'SQLITE_IOERR' }
  return answers.map((answer) => ({ ...answer, answer: null, fault }))
}
