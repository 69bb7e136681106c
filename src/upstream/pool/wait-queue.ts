import { Failure } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'

/** Requests that wait because every upstream is full, first come first served. */
export type WaitQueue<T> = {
  readonly length: number
  /** Lets a request wait; it fails when the queue is too long or does not move. */
  enqueue(request: T): void
  /** Launches waiting requests, in order, for as long as `launch` finds a place for them. */
  drain(launch: (request: T) => boolean): void
}

/** More than ten batches of the largest size; beyond it, waiting would be hopeless. */
const WAITING_MAX = 10_000
const WAIT_MS_MAX = 10_000

export function openWaitQueue<T extends { reject(failure: Failure): void }>(
  clock: Clock,
): WaitQueue<T> {
  const waiting = new Map<T, () => void>()
  return {
    get length() {
      return waiting.size
    },
    enqueue(request) {
      if (waiting.size >= WAITING_MAX) return request.reject(new Failure('upstream_unreachable'))
      const stopTimer = clock.after(WAIT_MS_MAX, () => {
        waiting.delete(request)
        request.reject(new Failure('upstream_timed_out'))
      })
      waiting.set(request, stopTimer)
    },
    drain(launch) {
      for (const [request, stopTimer] of waiting) {
        if (!launch(request)) return
        stopTimer()
        waiting.delete(request)
      }
    },
  }
}

/** Requests that wait because their callers use up their shares: a queue for each caller. */
export type ShareQueues<T> = {
  /** The number of callers who wait. */
  readonly length: number
  enqueue(share: string, request: T): void
  /** Launches whatever finds a place. A caller without one holds up no other. */
  drain(launch: (request: T) => boolean): void
}

export function openShareQueues<T extends { reject(failure: Failure): void }>(
  clock: Clock,
): ShareQueues<T> {
  const queues = new Map<string, WaitQueue<T>>()
  return {
    get length() {
      return queues.size
    },
    enqueue(share, request) {
      const queue = queues.get(share) ?? openWaitQueue<T>(clock)
      queues.set(share, queue)
      queue.enqueue(request)
    },
    drain(launch) {
      for (const [share, queue] of queues) {
        queue.drain(launch)
        if (queue.length === 0) queues.delete(share)
      }
    },
  }
}
