/** A call older than this may answer with what has changed since, unseen. */
const JOIN_MS_MAX = 1000

/** Beyond this many different calls under way, each goes alone. */
const CALLS_MAX = 10_000

export function openSingleFlight<T>(monotonicMs: () => number) {
  const calls = new Map<string, { promise: Promise<T>; epoch: number; startedAtMs: number }>()
  return {
    /** The answer of a call like this one that was started in the same epoch. */
    join(key: string, epoch: number, nowMs = monotonicMs()): Promise<T> | undefined {
      const call = calls.get(key)
      if (!call || call.epoch !== epoch) return undefined
      if (nowMs - call.startedAtMs > JOIN_MS_MAX) return undefined
      return call.promise
    },
    /** Lets others join a call that was just started; `finish` must follow when it is over. */
    add(key: string, epoch: number, promise: Promise<T>, nowMs = monotonicMs()): void {
      if (calls.size < CALLS_MAX) calls.set(key, { promise, epoch, startedAtMs: nowMs })
    },
    /** Nobody joins it any more. */
    finish(key: string, promise: Promise<T>): void {
      if (calls.get(key)?.promise === promise) calls.delete(key)
    },
  }
}
