import { drainMicrotasks } from 'bun:jsc'

/** The owner of timers, which fire only while it lives, and not while it sleeps. */
export type Owner = { readonly alive: boolean; readonly wakesAtMs: number }

/** Time that jumps from timer to timer; what a timer sets off is done before the next one. */
export type VirtualClock = {
  elapsedMs(): number
  after(delayMs: number, work: () => void, owner?: Owner): () => void
  every(periodMs: number, work: () => void, owner?: Owner): () => void
  /** Runs to that time, or until `done` says so after some timer. */
  runUntil(endMs: number, done?: () => boolean): void
  /** Waits for a promise that needs nothing but the clock, moving it no further than that. */
  settle<T>(work: Promise<T>, withinMs: number): T
}

type Timer = {
  atMs: number
  order: number
  everyMs: number | null
  work: () => void
  owner: Owner | undefined
  off: boolean
}

/** All is in this process, so all that awaits is microtasks, and draining them needs no loop. */
export function virtualClock(): VirtualClock {
  const heap: Timer[] = []
  let nowMs = 0
  let lastOrder = 0

  const set = (delayMs: number, everyMs: number | null, work: () => void, owner?: Owner) => {
    const atMs = nowMs + Math.max(0, delayMs)
    const timer: Timer = { atMs, order: ++lastOrder, everyMs, work, owner, off: false }
    push(heap, timer)
    return () => {
      timer.off = true
    }
  }

  const fire = (timer: Timer) => {
    if (timer.off || timer.owner?.alive === false) return
    if (timer.owner && timer.owner.wakesAtMs > timer.atMs) {
      timer.atMs = timer.owner.wakesAtMs
      timer.order = ++lastOrder
      push(heap, timer)
      return
    }
    nowMs = timer.atMs
    if (timer.everyMs !== null) {
      timer.atMs += timer.everyMs
      timer.order = ++lastOrder
      push(heap, timer)
    }
    timer.work()
    drainMicrotasks()
  }

  const clock: VirtualClock = {
    elapsedMs: () => nowMs,
    after: (delayMs, work, owner) => set(delayMs, null, work, owner),
    every: (periodMs, work, owner) => set(periodMs, periodMs, work, owner),
    runUntil(endMs, done) {
      drainMicrotasks()
      if (done?.()) return
      for (let next = heap[0]; next && next.atMs <= endMs; next = heap[0]) {
        pop(heap)
        fire(next)
        if (done?.()) return
      }
      nowMs = endMs
    },
    settle<T>(work: Promise<T>, withinMs: number): T {
      let outcome: { value: T } | { error: unknown } | null = null
      work.then(
        (value) => {
          outcome = { value }
        },
        (error) => {
          outcome = { error }
        },
      )
      clock.runUntil(nowMs + withinMs, () => outcome !== null)
      const settled = outcome as { value: T } | { error: unknown } | null
      if (settled === null) throw new Error('still waiting for a promise')
      if ('error' in settled) throw settled.error
      return settled.value
    },
  }
  return clock
}

function isSooner(one: Timer, other: Timer): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order)
}

function push(heap: Timer[], timer: Timer): void {
  let at = heap.push(timer) - 1
  while (at > 0) {
    const above = (at - 1) >> 1
    const parent = heap[above] as Timer
    if (!isSooner(timer, parent)) break
    heap[at] = parent
    at = above
  }
  heap[at] = timer
}

function pop(heap: Timer[]): void {
  const last = heap.pop()
  if (!last || heap.length === 0) return
  let at = 0
  for (;;) {
    let child = at * 2 + 1
    const [left, right] = [heap[child], heap[child + 1]]
    if (!left) break
    if (right && isSooner(right, left)) child++
    const next = heap[child] as Timer
    if (!isSooner(next, last)) break
    heap[at] = next
    at = child
  }
  heap[at] = last
}
