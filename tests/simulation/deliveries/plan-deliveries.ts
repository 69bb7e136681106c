import type { Tier } from '../../../src/core/billing/plan.ts'
import type { Chance } from '../../support/basics/seeded-chance.ts'
import { aTier } from '../../support/product/a-tier.ts'
import { NO_FAULTS, type StoreFaults } from '../sim-store.ts'

/** How a host behaves for a while. */
export type Temper =
  | 'well'
  /** Anything may come back, now and then. */
  | 'flaky'
  | 'dead'
  | 'hanging'
  /** Accepts, but mostly after the sender has given up. */
  | 'late'
  | 'overloaded'
  | 'failing'
  /** Resets connections before or after it has taken the delivery in. */
  | 'resetting'
  | 'refused'
  | 'gone'
  | 'not_found'

export type HostPlan = {
  name: string
  /** From then on, until the next one; the last is for ever. */
  tempers: { fromMs: number; temper: Temper }[]
  latencyMs: number
}

export type CourierPlan = {
  name: string
  startAtMs: number
  /** It is stopped then and does not come back. */
  leavesAtMs: number | null
  /** It stands still, alone or with its machine. */
  sleeps: { atMs: number; forMs: number; isSuspended: boolean }[]
  skewMs: number
  /** Somebody sets its clock. */
  jump: { atMs: number; byMs: number } | null
}

/** All that a seed decides before the run begins. */
export type DeliveryPlan = {
  /** Added to the usual time of day; some runs begin shortly before a month ends. */
  wallOffsetMs: number
  /** Trouble of any kind ends here, but for hosts that never get well. */
  calmAtMs: number
  blockTimeMs: number
  reorganisationRate: number
  settings: { timeoutMs: number; retryDelaysMs: readonly number[] }
  tiers: ReadonlyMap<string, Tier>
  teams: { id: string; tier: string; autoscaling: boolean }[]
  webhooks: number
  orderedRate: number
  hosts: HostPlan[]
  couriers: CourierPlan[]
  /** A courier has the same name after a restart: then its lease need not lapse. */
  keepsNames: boolean
  /** Where events and webhooks begin to be counted: their keys may be larger than a number. */
  firstEvent: number
  firstWebhook: number
  /** All first webhooks are in one shard. */
  sharesShard: boolean
  /** How far the clocks of two couriers differ at most. */
  skewSpreadMs: number
  crashesMax: number
  downMsMax: number
  store: StoreFaults
  /** Answers of commits that take their time. */
  answers: { lateRate: number; lateMsMax: number }
  reminders: { lostRate: number; doubledRate: number; lateMsMax: number }
  changes: number
  /** Whether webhooks change their order and destinations, and deliveries are sent anew. */
  restless: boolean
}

/** The contract's, so that much still waits when the run ends, and short ones that end in it. */
const RETRY_DELAYS_MS = [
  [15_000, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000],
  [300],
  [500, 2_000],
  [500, 2_000],
  [1_000, 4_000, 10_000],
  [2_000, 5_000, 20_000, 60_000],
] as const

/** Few, so that many runs fit; now and then so many that queues form. */
const BLOCKS = [4, 8, 8, 16, 16, 40]

/** From the usual time of day on May 10 to shortly before June. */
const MONTH_END_MS = 21 * 86_400_000 + 12 * 3_600_000
const BEFORE_MONTH_END_MS = 15_000

/** From a long pause for the garbage to one that every lease lapses in. */
const SLEEPS_MS = [300, 2_000, 6_000, 11_000, 25_000]

const TEMPERS: readonly Temper[] = [
  'well',
  'flaky',
  'flaky',
  'dead',
  'hanging',
  'late',
  'overloaded',
  'failing',
  'resetting',
  'refused',
  'gone',
  'not_found',
]

export function planDeliveries(chance: Chance): DeliveryPlan {
  const calmAtMs = chance.pick([4_000, 8_000, 8_000, 15_000, 30_000])
  const couriers = planCouriers(chance, calmAtMs)
  const skews = couriers.flatMap(({ skewMs, jump }) => [skewMs, skewMs + (jump?.byMs ?? 0)])
  const crashes = chance.pick([0, 0, 1, 3, 8])
  return {
    wallOffsetMs: chance.fraction() < 0.15 ? MONTH_END_MS - BEFORE_MONTH_END_MS : 0,
    calmAtMs,
    blockTimeMs: Math.ceil(calmAtMs / chance.pick(BLOCKS)),
    reorganisationRate: chance.pick([0, 0.1, 0.3]),
    settings: {
      timeoutMs: chance.pick([800, 2_000, 5_000]),
      retryDelaysMs: chance.pick(RETRY_DELAYS_MS),
    },
    ...planTeams(chance),
    webhooks: chance.between(1, 5),
    orderedRate: chance.pick([0, 0.3, 1]),
    hosts: planHosts(chance, calmAtMs),
    couriers,
    keepsNames: couriers.length === 1 || chance.fraction() < 0.5,
    firstEvent: chance.pick([1, 1, 2 ** 31, 2 ** 38]),
    firstWebhook: chance.pick([1, 1, 254, 2 ** 23]),
    sharesShard: chance.fraction() < 0.2,
    skewSpreadMs: Math.max(...skews) - Math.min(...skews),
    crashesMax: crashes,
    downMsMax: chance.pick([500, 3_000, 15_000]),
    store: planStore(chance),
    answers: chance.pick([
      { lateRate: 0, lateMsMax: 0 },
      { lateRate: 0.1, lateMsMax: 500 },
      { lateRate: 0.1, lateMsMax: 12_000 },
    ]),
    reminders: {
      lostRate: chance.pick([0, 0.3, 1]),
      doubledRate: chance.pick([0, 0.5]),
      lateMsMax: chance.pick([0, 50, 3_000]),
    },
    changes: chance.pick([0, 3, 10, 25]),
    restless: chance.fraction() < 0.5,
  }
}

