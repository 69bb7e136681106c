import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { openSqliteHere } from '../../src/embedded/database/sqlite-database.ts'
import type { Database, Sql, SqlValue } from '../../src/ports/database.ts'

type Rows = readonly (readonly SqlValue[])[]

export type Asked = {
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
  const isAnswered = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL('./postgres-thread.ts', import.meta.url), {
    workerData: { url, port: port2, isAnswered },
    transferList: [port2],
  })
  worker.unref()
  await new Promise((resolve) => worker.once('online', resolve))

  const ask = (call: Asked['call'], statement = NO_STATEMENT, rows: Rows = []): unknown => {
    Atomics.store(isAnswered, 0, 0)
    port1.postMessage({ call, statement, rows } satisfies Asked)
    if (Atomics.wait(isAnswered, 0, 0, PATIENCE_MS) === 'timed-out') throw new Error(`no ${call}`)
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
