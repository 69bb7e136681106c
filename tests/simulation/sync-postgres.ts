import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { openSqliteHere } from '../../src/embedded/database/sqlite-database.ts'
import type { Database, Sql, SqlValue } from '../../src/ports/database.ts'

type Rows = readonly (readonly SqlValue[])[]

export type Asked = {
  number: number
  call: 'run' | 'each' | 'begin' | 'commit' | 'rollback' | 'close'
  statement: Sql
  rows: Rows
}

export type Said = { value: unknown } | { error: string }

const NO_STATEMENT: Sql = { parts: [''], values: [] }

const PATIENCE_MS = 30_000

/**
 * PostgreSQL by the driver of the product, in another thread, for which this one sleeps: virtual
 * time stands still meanwhile. Transactions come one after the other.
 */
export async function openSyncPostgres(url: string): Promise<Database> {
  const { port1, port2 } = new MessageChannel()
  const answered = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL('./postgres-thread.ts', import.meta.url), {
    workerData: { url, port: port2, answered },
    transferList: [port2],
  })
  worker.unref()
  await new Promise((resolve) => worker.once('online', resolve))

  let number = 0
  const ask = (call: Asked['call'], statement = NO_STATEMENT, rows: Rows = []): unknown => {
    number++
    port1.postMessage({ number, call, statement, rows } satisfies Asked)
    sleepUntilAnswered(answered, number)
    const said = receiveMessageOnPort(port1)?.message as Said
    if ('error' in said) throw new Error(said.error)
    return said.value
  }
  const statementOf = (text: string, values: readonly SqlValue[] = []): Sql => ({
    parts: text.split('?'),
    values,
  })
  return openSqliteHere({
    run: (text, values) => ask('run', statementOf(text, values)) as Record<string, unknown>[],
    each: (text, rows) => ask('each', statementOf(text), rows) as number[],
    begin: () => void ask('begin'),
    commit: () => void ask('commit'),
    rollback: () => void ask('rollback'),
    close() {
      ask('close')
      worker.terminate()
    },
  })
}

/**
 * Sleeps until the other thread has stored the number of this question. A wake-up alone says
 * nothing: that of the answer before may come late, when its number had been seen already.
 */
export function sleepUntilAnswered(answered: Int32Array<SharedArrayBuffer>, number: number): void {
  const endMs = performance.now() + PATIENCE_MS
  for (;;) {
    const last = Atomics.load(answered, 0)
    if (last === number) return
    if (performance.now() >= endMs) throw new Error(`question ${number} was not answered`)
    Atomics.wait(answered, 0, last, endMs - performance.now())
  }
}
