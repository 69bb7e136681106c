import type { Courier } from '../../../src/courier/courier.ts'
import {
  type Accompany,
  type Life,
  type Run,
  type SimStore,
  type SimStores,
  virtualClock,
} from '../run-parts.ts'
import { type Joined, type RunReport, runSeed } from '../run-seed.ts'
import { checkEnd, checkSpread, isQuiet } from './check-end.ts'
import { complain, type DeliveryRun } from './delivery-run.ts'
import { joinedDeliveryRun } from './joined-plan.ts'
import { readJournal } from './journal.ts'
import type { Change } from './journal-changes.ts'
import { judgeCommit } from './judges/judge-commit.ts'
import { startCourier } from './sim-courier.ts'
import { openSimSignals, type SimSignals } from './sim-signals.ts'
import {
  type Couriers,
  enroll,
  haunt,
  stopCourier,
  superviseCouriers,
} from './supervise-couriers.ts'

/** The webhook that has a delivery for every event, from the first to the last. */
const WITNESS = 'wh_0'

/** Longer than what was begun in trouble can take. */
const AFTERMATH = 6

const PATIENCE_MS = 600_000

/**
 * A run of the chain: each process has a follower and a courier, as production has, and some
 * more have a courier only.
 */
export function runJoined(stores: SimStores, seed: number): RunReport {
  let deliveries: DeliveryRun | null = null
  let opened: SimStore | null = null
  const early: [Life, Change[]][] = []
  const watched: SimStores = {
    open(clock, chance) {
      opened = stores.open(clock, chance, async (tx, life) => {
        const changes = await readJournal(tx)
        if (deliveries) judgeCommit(deliveries, life, changes)
        else early.push([life, changes])
      })
      return opened
    },
  }
  const report = runSeed(watched, seed, (run) => {
    deliveries = joinedDeliveryRun(run)
    for (const [life, changes] of early) judgeCommit(deliveries, life, changes)
    return joinIn(run, deliveries)
  })
  const { database } = opened as unknown as SimStore
  virtualClock().settle(readJournal(database), 0)
  return report
}

function joinIn(run: Run, deliveries: DeliveryRun): Joined {
  const { clock, store, plan } = run
  const signals = signalsOf(deliveries)
  const chance = deliveries.chance(4)
  const names = new Set(plan.processes.map(({ name }) => name))
  const others = deliveries.plan.couriers.filter(({ name }) => !names.has(name))
  const couriers = superviseCouriers({ run: deliveries, plans: others, chance, store, signals })
  const companions = accompanied(deliveries, signals, names)
  const living = () => [...companions.living(), ...couriers.living()]
  const quietMs = plan.calmAtMs + AFTERMATH * plan.store.lateMsMax
  const endMs = () => clock.elapsedMs() + PATIENCE_MS
  return {
    accompany: companions.accompany,
    isQuiet: () =>
      clock.elapsedMs() >= quietMs &&
      couriers.isSettled() &&
      isQuiet(deliveries, living(), endMs()),
    end() {
      checkSpread(deliveries, living, endMs())
      couriers.end()
    },
    check() {
      checkEnd(deliveries, store.database, clock.elapsedMs())
      checkReceived(run, deliveries)
      return deliveries.complaints
    },
  }
}

function signalsOf(deliveries: DeliveryRun): SimSignals {
  const { clock, plan } = deliveries
  const calm = { lostRate: 0, doubledRate: 0, lateMsMax: 0 }
  const fate = () => (clock.elapsedMs() >= plan.calmAtMs ? calm : plan.reminders)
  return openSimSignals({ clock, chance: deliveries.chance(3), fate })
}

/** Couriers in the processes of followers, which live and die with them. */
function accompanied(
  deliveries: DeliveryRun,
  signals: SimSignals,
  names: ReadonlySet<string>,
): { accompany: Accompany; living: Couriers['living'] } {
  const chance = deliveries.chance(5)
  const lives: Life[] = []
  const living = () => lives.filter(({ alive }) => alive)
  for (const plan of deliveries.plan.couriers) {
    if (names.has(plan.name)) haunt(deliveries, plan, living)
  }
  return {
    living,
    accompany(life, { name }, database) {
      const plan = deliveries.plan.couriers.find((one) => one.name === name)
      if (!plan) return null
      enroll(deliveries, life, plan)
      lives.push(life)
      const courier: Courier = startCourier(deliveries, life, database, signals, chance)
      return { committed: courier.remind, stop: () => stopCourier(deliveries, life, courier) }
    },
  }
}

/** Who keeps the newest of each height, as receivers are told to, holds the final chain. */
function checkReceived({ events, tree }: Run, run: DeliveryRun): void {
  const all = run.book.webhooks.get(WITNESS)?.deliveries ?? []
  if (all.some(({ row }) => row.state !== 'delivered')) return
  const newest = new Map<number, number>()
  for (const { deliveryId, webhookId, isAccepted } of run.posts) {
    const row = run.book.deliveries.get(deliveryId)?.row
    if (!isAccepted || webhookId !== WITNESS || !row) continue
    const height = row.block_number ?? 0
    newest.set(height, Math.max(newest.get(height) ?? 0, row.sequence_number))
  }
  const last = new Map(events.map((event) => [event.tip_number, event.sequence_number]))
  for (const [height, sequenceNumber] of last) {
    if (height > tree.tip().number || newest.get(height) === sequenceNumber) continue
    complain(run, `at ${height} the receiver holds ${newest.get(height)}, not ${sequenceNumber}`)
  }
}
