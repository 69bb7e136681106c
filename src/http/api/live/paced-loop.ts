import { errorText } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Telemetry } from '../../../ports/telemetry.ts'

type Needs = { clock: Clock; telemetry: Pick<Telemetry, 'log'> }

/** Works again and again: soon after a hint, often while there is something, else slowly. */
export type PacedLoop = {
  start(): void
  hint(): void
  stop(): void
}

/** Without a hint, and where it has just been busy. */
const SWEEP_MS = 1_000
const BUSY_SWEEP_MS = 250
const BUSY_MS = 1_500

/** Hints of the same moment are followed together. */
const GATHER_MS = 100

/** `work` tells whether it found something. */
export function openPacedLoop(
  { clock, telemetry }: Needs,
  work: () => Promise<boolean>,
): PacedLoop {
  let isRunning = false
  let isWorking = false
  let isHinted = false
  let isFailing = false
  let busyUntilMs = 0
  let unschedule = () => {}

  const schedule = (delayMs: number) => {
    unschedule()
    unschedule = clock.after(delayMs, () => void turn())
  }
  const keepBusy = () => {
    busyUntilMs = clock.monotonicMs() + BUSY_MS
  }

  const turn = async () => {
    isWorking = true
    isHinted = false
    try {
      if (await work()) keepBusy()
      isFailing = false
    } catch (thrown) {
      if (!isFailing) telemetry.log('warn', 'events_not_read', { error: errorText(thrown) })
      isFailing = true
    }
    isWorking = false
    const pauseMs = clock.monotonicMs() < busyUntilMs ? BUSY_SWEEP_MS : SWEEP_MS
    if (isRunning) schedule(isHinted ? GATHER_MS : pauseMs)
  }

  return {
    start() {
      isRunning = true
      if (!isWorking) schedule(SWEEP_MS)
    },
    hint() {
      if (!isRunning) return
      keepBusy()
      if (!isHinted && !isWorking) schedule(GATHER_MS)
      isHinted = true
    },
    stop() {
      isRunning = false
      unschedule()
    },
  }
}
