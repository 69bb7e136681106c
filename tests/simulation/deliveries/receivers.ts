import type { EgressFault } from '../../../src/ports/egress.ts'
import type { Chance } from '../../support/basics/seeded-chance.ts'
import type { HostPlan, Temper } from './plan-deliveries.ts'

/** What becomes of one POST. */
export type Reception = {
  /** When the destination has taken it in, whatever the sender hears; null when it never does. */
  acceptedAfterMs: number | null
  /** When the sender hears of it, if it waits so long. */
  afterMs: number
  status: number | null
  fault: EgressFault | null
  patience: Patience | null
}

/**
 * What a destination says about when to come back: so long after it was heard, at a time of day,
 * or nothing that can be understood.
 */
export type Patience = { header: string; waitMs: number | null; untilMs: number | null }

export type Receivers = {
  receive(host: string, elapsedMs: number, heardAtMs: (afterMs: number) => number): Reception
  temperOf(host: string, elapsedMs: number): Temper
}

/** Long past any deadline. */
const FOREVER_MS = 60_000
const LATE_MS_MAX = 8_000

const FAULTS = ['dns', 'connect', 'tls', 'reset', 'protocol'] as const
const STATUSES = [200, 201, 204, 301, 400, 404, 429, 500, 502, 503] as const
const BUSY = [429, 503] as const

/** What a host of any temper may do, by name; a flaky one does any of it. */
type Way = Exclude<Temper, 'flaky' | 'gone' | 'refused' | 'not_found'> | 'answers'
const FLAKY_WAYS: readonly Way[] = [
  'well',
  'well',
  'well',
  'dead',
  'hanging',
  'late',
  'overloaded',
  'failing',
  'resetting',
  'answers',
]

export function openReceivers(plans: readonly HostPlan[], chance: Chance): Receivers {
  const byName = new Map(plans.map((plan) => [plan.name, plan]))
  const temperOf = (host: string, elapsedMs: number): Temper => {
    const tempers = byName.get(host)?.tempers ?? []
    return tempers.findLast(({ fromMs }) => fromMs <= elapsedMs)?.temper ?? 'well'
  }
  return {
    temperOf,
    receive(host, elapsedMs, heardAtMs) {
      const temper = temperOf(host, elapsedMs)
      const way = temper === 'flaky' ? chance.pick(FLAKY_WAYS) : temper
      const afterMs = chance.between(0, byName.get(host)?.latencyMs ?? 0)
      const reception = receptionOf(chance, way, afterMs)
      if (reception.status === null || reception.status < 300) return reception
      return { ...reception, patience: patienceOf(chance, heardAtMs(reception.afterMs)) }
    },
  }
}

function receptionOf(chance: Chance, way: Exclude<Temper, 'flaky'> | 'answers', afterMs: number) {
  if (way === 'well') return answer(200, afterMs)
  if (way === 'not_found') return answer(404, afterMs)
  if (way === 'gone') return answer(410, afterMs)
  if (way === 'failing') return answer(500, afterMs)
  if (way === 'overloaded') return answer(chance.pick(BUSY), afterMs)
  if (way === 'answers') return answer(chance.pick(STATUSES), afterMs)
  if (way === 'refused') return failure('refused_address', 0, null)
  if (way === 'dead') return failure(chance.pick(FAULTS), afterMs, null)
  if (way === 'hanging') return failure('timeout', FOREVER_MS, null)
  if (way === 'resetting') return failure('reset', afterMs, chance.pick([null, afterMs]))
  return answer(200, chance.between(0, LATE_MS_MAX))
}

function answer(status: number, afterMs: number): Reception {
  const acceptedAfterMs = status < 300 ? afterMs : null
  return { acceptedAfterMs, afterMs, status, fault: null, patience: null }
}

function failure(fault: EgressFault, afterMs: number, acceptedAfterMs: number | null): Reception {
  return { acceptedAfterMs, afterMs, status: null, fault, patience: null }
}

/** Seconds, a date, far too much, or nothing that can be understood. */
function patienceOf(chance: Chance, heardAtMs: number): Patience | null {
  const seconds = chance.pick([0, 1, 3, 10])
  switch (chance.between(0, 5)) {
    case 0:
      return { header: `${seconds}`, waitMs: seconds * 1000, untilMs: null }
    case 1: {
      const untilMs = Math.floor(heardAtMs / 1000) * 1000 + seconds * 1000
      return { header: new Date(untilMs).toUTCString(), waitMs: null, untilMs }
    }
    case 2:
      if (chance.fraction() < 0.9) return null
      return { header: '100000', waitMs: 100_000_000, untilMs: null }
    case 3:
      return { header: chance.pick(['soon', '-5', '1.5', '']), waitMs: null, untilMs: null }
    default:
      return null
  }
}
