import type { SqlValue } from '../../ports/database.ts'
import { openThreadCalls } from '../thread-calls.ts'
import type { SqliteEngine } from './sqlite-engine.ts'

/** The functions of a store's thread. */
export type StoreFunctions = Omit<SqliteEngine, 'close'> & {
  open(path: string): void
  /** Runs a procedure that the thread's script knows by this name, in a transaction. */
  perform(procedure: string, ...args: unknown[]): Promise<unknown>
  close(): Promise<void>
}

/** An engine in another thread: the same as `SqliteEngine`, with promises. */
export type SqliteThread = {
  run(text: string, values: readonly SqlValue[]): Promise<Record<string, unknown>[]>
  each(text: string, rows: readonly (readonly SqlValue[])[]): Promise<number[]>
  perform(procedure: string, args: readonly unknown[]): Promise<unknown>
  begin(): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
  close(): Promise<void>
}

/** The address of a script that calls `serveStore` with the procedures of the thread. */
export type ThreadScript = string

const PLAIN = new URL('./plain-store-thread.ts', import.meta.url).href

/** Opens the file in a thread of its own, so that waiting for the disk holds up nobody. */
export async function startSqliteThread(
  path: string,
  script: ThreadScript = PLAIN,
): Promise<SqliteThread> {
  const { call, end } = openThreadCalls<StoreFunctions>(new Worker(script), { grouped: true })
  try {
    await call('open', [path])
  } catch (thrown) {
    end()
    throw thrown
  }
  return {
    run: (text, values) => call('run', [text, values]),
    each: (text, rows) => call('each', [text, rows]),
    perform: (procedure, args) => call('perform', [procedure, ...args]),
    begin: () => call('begin', []),
    commit: () => call('commit', []),
    rollback: () => call('rollback', []),
    async close() {
      try {
        await call('close', [])
      } finally {
        end()
      }
    },
  }
}
