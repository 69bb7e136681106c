import type { SqlValue } from '../../ports/database.ts'

export type WorkerOrder = { id: number } & (
  | { kind: 'open'; path: string }
  | { kind: 'perform'; procedure: string; args: unknown }
  | { kind: 'run'; text: string; values: readonly SqlValue[] }
  | { kind: 'each'; text: string; rows: readonly (readonly SqlValue[])[] }
  | { kind: 'begin' | 'commit' | 'rollback' | 'close' }
)

type Order = WorkerOrder extends infer One
  ? One extends { id: number }
    ? Omit<One, 'id'>
    : never
  : never

export type WorkerAnswer = {
  id: number
  answer: unknown
  fault: { message: string; code: string } | null
}

/** An engine in another thread; the same as `SqliteEngine`, with promises. */
export type SqliteThread = {
  run(text: string, values: readonly SqlValue[]): Promise<Record<string, unknown>[]>
  each(text: string, rows: readonly (readonly SqlValue[])[]): Promise<number[]>
  /** Runs a procedure that the thread's script knows by this name, in a transaction. */
  perform(procedure: string, args: unknown): Promise<unknown>
  begin(): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
  close(): Promise<void>
}

type Waiting = {
  resolve(answer: unknown): void
  reject(error: Error): void
}

/** An error of SQLite, with its code as SQLite names it. */
class SqliteFault extends Error {
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

/** The address of a script that calls `serveStore` with the procedures of the thread. */
export type ThreadScript = string

const PLAIN = new URL('./plain-sqlite-worker.ts', import.meta.url).href

/** Opens the file in a thread of its own, so that waiting for the disk holds up nobody. */
export async function startSqliteThread(
  path: string,
  script: ThreadScript = PLAIN,
): Promise<SqliteThread> {
  const worker = new Worker(script)
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let unsent: WorkerOrder[] = []

  worker.onmessage = (event: MessageEvent<WorkerAnswer[]>) => {
    for (const { id, answer, fault } of event.data) {
      const one = waiting.get(id)
      waiting.delete(id)
      if (fault) one?.reject(new SqliteFault(fault.message, fault.code))
      else one?.resolve(answer)
    }
  }
  worker.onerror = () => {
    for (const one of waiting.values()) one.reject(new SqliteFault('thread ended', 'SQLITE_IOERR'))
    waiting.clear()
  }

  // What is ordered in one go travels in one message, and so do the answers: to wake a thread
  // costs more than many a statement.
  const send = () => {
    const orders = unsent
    unsent = []
    worker.postMessage(orders)
  }

  const ask = <Answer>(order: Order) =>
    new Promise<Answer>((resolve, reject) => {
      const id = ++lastId
      waiting.set(id, { resolve: (answer) => resolve(answer as Answer), reject })
      if (unsent.push({ ...order, id }) === 1) queueMicrotask(send)
    })

  const obeyed = (kind: 'begin' | 'commit' | 'rollback') => async () => {
    await ask({ kind })
  }

  try {
    await ask({ kind: 'open', path })
  } catch (error) {
    worker.terminate()
    throw error
  }
  return {
    run: (text, values) => ask<Record<string, unknown>[]>({ kind: 'run', text, values }),
    each: (text, rows) => ask<number[]>({ kind: 'each', text, rows }),
    perform: (procedure, args) => ask({ kind: 'perform', procedure, args }),
    begin: obeyed('begin'),
    commit: obeyed('commit'),
    rollback: obeyed('rollback'),
    async close() {
      await ask({ kind: 'close' })
      worker.terminate()
    },
  }
}
