import { type MessagePort, workerData } from 'node:worker_threads'
import {
  openPostgresConnection,
  type PostgresConnection,
} from '../../src/cluster/postgres/postgres-connection.ts'
import type { Asked, Said } from './sync-postgres.ts'

/** Runs statements on one connection for a thread that sleeps until each is answered. */
const { url, port, answered } = workerData as {
  url: string
  port: MessagePort
  answered: Int32Array<SharedArrayBuffer>
}

const connection = openPostgresConnection({
  url,
  isPooled: false,
  nowMs: () => performance.now(),
  connectMs: 5000,
})

port.on('message', async (asked: Asked) => {
  port.postMessage(await answer(connection, asked))
  Atomics.store(answered, 0, asked.number)
  Atomics.notify(answered, 0)
})

async function answer(on: PostgresConnection, { call, statement, rows }: Asked): Promise<Said> {
  try {
    if (call === 'run') return { value: await on.run(statement) }
    if (call === 'each') return { value: await on.each(statement, rows) }
    return { value: await on[call]() }
  } catch (thrown) {
    return { error: String(thrown) }
  }
}
