/** The part of the clock that is needed: core has none of its own. */
type SliceClock = { monotonicMs(): number; sleep(delayMs: number): Promise<void> }

/** Requests wait for one slice at most, so it is short; a turn of the loop costs far less. */
const SLICE_MS = 5

/**
 * An `await` alone is no rest: what is answered in this thread, as reads of an embedded store are,
 * goes on before anybody else is served.
 */
export function openTimeSlices(clock: SliceClock) {
  let endsAtMs = clock.monotonicMs() + SLICE_MS
  return {
    /** To be awaited after each step of the work; lets others go first once a slice is used up. */
    async rest(): Promise<void> {
      if (clock.monotonicMs() < endsAtMs) return
      await clock.sleep(0)
      endsAtMs = clock.monotonicMs() + SLICE_MS
    },
  }
}
