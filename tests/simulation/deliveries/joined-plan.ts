import { aTier } from '../../support/a-tier.ts'
import type { Chance } from '../../support/seeded-chance.ts'
import { TEAM_A, webhookCalled } from '../../support/webhook-store.ts'
import type { Run } from '../sim-run.ts'
import { openBook } from './book.ts'
import type { DeliveryRun } from './delivery-run.ts'
import { type DeliveryPlan, planDeliveries } from './plan-deliveries.ts'
import { openReceivers } from './receivers.ts'

/** Where the chance of deliveries begins; those before belong to the chain. */
const CHANCE_PARTS = 32

/** As the seed wants deliveries to be, in the world of a run of the chain. */
export function joinedDeliveryRun(run: Run): DeliveryRun {
  const { clock, trace } = run
  const chance = (part: number) => run.chance(CHANCE_PARTS + part)
  const plan = joinedPlan(run, chance(0))
  return {
    plan,
    clock,
    trace,
    book: openBook(),
    receivers: openReceivers(plan.hosts, chance(1)),
    posts: [],
    skews: new Map(),
    heard: new Map(),
    recording: new Map(),
    complaints: [],
    chance,
  }
}

/** Nobody but the customers of the chain pauses anything, since they keep account of it. */
function joinedPlan({ plan }: Run, chance: Chance): DeliveryPlan {
  const usual = planDeliveries(chance)
  const { calmAtMs, store } = plan
  const name = 'free'
  const free = aTier({ name })
  const [host] = usual.hosts
  const tempers = (host?.tempers ?? []).filter(({ temper }) => temper !== 'gone')
  return {
    ...usual,
    calmAtMs,
    store,
    wallOffsetMs: 0,
    tiers: new Map([[name, free]]),
    teams: [{ id: TEAM_A, tier: name, autoscaling: false }],
    hosts: [
      {
        name: new URL(webhookCalled('').url).hostname,
        tempers: [...tempers.slice(0, -1), { fromMs: calmAtMs, temper: 'well' }],
        latencyMs: host?.latencyMs ?? 0,
      },
    ],
    couriers: usual.couriers.map((courier, at) => ({
      ...courier,
      name: `K${'abc'[at]}`,
      startAtMs: Math.min(courier.startAtMs, calmAtMs),
    })),
  }
}
