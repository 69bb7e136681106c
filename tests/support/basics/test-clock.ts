import type { Clock } from '../../../src/ports/clock.ts'

/** A clock that moves on command. Both of its times start at the same moment. */
export type TestClock = Clock & {
  /** Moves time on, calling each timer at its own moment and letting what it started settle. */
  advance(ms: number): Promise<void>
  /** Moves time on without waiting for promises, for code that has none. */
  skip(ms: number): void
  /** Moves time on as for a process that stands still: what was due meanwhile comes late, once. */
  standStill(ms: number): void
  /** Sets the wall clock, as an operator or a leap of NTP would; durations do not notice. */
  setWall(nowMs: number): void
  /** Timers that are still set. */
  timers(): number
}

type Timer = { atMs: number; everyMs: number | null; work: () => void }

export function testClock(startMs = Date.UTC(2026, 4, 10, 12)): TestClock {
  const timers = new Set<Timer>()
  let elapsedMs = 0
  let wallMs = startMs

  const set = (delayMs: number, everyMs: number | null, work: () => void) => {
    const timer = { atMs: elapsedMs + delayMs, everyMs, work }
    timers.add(timer)
    return () => void timers.delete(timer)
  }

  const moveTo = (atMs: number) => {
    wallMs += atMs - elapsedMs
    elapsedMs = atMs
  }

  /** The next timer due until `endMs`, with the time moved to it. */
  const fire = (endMs: number): boolean => {
    let next: Timer | null = null
    for (const timer of timers) if (!next || timer.atMs < next.atMs) next = timer
    if (!next || next.atMs > endMs) return false
    moveTo(next.atMs)
    if (next.everyMs === null) timers.delete(next)
    else next.atMs += next.everyMs
    next.work()
    return true
  }

  const clock: TestClock = {
    nowMs: () => Math.floor(wallMs),
    monotonicMs: () => elapsedMs,
    after: (delayMs, work) => set(delayMs, null, work),
    every: (periodMs, work) => set(periodMs, periodMs, work),
    sleep: (delayMs) => new Promise((resolve) => void set(delayMs, null, resolve)),
    async advance(ms) {
      const endMs = elapsedMs + ms
      while (fire(endMs)) await settled()
      moveTo(endMs)
      await settled()
    },
    skip(ms) {
      const endMs = elapsedMs + ms
      while (fire(endMs)) {}
      moveTo(endMs)
    },
    standStill(ms) {
      moveTo(elapsedMs + ms)
      for (const timer of timers) timer.atMs = Math.max(timer.atMs, elapsedMs)
    },
    setWall(nowMs) {
      wallMs = nowMs
    },
    timers: () => timers.size,
  }
  return clock
}

/** Lets every promise that can go on without the outside world go on. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Longer than every deadline of a request, in steps that let answers come in. */
const STEPS_MAX = 2_000
const STEP_MS = 50

/** Moves the clock on until the work is done, and waits for work that is not done by then. */
export async function advanceUntil<T>(clock: TestClock, work: Promise<T>): Promise<T> {
  let done = false
  const ended = work.finally(() => {
    done = true
  })
  ended.catch(() => {})
  for (let step = 0; !done && step < STEPS_MAX; step++) await clock.advance(STEP_MS)
  return ended
}
