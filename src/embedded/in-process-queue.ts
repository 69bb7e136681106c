import { assert } from '../core/errors.ts'
import type { Job, Queue, WorkOptions } from '../ports/queue.ts'

/** Beyond this, jobs are dropped: the rows they remind of are found by the next sweep. */
export const WAITING_JOBS_MAX = 100_000

type Handle = (job: Job) => Promise<void>

type Worker = { options: WorkOptions; handle: Handle; inHand: Set<Promise<void>>; stopped: boolean }

/** Reminders within one process. */
export function openInProcessQueue(): Queue {
  // A job that waits already is not added again: one reminder is enough, and a sweep
  // that repeats itself must not fill the queue.
  const waiting = new Map<string, Set<string>>()
  const workers = new Set<Worker>()
  let waitingJobs = 0
  let closed = false

  function add({ topic, id }: Job): void {
    const ids = waiting.get(topic) ?? new Set()
    if (ids.has(id) || waitingJobs >= WAITING_JOBS_MAX) return
    waiting.set(topic, ids.add(id))
    waitingJobs += 1
  }

  function take(topic: string): Job | null {
    const ids = waiting.get(topic)
    const next = ids?.values().next()
    if (!ids || !next || next.done) return null
    ids.delete(next.value)
    if (ids.size === 0) waiting.delete(topic)
    waitingJobs -= 1
    return { topic, id: next.value }
  }

  /** Gives the worker as much as it may have in hand. */
  function feed(worker: Worker): void {
    while (!worker.stopped && worker.inHand.size < worker.options.concurrencyMax) {
      const job = take(worker.options.topic)
      if (!job) return
      const done = attempt(worker.handle, job).then(() => {
        worker.inHand.delete(done)
        feed(worker)
      })
      worker.inHand.add(done)
    }
  }

  async function stop(worker: Worker): Promise<void> {
    worker.stopped = true
    workers.delete(worker)
    await Promise.all(worker.inHand)
  }

  return {
    async enqueue(jobs) {
      if (closed) return
      for (const job of jobs) add(job)
      for (const worker of workers) feed(worker)
    },
    async work(options, handle) {
      assert(options.concurrencyMax >= 1, 'a worker has at least one job in hand')
      assert(!closed, 'a closed queue has no workers')
      const worker: Worker = { options, handle, inHand: new Set(), stopped: false }
      workers.add(worker)
      feed(worker)
      return () => stop(worker)
    },
    async close() {
      closed = true
      waiting.clear()
      waitingJobs = 0
      await Promise.all([...workers].map(stop))
    },
  }
}

/** Ends well in any case: what failed is still due in its row, and the handler has reported why. */
async function attempt(handle: Handle, job: Job): Promise<void> {
  // Not in the stack of whoever enqueued it, who would otherwise wait for its first step.
  await Promise.resolve()
    .then(() => handle(job))
    .catch(() => {})
}
