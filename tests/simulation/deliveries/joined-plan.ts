import type { Chance } from '../../support/basics/seeded-chance.ts'
import { TEAM_A, webhookCalled } from '../../support/deliveries/webhook-store.ts'
import { aTier } from '../../support/product/a-tier.ts'
import type { Run } from '../sim-run.ts'
import { openBook } from './book.ts'
import type { DeliveryRun } from './delivery-run.ts'
import { type CourierPlan, type DeliveryPlan, planDeliveries } from './plan-deliveries.ts'
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
    couriers: new Map(),
    heard: new Map(),
    recording: new Map(),
    overMs: Number.POSITIVE_INFINITY,
    complaints: [],
    chance,
  }
}

/** Nobody but the customers of the chain pauses anything, since they keep account of it. */
function joinedPlan(run: Run, chance: Chance): DeliveryPlan {
  const usual = planDeliveries(chance)
  const { calmAtMs, store, crashesMax } = run.plan
  const name = 'free'
  const free = aTier({ name })
  const [host] = usual.hosts
  const tempers = (host?.tempers ?? []).filter(({ temper }) => temper !== 'gone')
  const couriers = joinedCouriers(run, usual.couriers)
  const skews = couriers.map(({ skewMs }) => skewMs)
  return {
    ...usual,
    calmAtMs,
    store,
    crashesMax,
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
    couriers,
    skewSpreadMs: Math.max(...skews) - Math.min(...skews),
  }
}

/** One in each process that follows the chain, by its clock, and those of the seed beside it. */
function joinedCouriers(
  { plan: { processes, calmAtMs } }: Run,
  usual: readonly CourierPlan[],
): CourierPlan[] {
  const following = processes.map(({ name, startAtMs, skewMs }) => ({
    name,
    startAtMs,
    leavesAtMs: null,
    sleeps: usual.find((one) => one.name === name)?.sleeps ?? [],
    skewMs,
    jump: null,
  }))
  const names = new Set(following.map(({ name }) => name))
  const others = usual.filter(({ name }) => !names.has(name))
  return [
    ...following,
    ...others.map((one) => ({
      ...one,
      startAtMs: Math.min(one.startAtMs, calmAtMs),
      skewMs: following[0]?.skewMs ?? 0,
      jump: null,
    })),
  ]
}
