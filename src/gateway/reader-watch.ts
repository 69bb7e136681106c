import type { Clock } from '../ports/clock.ts'

/** A large answer on its way to its client. */
export type Reading = {
  /** Since when the client has taken nothing; Infinity while it waits for us. */
  idleSinceMs: number
  onStuck(): void
}

export type ReaderWatch = ReturnType<typeof openReaderWatch>

const LOOK_EVERY_MS = 1000

/** Watches clients that do not read what they asked for. */
export function openReaderWatch(
  clock: Pick<Clock, 'monotonicMs' | 'every'>,
  stuckMs: () => number,
) {
  const readings = new Set<Reading>()
  let stopLooking: (() => void) | null = null

  const look = () => {
    const nowMs = clock.monotonicMs()
    for (const reading of readings) {
      if (nowMs - reading.idleSinceMs >= stuckMs()) reading.onStuck()
    }
    if (readings.size > 0) return
    stopLooking?.()
    stopLooking = null
  }

  return {
    nowMs: () => clock.monotonicMs(),
    add(reading: Reading): void {
      readings.add(reading)
      stopLooking ??= clock.every(LOOK_EVERY_MS, look)
    },
    remove: (reading: Reading) => void readings.delete(reading),
  }
}
