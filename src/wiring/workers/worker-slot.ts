import packageJson from '../../../package.json' with { type: 'json' }
import { openBackoff } from '../../core/async/backoff.ts'
import { within } from '../../core/async/within.ts'
import { assert, Failure } from '../../core/errors.ts'
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

export type SlotOptions = {
  /** As things are now: a reload may change them. */
  opening(): WorkerOpening
  /** Resolves when a worker may listen. */
  portIsFree: Promise<void>
  /** Called with the state that a worker last reported, when it is gone. */
  ended(latest: WorkerState): void
}

/** How far the first process of a slot has come. Fails when that ends before it takes calls. */
type Stages = { opened: PromiseWithResolvers<void>; listening: PromiseWithResolvers<void> }

/** One process of a worker, from its start to its end. */
type Run = {
  child: WorkerChild
  calls: ProcessCalls<WorkerFunctions>
  isListening: boolean
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

/** A worker that ends is replaced after a pause, longer each time while they do not last. */
const PAUSE = { minMs: 100, maxMs: 10_000 }
const LASTS_MS = 30_000

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

/** A worker that takes longer takes the settings over later. */
const RELOAD_MS_MAX = 5000

/** One of the workers that there are to be, whichever process that is now. */
export function openWorkerSlot(drivers: ProcessDrivers, options: SlotOptions) {
  const { clock, telemetry } = drivers
  const backoff = openBackoff(PAUSE)
  const stages = newStages()
  let hasListened = false
  let isStopping = false
  let run = start()

  function start(): Run {
    const started = startRun(drivers, options, stages)
    void started.child.exited.then((how) => ended(started, how))
    return started
  }

  function ended(gone: Run, how: string): void {
    hasListened ||= gone.isListening
    gone.isListening = false
    gone.member?.leave()
    gone.member = null
    gone.calls.end()
    options.ended(gone.latest)
    gone.latest = { exposition: '', reports: [] }
    if (isStopping) return
    telemetry.log('error', 'gateway_worker_exited', { worker: gone.child.pid, exit: how })
    telemetry.count('headgate_gateway_worker_exits_total', {})
    if (!hasListened) {
      failStages(stages, how)
      return
    }
    if (clock.monotonicMs() - gone.startedAtMs >= LASTS_MS) backoff.reset()
    clock.after(backoff.nextMs(), () => {
      if (!isStopping) run = start()
    })
  }

  return {
    /** Resolves when its first process has opened its networks. */
    opened: stages.opened.promise,
    /** Resolves when its first process takes calls. */
    listening: stages.listening.promise,
    isListening: () => run.isListening,
    /** The worker's state, or what it last was where the answer is late. */
    workerState: () => workerState(clock, run),
    /** Resolves when it has the settings of now, or after some seconds. */
    reload: () => ask(clock, run, RELOAD_MS_MAX, 'reload', options.opening().settings),
    /** Kills a process that has been silent for long; to be called every two seconds. */
    look(): void {
      void workerState(clock, run)
      if (run.member && ++run.silentLooks > SILENT_LOOKS_MAX) run.child.kill()
    },
    async stop(graceMs: number): Promise<void> {
      isStopping = true
      const { child, calls } = run
      calls.call('stop', graceMs).catch(() => {})
      const cancel = clock.after(graceMs + STOP_MS_MORE, child.kill)
      await child.exited
      cancel()
    },
  }
}

function newStages(): Stages {
  const stages = { opened: Promise.withResolvers<void>(), listening: Promise.withResolvers<void>() }
  // The two are awaited one after the other, so a failure of the second may come unawaited.
  for (const { promise } of Object.values(stages)) promise.catch(() => {})
  return stages
}

function failStages({ opened, listening }: Stages, how: string): void {
  const failure = new Failure('start_failed', { part: 'gateway worker', exit: how })
  opened.reject(failure)
  listening.reject(failure)
}

function startRun(drivers: ProcessDrivers, options: SlotOptions, stages: Stages): Run {
  const child = startWorkerChild(drivers.writeLog, (sent) => {
    run.silentLooks = 0
    run.isLate = false
    run.calls.receive(sent)
  })
  const run: Run = {
    child,
    calls: openProcessCalls(
      child.send,
      mainFunctions(drivers, options, stages, () => run),
    ),
    isListening: false,
    startedAtMs: drivers.clock.monotonicMs(),
    member: null,
    latest: { exposition: '', reports: [] },
    silentLooks: 0,
    isLate: false,
  }
  return run
}

async function workerState(clock: Clock, run: Run): Promise<WorkerState> {
  run.latest = (await ask(clock, run, STATE_MS_MAX, 'state')) ?? run.latest
  return run.latest
}

/** The answer, or null where it is late. A process that hangs is waited for once. */
async function ask<Name extends keyof WorkerFunctions>(
  clock: Clock,
  run: Run,
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

function mainFunctions(
  drivers: ProcessDrivers,
  options: SlotOptions,
  stages: Stages,
  run: () => Run,
): MainFunctions {
  const { clock, signals, telemetry } = drivers
  return {
    join(version) {
      const wanted = packageJson.version
      if (version !== wanted) {
        telemetry.log('error', 'gateway_worker_version', { version, wanted })
        run().child.kill()
      }
      run().member = signals.join(async (topic, text) => {
        await ask(clock, run(), RECEIVE_MS_MAX, 'receive', topic, text)
      })
      return options.opening()
    },
    opened() {
      stages.opened.resolve()
      return options.portIsFree
    },
    listening() {
      run().isListening = true
      stages.listening.resolve()
    },
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
