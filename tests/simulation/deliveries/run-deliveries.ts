import type { Database } from '../../../src/ports/database.ts'
import { beginLife, type Life } from '../process-life.ts'
import { NO_FAULTS, type SimStore, type SimStores } from '../sim-store.ts'
import { checkEnd, checkSpread, isQuiet } from './check-end.ts'
import { CHAIN, type DeliveryRun, OFFICE } from './delivery-run.ts'
import { openEventSource } from './event-source.ts'
import { readJournal } from './journal.ts'
import { judgeCommit } from './judges/judge-commit.ts'
import { openOffice } from './office.ts'
import { openDeliveryRun } from './open-delivery-run.ts'
import { openSimSignals } from './sim-signals.ts'
import { superviseCouriers } from './supervise-couriers.ts'

export type DeliveryReport = {
  seed: number
  complaints: string[]
  trace(): string[]
  /** Whether something of this name happened. */
  tells(what: string): boolean
  deliveries: number
  posts: number
}

/** Once all is calm everything must have arrived within this. */
const PATIENCE_MS = 600_000

/** Some blocks still come when all is calm. */
const CALM_BLOCKS_MS = 2_000

/** Having arrived, nothing more may happen. */
const STAY_MS = 3_000

const LOOK_EVERY_MS = 200

const NO_TROUBLE = { lostRate: 0, doubledRate: 0, lateMsMax: 0 }

/** Everything that happens in one run; the same for the same seed. */
export function runDeliveries(stores: SimStores, seed: number): DeliveryReport {
  const run = openDeliveryRun(seed)
  const { clock, plan, complaints, trace } = run
  const store = stores.open(clock, run.chance(2), async (tx, life) =>
    judgeCommit(run, life, await readJournal(tx)),
  )
  const { end, isDone, living } = begin(run, store)
  clock.runUntil(plan.calmAtMs + CALM_BLOCKS_MS)
  const endMs = clock.elapsedMs() + PATIENCE_MS
  let nextLookMs = 0
  const isTimeToLook = () => {
    if (clock.elapsedMs() < nextLookMs) return false
    nextLookMs = clock.elapsedMs() + LOOK_EVERY_MS
    return true
  }
  clock.runUntil(
    endMs,
    () => complaints.length > 0 || (isTimeToLook() && isDone() && isQuiet(run, living(), endMs)),
  )
  if (clock.elapsedMs() < endMs) clock.runUntil(clock.elapsedMs() + STAY_MS)
  checkSpread(run, living, endMs)
  end()
  // The transactions of the dead are rolled back when their statements come to an end.
  clock.runUntil(clock.elapsedMs() + plan.store.lateMsMax + 1)
  if (complaints.length === 0) checkEnd(run, store.database, endMs)
  store.wipe()
  clock.settle(readJournal(store.database), 0)
  return {
    seed,
    complaints,
    trace: trace.lines,
    tells: trace.tells,
    deliveries: run.book.deliveries.size,
    posts: run.posts.length,
  }
}

/** Sets everybody to work. */
function begin(run: DeliveryRun, store: SimStore) {
  const { clock, plan } = run
  const isCalm = () => clock.elapsedMs() >= plan.calmAtMs
  const fate = () => (isCalm() ? NO_TROUBLE : plan.reminders)
  const signals = openSimSignals({ clock, chance: run.chance(3), fate })
  const needs = { run, plans: plan.couriers, chance: run.chance(4), store, signals }
  const couriers = superviseCouriers(needs)
  const [chainLife, chainStore] = steadyProcess(run, store, CHAIN)
  const source = openEventSource({
    run,
    chance: run.chance(5),
    database: chainStore,
    committed: couriers.remind,
  })
  const [officeLife, officeStore] = steadyProcess(run, store, OFFICE)
  const { publish } = signals.of(officeLife)
  const changed = (webhookId: string) => publish('webhooks', webhookId)
  const office = openOffice({ run, chance: run.chance(6), database: officeStore, source, changed })
  source.begin(plan.calmAtMs + CALM_BLOCKS_MS)
  office.begin(plan.calmAtMs)
  return {
    living: couriers.living,
    isDone: () => source.isDone() && office.isDone() && couriers.isSettled(),
    end() {
      couriers.end()
      chainLife.end('the run is over')
      officeLife.end('the run is over')
    },
  }
}

/** One that does not crash and always reaches the store, sooner or later. */
function steadyProcess(
  { clock, plan }: DeliveryRun,
  store: SimStore,
  name: string,
): [Life, Database] {
  const life = beginLife(
    name,
    () => null,
    () => {},
  )
  const late = { ...plan.store, failRate: 0, lostAnswerRate: 0 }
  const isLate = () => clock.elapsedMs() > 0 && clock.elapsedMs() < plan.calmAtMs
  const database = store.connect(
    life,
    () => (isLate() ? late : NO_FAULTS),
    () => {},
  )
  return [life, database]
}