function planTeams(chance: Chance): Pick<DeliveryPlan, 'tiers' | 'teams'> {
  // What is undelivered counts a little more than a kilobyte.
  const undeliveredBytesMax = chance.pick([2 ** 26, 2 ** 26, 2 ** 26, 6_000])
  const tier = (name: string, monthlyCu: number | null): [string, Tier] => [
    name,
    aTier({ name, monthlyCu, undeliveredBytesMax }),
  ]
  // A body of some 250 bytes costs 10 CU.
  const tiers = new Map([
    tier('small', chance.pick([20, 100, 400])),
    tier('larger', chance.pick([300, 1_500])),
    tier('endless', null),
  ])
  const names = chance.fraction() < 0.5 ? ['endless'] : ['small', 'larger', 'endless']
  const teams = Array.from({ length: chance.between(1, 2) }, (_, at) => ({
    id: `team_${at}`,
    tier: chance.pick(names),
    autoscaling: chance.fraction() < 0.15,
  }))
  return { tiers, teams }
}

function planHosts(chance: Chance, calmAtMs: number): HostPlan[] {
  const trouble = chance.pick([0, 1, 2, 4])
  return Array.from({ length: chance.between(1, 3) }, (_, at) => {
    const tempers: HostPlan['tempers'] = [{ fromMs: 0, temper: 'well' }]
    for (let one = 0; one < trouble; one++) {
      tempers.push({ fromMs: chance.between(0, calmAtMs), temper: chance.pick(TEMPERS) })
    }
    tempers.sort((a, b) => a.fromMs - b.fromMs)
    const last: Temper = chance.fraction() < 0.9 ? 'well' : chance.pick(['dead', 'not_found'])
    tempers.push({ fromMs: calmAtMs, temper: last })
    return { name: `host-${at}.example`, tempers, latencyMs: chance.pick([0, 20, 200]) }
  })
}

/** Clocks that differ much make one believe that the lease of the other has lapsed. */
function planCouriers(chance: Chance, calmAtMs: number): CourierPlan[] {
  const skewMax = chance.pick([0, 0, 0, 300, 300, 15_000])
  const count = chance.pick([1, 1, 2, 2, 3, 4])
  const sleepsMax = chance.pick([0, 0, 1, 2])
  const names = ['A', 'B', 'C', 'D'].slice(0, count)
  return names.map((name, at) => ({
    name,
    startAtMs: at === 0 ? 0 : Math.floor(chance.fraction() ** 2 * calmAtMs),
    leavesAtMs: at === 0 || chance.fraction() < 0.7 ? null : chance.between(0, calmAtMs),
    sleeps: planSleeps(chance, calmAtMs, sleepsMax),
    skewMs: chance.between(-skewMax, skewMax),
    jump: planJump(chance, calmAtMs),
  }))
}

function planSleeps(chance: Chance, calmAtMs: number, sleepsMax: number): CourierPlan['sleeps'] {
  return Array.from({ length: chance.between(0, sleepsMax) }, () => ({
    atMs: chance.between(0, calmAtMs),
    forMs: chance.pick(SLEEPS_MS),
    isSuspended: chance.fraction() < 0.3,
  }))
}

function planJump(chance: Chance, calmAtMs: number): CourierPlan['jump'] {
  if (chance.fraction() > 0.07) return null
  return { atMs: chance.between(0, calmAtMs), byMs: chance.pick([-10_000, -1_000, 1_000, 10_000]) }
}

function planStore(chance: Chance): StoreFaults {
  if (chance.fraction() < 0.5) return NO_FAULTS
  return {
    lateRate: chance.pick([0, 0.02, 0.1]),
    lateMsMax: chance.pick([20, 1_000, 8_000]),
    failRate: chance.pick([0, 0.01, 0.05]),
    lostAnswerRate: chance.pick([0, 0.05, 0.2]),
  }
}
