import { seededChance } from '../../support/basics/seeded-chance.ts'
import { openSimStores, type SimStores } from '../sim-store.ts'
import { openTrace } from '../trace.ts'
import { virtualClock } from '../virtual-clock.ts'
import { openBook } from './book.ts'
import type { DeliveryRun } from './delivery-run.ts'
import { installJournal } from './journal.ts'
import { planDeliveries } from './plan-deliveries.ts'
import { openReceivers } from './receivers.ts'

const PARTS_MAX = 64

/** Stores that keep a journal of what is changed in them. */
export async function openJournaledStores(): Promise<SimStores> {
  const stores = await openSimStores()
  await installJournal(stores.open(virtualClock(), seededChance(0)).database)
  return stores
}

/** Plans everything as the seed wants it; nothing happens yet. */
export function openDeliveryRun(seed: number): DeliveryRun {
  const chance = (part: number) => seededChance(seed * PARTS_MAX + part)
  const plan = planDeliveries(chance(0))
  const clock = virtualClock()
  return {
    plan,
    clock,
    trace: openTrace(clock.elapsedMs),
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
