import type { SqlValue } from '../../ports/database.ts'
import { openThreadCalls } from '../../ports/driver-parts/thread-calls.ts'
import type { SqliteEngine } from './sqlite-engine.ts'

export type StoreFunctions = Omit<SqliteEngine, 'close'> & {
  open(path: string): void
  /** Runs a procedure that the thread's script knows by this name, in a transaction. */
  perform(procedure: string, ...args: unknown[]): Promise<unknown>
  close(): Promise<void>
}

type MaybePromise<T> = T | Promise<T>

/** An engine that writes, in this thread or in another. */
export type SqliteWriter = {
  run(text: string, values: readonly SqlValue[]): MaybePromise<Record<string, unknown>[]>
  each(text: string, rows: readonly (readonly SqlValue[])[]): MaybePromise<number[]>
  /** Null where procedures run in this thread. */
  perform: ((procedure: string, args: readonly unknown[]) => Promise<unknown>) | null
  begin(): MaybePromise<void>
  /** The transaction is over afterwards, committed or not. */
  commit(): MaybePromise<void>
  rollback(): MaybePromise<void>
  close(): MaybePromise<void>
}

const PLAIN = new URL('./plain-store-thread.ts', import.meta.url).href

/** Opens the file in a thread of its own, so that waiting for the disk holds up nobody. */
export async function startSqliteThread(
  path: string,
  script: string | undefined,
): Promise<SqliteWriter> {
  const worker = new Worker(script ?? PLAIN)
  const { call, close, end } = openThreadCalls<StoreFunctions>(worker, { grouped: true })
  try {
    await call('open', [path])
  } catch (thrown) {
    end()
    throw thrown
  }
  return {
    run: (text, values) => call('run', [text, values]),
    each: (text, rows) => call('each', [text, rows]),
    perform: script ? (procedure, args) => call('perform', [procedure, ...args]) : null,
    begin: () => call('begin', []),
    commit: () => call('commit', []),
    rollback: () => call('rollback', []),
    close,
  }
}
