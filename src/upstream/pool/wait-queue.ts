import { Failure } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'

type Rejectable = { reject(failure: Failure): void }

export type WaitQueue<T extends Rejectable> = ReturnType<typeof openWaitQueue<T>>

export type ShareQueues<T extends Rejectable> = ReturnType<typeof openShareQueues<T>>

/** More than ten batches of the largest size; beyond it, waiting would be hopeless. */
const WAITING_MAX = 10_000
const WAIT_MS_MAX = 10_000

/** Requests that wait because every upstream is full, first come first served. */
export function openWaitQueue<T extends Rejectable>(clock: Clock) {
  const waiting = new Map<T, () => void>()
  return {
    get length(): number {
      return waiting.size
    },
    /** Lets a request wait; it fails when the queue is too long or does not move. */
    enqueue(request: T) {
      if (waiting.size >= WAITING_MAX) return request.reject(new Failure('upstream_unreachable'))
      const stopTimer = clock.after(WAIT_MS_MAX, () => {
        waiting.delete(request)
        request.reject(new Failure('upstream_timed_out'))
      })
      waiting.set(request, stopTimer)
    },
    /** Launches waiting requests, in order, for as long as `launch` finds a place for them. */
    drain(launch: (request: T) => boolean): void {
      for (const [request, stopTimer] of waiting) {
        if (!launch(request)) return
        stopTimer()
        waiting.delete(request)
      }
    },
  }
}

/** Requests that wait because their callers use up their shares: a queue for each caller. */
export function openShareQueues<T extends Rejectable>(clock: Clock) {
  const queues = new Map<string, WaitQueue<T>>()
  return {
    /** The number of callers who wait. */
    get length(): number {
      return queues.size
    },
    enqueue(share: string, request: T): void {
      const queue = queues.get(share) ?? openWaitQueue<T>(clock)
      queues.set(share, queue)
      queue.enqueue(request)
    },
    /** Launches whatever finds a place. A caller without one holds up no other. */
    drain(launch: (request: T) => boolean): void {
      for (const [share, queue] of queues) {
        queue.drain(launch)
        if (queue.length === 0) queues.delete(share)
      }
    },
  }
}
