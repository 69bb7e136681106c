import { expect, test } from 'bun:test'
import { Worker } from 'node:worker_threads'
import { sleepUntilAnswered } from './sync-postgres.ts'

/** Wakes the other thread for nothing until that has gone to sleep, and only then answers. */
const WAKES_TOO_EARLY = `
  const { workerData: answered } = require('node:worker_threads')
  const isAsleep = () => Atomics.notify(answered, 0) > 0
  while (!isAsleep()) {}
  answered[1] = 1
  Atomics.store(answered, 0, 8)
  Atomics.notify(answered, 0)
`

test('a wake-up that is late is not taken for the answer to the next question', () => {
  const answered = new Int32Array(new SharedArrayBuffer(8))
  Atomics.store(answered, 0, 7)
  const worker = new Worker(WAKES_TOO_EARLY, { eval: true, workerData: answered })
  sleepUntilAnswered(answered, 8)
  expect(Array.from(answered)).toEqual([8, 1])
  worker.terminate()
})
