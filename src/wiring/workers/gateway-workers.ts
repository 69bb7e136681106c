import { within } from '../../core/async/within.ts'
import { Failure } from '../../core/errors.ts'
import { openWorkerSlot, type SlotNeeds, type WorkerSlot } from './worker-slot.ts'

type Needs = Omit<SlotNeeds, 'changed'> & {
  workers: number
  releasePort(): Promise<void>
}

export type GatewayWorkers = {
  /** At least one of them takes calls. */
  isServing(): boolean
  stop(graceMs: number): Promise<void>
}

const LOOK_EVERY_MS = 1000

/** A worker opens in a fraction of a second; a machine under heavy load may need more. */
const OPEN_MS_MAX = 30_000

/** Starts the workers, hands the port over to them, and replaces those that end. */
export async function startGatewayWorkers(needs: Needs): Promise<GatewayWorkers> {
  const { clock, telemetry } = needs
  let check = () => {}
  const slots = Array.from({ length: needs.workers }, () =>
    openWorkerSlot({ ...needs, changed: () => check() }),
  )
  const inState = (state: WorkerSlot['state']) =>
    slots.filter((slot) => slot.state === state).length
  const listening = () => inState('listening')

  /** Resolves when all are in that state; how one of them failed instead. */
  const reached = (state: WorkerSlot['state']) => {
    const { promise, resolve } = Promise.withResolvers<string | null>()
    check = () => {
      const failure = slots.find((slot) => slot.failure !== null)?.failure ?? null
      if (failure !== null || inState(state) === slots.length) resolve(failure)
    }
    check()
    return within(clock, OPEN_MS_MAX, promise, () => 'too slow')
  }

  const stopLooking = clock.every(LOOK_EVERY_MS, () => {
    for (const slot of slots) slot.look()
  })
  const forgetGauge = telemetry.gauge('headgate_gateway_workers', {}, listening)
  const stop = async (graceMs: number) => {
    stopLooking()
    forgetGauge()
    await Promise.all(slots.map((slot) => slot.stop(graceMs)))
  }
  const open = async (): Promise<string | null> => {
    const unopened = await reached('opened')
    if (unopened !== null) return unopened
    await needs.releasePort()
    for (const slot of slots) slot.listen()
    return reached('listening')
  }

  const failure = await open()
  if (failure !== null) {
    await stop(0)
    throw new Failure('start_failed', { part: 'gateway worker', exit: failure })
  }
  return { isServing: () => listening() > 0, stop }
}
