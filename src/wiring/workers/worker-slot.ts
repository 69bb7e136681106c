import packageJson from '../../../package.json' with { type: 'json' }
import { openBackoff } from '../../core/async/backoff.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { WriteLog } from '../embedded-drivers.ts'
import { startWorkerChild, type WorkerChild } from './worker-child.ts'
import type { HubMember, WorkerHub } from './worker-hub.ts'
import type { FromWorker, WorkerOpening } from './worker-messages.ts'

export type SlotNeeds = {
  clock: Clock
  telemetry: Telemetry
  writeLog: WriteLog
  hub: WorkerHub
  /** As things are now: a reload may change them. */
  opening(): WorkerOpening
  changed(): void
}

/** One of the workers that there are to be, whichever process that is now. */
export type WorkerSlot = {
  readonly state: 'starting' | 'opened' | 'listening'
  /** How its first process ended, if it did before it took calls: then it is not replaced. */
  readonly failure: string | null
  /** The port is free: this worker may listen, and so may those that replace it. */
  listen(): void
  /** Replaces a process that nothing was heard of for long; to be called every second. */
  look(): void
  stop(graceMs: number): Promise<void>
}

type Run = {
  child: WorkerChild
  member: HubMember | null
  state: WorkerSlot['state']
  startedAtMs: number
  /** Looks in a row at which nothing had been heard of it. */
  silentLooks: number
}

/** A worker that ends is replaced after a pause, longer each time while they do not last. */
const PAUSE = { minMs: 100, maxMs: 10_000 }
const LASTS_MS = 30_000

/** A worker gives a sign of life every two seconds; one that stands still is replaced. */
const SILENT_LOOKS_MAX = 30

/** Beyond the time that it was given, a worker that does not end is ended. */
const STOP_MS_MORE = 5000

export function openWorkerSlot(needs: SlotNeeds): WorkerSlot {
  const { clock, telemetry } = needs
  const backoff = openBackoff(PAUSE)
  let portIsFree = false
  let hasListened = false
  let isStopping = false
  let failure: string | null = null
  let run: Run = start()

  function start(): Run {
    const child = startWorkerChild(needs.writeLog, {
      message: (message) => receive(message),
      garbled: () => telemetry.count('headgate_worker_messages_ignored_total', {}),
    })
    void child.exited.then(ended)
    const startedAtMs = clock.monotonicMs()
    return { child, member: null, state: 'starting', startedAtMs, silentLooks: 0 }
  }

  function receive(message: FromWorker): void {
    run.silentLooks = 0
    if (message.kind === 'hello') run.member = admit(needs, run.child, message.version)
    if (message.kind === 'opened') {
      run.state = 'opened'
      if (portIsFree) run.child.send({ kind: 'listen' })
    }
    if (message.kind === 'listening') {
      run.state = 'listening'
      hasListened = true
    }
    run.member?.receive(message)
    if (run.state !== 'starting') needs.changed()
  }

  function ended(how: string): void {
    const { child, member, startedAtMs } = run
    member?.leave()
    run = { ...run, member: null, state: 'starting' }
    if (isStopping) return
    telemetry.log('error', 'gateway_worker_exited', { worker: child.pid, exit: how })
    telemetry.count('headgate_gateway_worker_exits_total', {})
    if (!hasListened) {
      failure = how
      needs.changed()
      return
    }
    if (clock.monotonicMs() - startedAtMs >= LASTS_MS) backoff.reset()
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
    listen() {
      portIsFree = true
      run.child.send({ kind: 'listen' })
    },
    look() {
      if (run.member && ++run.silentLooks > SILENT_LOOKS_MAX) run.child.kill()
    },
    async stop(graceMs) {
      isStopping = true
      const { child } = run
      child.send({ kind: 'stop', graceMs })
      const cancel = clock.after(graceMs + STOP_MS_MORE, child.kill)
      await child.exited
      cancel()
    },
  }
}

/** Opens a worker of our own version; after an upgrade on the disk there may be another. */
function admit(
  { hub, opening, telemetry }: SlotNeeds,
  child: WorkerChild,
  version: string,
): HubMember | null {
  if (version !== packageJson.version) {
    telemetry.log('error', 'gateway_worker_version', { version, wanted: packageJson.version })
    child.kill()
    return null
  }
  child.send({ kind: 'open', opening: opening() })
  return hub.join(child.send)
}
