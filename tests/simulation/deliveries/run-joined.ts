import { type Joined, type RunReport, runSeed } from '../run-seed.ts'
import type { Run } from '../sim-run.ts'
import type { SimStore, SimStores } from '../sim-store.ts'
import { checkEnd, isQuiet } from './check-end.ts'
import { complain, type DeliveryRun } from './delivery-run.ts'
import { joinedDeliveryRun } from './joined-plan.ts'
import { readJournal } from './journal.ts'
import type { Change } from './journal-changes.ts'
import { judgeCommit } from './judge-commit.ts'
import { openSimSignals } from './sim-signals.ts'
import { type Couriers, superviseCouriers } from './supervise-couriers.ts'

/** The webhook that has a delivery for every event, from the first to the last. */
const WITNESS = 'wh_0'

/** Longer than what was begun in trouble can take. */
const AFTERMATH = 6

const PATIENCE_MS = 180_000

/** A run of the chain, with couriers that bring what the real follower commits to receivers. */
export function runJoined(stores: SimStores, seed: number): RunReport {
  let joined: { deliveries: DeliveryRun; couriers: Couriers } | null = null
  let opened: SimStore | null = null
  const early: [Parameters<typeof judgeCommit>[1], Change[]][] = []
  const watched: SimStores = {
    open(clock, chance) {
      opened = stores.open(clock, chance, async (tx, life) => {
        const changes = await readJournal(tx)
        if (!joined) return void early.push([life, changes])
        judgeCommit(joined.deliveries, life, changes)
        remindOf(joined.couriers, changes)
      })
      return opened
    },
  }
  const report = runSeed(watched, seed, (run) => {
    const deliveries = joinedDeliveryRun(run)
    for (const [life, changes] of early) judgeCommit(deliveries, life, changes)
    joined = { deliveries, couriers: openCouriers(deliveries, run.store) }
    return joinIn(run, deliveries, joined.couriers)
  })
  const { database } = opened as unknown as SimStore
  void readJournal(database)
  return report
}

function openCouriers(deliveries: DeliveryRun, store: SimStore): Couriers {
  const { clock, plan } = deliveries
  const calm = { lostRate: 0, doubledRate: 0, lateMsMax: 0 }
  const fate = () => (clock.elapsedMs() >= plan.calmAtMs ? calm : plan.reminders)
  const signals = openSimSignals({ clock, chance: deliveries.chance(3), fate })
  return superviseCouriers({ run: deliveries, chance: deliveries.chance(4), store, signals })
}

function joinIn(run: Run, deliveries: DeliveryRun, couriers: Couriers): Joined {
  const { clock, store, plan } = run
  const quietMs = plan.calmAtMs + AFTERMATH * plan.store.lateMsMax
  const endMs = () => clock.elapsedMs() + PATIENCE_MS
  return {
    isQuiet: () => clock.elapsedMs() >= quietMs && isQuiet(deliveries, endMs()),
    end: couriers.end,
    check() {
      checkEnd(deliveries, store.database, clock.elapsedMs())
      checkReceived(run, deliveries)
      return deliveries.complaints
    },
  }
}

function remindOf(couriers: Couriers, changes: readonly Change[]): void {
  const made = changes.flatMap(({ table, old, now }) =>
    table === 'deliveries' && !old && now?.kind === 'data' ? [now] : [],
  )
  const [first] = made
  if (!first) return
  const { network, sequence_number: sequenceNumber } = first
  couriers.remind({
    network,
    sequenceNumber: sequenceNumber ?? 0,
    inHand: false,
    results: [],
    deliveries: made.map((row) => ({
      id: row.id,
      webhookId: row.webhook_id,
      teamId: row.team_id,
      network,
      sequenceNumber: row.sequence_number ?? 0,
      blockNumber: row.block_number ?? 0,
      blockHash: '',
      part: row.part ?? 0,
      dataBytes: row.data_bytes,
      previousSequence: row.previous_sequence,
      createdAtMs: row.created_at_ms,
    })),
  })
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
    newest.set(height, Math.max(newest.get(height) ?? 0, row.sequence_number ?? 0))
  }
  const last = new Map(events.map((event) => [event.tip_number, event.sequence_number]))
  for (const [height, sequenceNumber] of last) {
    if (height > tree.tip().number || newest.get(height) === sequenceNumber) continue
    complain(run, `at ${height} the receiver holds ${newest.get(height)}, not ${sequenceNumber}`)
  }
}
