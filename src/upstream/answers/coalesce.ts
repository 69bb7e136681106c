/** Lets identical calls that are under way at the same time share one answer. */
export type Coalescer<T> = {
  /** The answer of a call like this one, made while the chain looked as it does now. */
  join(key: string, epoch: number, nowMs?: number): Promise<T> | undefined
  /** Runs the work for all who join; `land` must follow when it is over. */
  lead(key: string, epoch: number, work: () => Promise<T>, nowMs?: number): Promise<T>
  land(key: string, promise: Promise<T>): void
}

type Flight<T> = { promise: Promise<T>; epoch: number; startedAtMs: number }

/** What began earlier than this may answer with a chain that has moved on unseen. */
const JOIN_MS_MAX = 1000

/** Beyond this many different calls in flight, each goes alone. */
const FLIGHTS_MAX = 10_000

export function openCoalescer<T>(monotonicMs: () => number): Coalescer<T> {
  const flights = new Map<string, Flight<T>>()
  return {
    join(key, epoch, nowMs = monotonicMs()) {
      const flight = flights.get(key)
      if (!flight || flight.epoch !== epoch) return undefined
      return nowMs - flight.startedAtMs > JOIN_MS_MAX ? undefined : flight.promise
    },
    lead(key, epoch, work, nowMs = monotonicMs()) {
      const promise = work()
      if (flights.size >= FLIGHTS_MAX) return promise
      flights.set(key, { promise, epoch, startedAtMs: nowMs })
      return promise
    },
    land(key, promise) {
      if (flights.get(key)?.promise === promise) flights.delete(key)
    },
  }
}
