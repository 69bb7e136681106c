import { openBackoff } from '../../core/async/backoff.ts'
import type { ProcessDrivers } from '../process-drivers.ts'
import {
  askWorker,
  lookAfter,
  type RunOptions,
  startWorkerRun,
  stopRun,
  type WorkerRun,
  workerState,
} from './worker-run.ts'
import type { WorkerState } from './worker-settings.ts'

export type SlotOptions = RunOptions & {
  /** A worker is gone, with the state it last reported. */
  ended(latest: WorkerState): void
}

/** One of the workers that there are to be, whichever process that is now. */
export type WorkerSlot = {
  readonly state: WorkerRun['state']
  /** How its first process ended, if it did before it took calls: then it is not replaced. */
  readonly failure: string | null
  workerState(): Promise<WorkerState>
  /** Resolves when it has the settings of now, or after some seconds. */
  reload(): Promise<unknown>
  look(): void
  stop(graceMs: number): Promise<void>
}

/** A worker that ends is replaced after a pause, longer each time while they do not last. */
const PAUSE = { minMs: 100, maxMs: 10_000 }
const LASTS_MS = 30_000

/** A worker that takes longer takes the settings over later. */
const RELOAD_MS_MAX = 5000

export function openWorkerSlot(drivers: ProcessDrivers, options: SlotOptions): WorkerSlot {
  const { clock, telemetry } = drivers
  const backoff = openBackoff(PAUSE)
  let hasListened = false
  let isStopping = false
  let failure: string | null = null
  let run = start()

  function start(): WorkerRun {
    const started = startWorkerRun(drivers, options)
    void started.child.exited.then((how) => ended(started, how))
    return started
  }

  function ended(gone: WorkerRun, how: string): void {
    hasListened ||= gone.state === 'listening'
    gone.state = 'starting'
    gone.member?.leave()
    gone.member = null
    gone.calls.end()
    options.ended(gone.latest)
    gone.latest = { exposition: '', reports: [] }
    if (isStopping) return
    telemetry.log('error', 'gateway_worker_exited', { worker: gone.child.pid, exit: how })
    telemetry.count('headgate_gateway_worker_exits_total', {})
    if (!hasListened) {
      failure = how
      options.changed()
      return
    }
    if (clock.monotonicMs() - gone.startedAtMs >= LASTS_MS) backoff.reset()
    clock.after(backoff.nextMs(), () => {
      if (!isStopping) run = start()
    })
  }

  return {
    get state() {
      return run.state
    },
    get failure() {
      return failure
    },
    workerState: () => workerState(clock, run),
    reload: () => askWorker(clock, run, RELOAD_MS_MAX, 'reload', options.opening().settings),
    look: () => lookAfter(clock, run),
    stop(graceMs) {
      isStopping = true
      return stopRun(clock, run, graceMs)
    },
  }
}
