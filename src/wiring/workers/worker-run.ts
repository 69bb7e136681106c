import packageJson from '../../../package.json' with { type: 'json' }
import { within } from '../../core/async/within.ts'
import { assert } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SignalMember } from '../../ports/signals.ts'
import { PROCEDURES } from '../../tables/procedures.ts'
import type { ProcessDrivers } from '../process-drivers.ts'
import { openProcessCalls, type ProcessCalls } from './process-calls.ts'
import { startWorkerChild, type WorkerChild } from './worker-child.ts'
import type {
  MainFunctions,
  WorkerFunctions,
  WorkerOpening,
  WorkerState,
} from './worker-settings.ts'

export type RunOptions = {
  /** As things are now: a reload may change them. */
  opening(): WorkerOpening
  /** Resolves when a worker may listen. */
  portIsFree: Promise<void>
  /** Called when the run reaches another state. */
  changed(): void
}

/** One process of a worker, from its start to its end. */
export type WorkerRun = {
  child: WorkerChild
  calls: ProcessCalls<WorkerFunctions>
  state: 'starting' | 'opened' | 'listening'
  startedAtMs: number
  /** Null until it has asked how to open: a process that starts is not waited for. */
  member: SignalMember | null
  /** The state that it last reported. */
  latest: WorkerState
  /** Looks in a row at which it had been silent since the last. */
  silentLooks: number
  /** It let the time for an answer pass, and has been silent since. */
  isLate: boolean
}

/** A worker answers each look; one that is silent for half a minute is killed. */
const SILENT_LOOKS_MAX = 15

/** Beyond the time that it was given, a worker that does not end is killed. */
const STOP_MS_MORE = 5000

/**
 * A worker that the machine has no time for may serve an outdated answer when it resumes; but one
 * that hangs must not hold up the answers of the others.
 */
const RECEIVE_MS_MAX = 2000

/** A worker that takes longer is shown as it was. */
const STATE_MS_MAX = 500

export function startWorkerRun(drivers: ProcessDrivers, options: RunOptions): WorkerRun {
  const child = startWorkerChild(drivers.writeLog, (sent) => {
    run.silentLooks = 0
    run.isLate = false
    run.calls.receive(sent)
  })
  const run: WorkerRun = {
    child,
    calls: openProcessCalls(
      child.send,
      mainFunctions(drivers, options, () => run),
    ),
    state: 'starting',
    startedAtMs: drivers.clock.monotonicMs(),
    member: null,
    latest: { exposition: '', reports: [] },
    silentLooks: 0,
    isLate: false,
  }
  return run
}

/** The answer, or null where it is late. A process that hangs is waited for once. */
export async function askWorker<Name extends keyof WorkerFunctions>(
  clock: Clock,
  run: WorkerRun,
  msMax: number,
  name: Name,
  ...args: Parameters<WorkerFunctions[Name]>
): Promise<Awaited<ReturnType<WorkerFunctions[Name]>> | null> {
  if (!run.member) return null
  const answer = run.calls.call(name, ...args).catch(() => null)
  if (run.isLate) return null
  return within(clock, msMax, answer, () => {
    run.isLate = true
    return null
  })
}

/** The worker's state, or what it last was where the answer is late. */
export async function workerState(clock: Clock, run: WorkerRun): Promise<WorkerState> {
  run.latest = (await askWorker(clock, run, STATE_MS_MAX, 'state')) ?? run.latest
  return run.latest
}

/** Kills a process that has been silent for long; to be called every two seconds. */
export function lookAfter(clock: Clock, run: WorkerRun): void {
  void workerState(clock, run)
  if (run.member && ++run.silentLooks > SILENT_LOOKS_MAX) run.child.kill()
}

export async function stopRun(clock: Clock, run: WorkerRun, graceMs: number): Promise<void> {
  const { child, calls } = run
  calls.call('stop', graceMs).catch(() => {})
  const cancel = clock.after(graceMs + STOP_MS_MORE, child.kill)
  await child.exited
  cancel()
}

function mainFunctions(
  drivers: ProcessDrivers,
  options: RunOptions,
  run: () => WorkerRun,
): MainFunctions {
  const { clock, signals } = drivers
  const reach = (state: WorkerRun['state']) => {
    run().state = state
    options.changed()
  }
  return {
    join(version) {
      refuseOtherVersion(drivers, version, run().child)
      run().member = signals.join(async (topic, text) => {
        await askWorker(clock, run(), RECEIVE_MS_MAX, 'receive', topic, text)
      })
      return options.opening()
    },
    opened() {
      reach('opened')
      return options.portIsFree
    },
    listening: () => reach('listening'),
    async publish(topic, text, reach) {
      await run().member?.publish(topic, text, reach)
    },
    perform(name, args) {
      const procedure = PROCEDURES.find((one) => one.name === name)
      assert(procedure !== undefined, `${name} is a procedure of the tables`)
      return drivers.database.perform(procedure, args as never)
    },
  }
}

/** After an upgrade on the disk, a process that starts now may be of another version. */
function refuseOtherVersion(
  { telemetry }: ProcessDrivers,
  version: string,
  { kill }: WorkerChild,
): void {
  const wanted = packageJson.version
  if (version === wanted) return
  telemetry.log('error', 'gateway_worker_version', { version, wanted })
  kill()
  throw new Error('another version')
}
