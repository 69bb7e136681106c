import { expect } from 'bun:test'
import type { RecordedEvent } from '../../src/tables/chain/chain-events.ts'
import { claimDeliveries } from '../../src/tables/deliveries/delivery-claims.ts'
import { resendDelivery } from '../../src/tables/deliveries/delivery-log.ts'
import {
  type AttemptOutcome,
  writeOutcomes,
} from '../../src/tables/deliveries/delivery-outcomes.ts'
import { renewDelivery } from '../../src/tables/deliveries/renew-delivery.ts'
import { moveOldOpen } from '../../src/tables/deliveries/sheets/move-old-open.ts'
import { dataBytesOf, factsOf, LEASE_MS, NOW_MS, outcomeOf, readyIds } from './delivery-store.ts'
import type { Chance } from './seeded-chance.ts'
import { eventTo, outcomeAt } from './sheet-store.ts'
import {
  HERE,
  OTHER_NETWORK,
  OURS,
  pauseTwins,
  pruneTwins,
  THERE,
  type Twins,
} from './twin-stores.ts'
import { NETWORK, TEAM_A } from './webhook-store.ts'

type History = {
  twins: Twins
  chance: Chance
  events: { here: RecordedEvent; there: RecordedEvent; atMs: number }[]
  /** Of all deliveries there ever were. */
  ids: string[]
  nowMs: number
}

/** Of first attempts most arrive. */
const ENDS = ['delivered', 'delivered', 'delivered', 'failed', 'retry', 'released'] as const

/** Does to both stores whatever can happen, one thing after the other. */
export function openHistory(twins: Twins, chance: Chance) {
  const history: History = { twins, chance, events: [], ids: [], nowMs: NOW_MS }
  return {
    ids: history.ids,
    async step() {
      const { nowMs } = history
      const deed = history.events.length === 0 ? 0 : chance.between(0, 99)
      if (deed < 50) return happen(history)
      if (deed < 85) return attempt(history)
      if (deed < 91) return sendAgain(history)
      if (deed < 95) return renew(history)
      if (deed < 96) return pauseTwins(twins, nowMs)
      if (deed < 98) return void (await moveOldOpen(twins.sheets, nowMs - 20_000))
      await pruneTwins(twins, nowMs - chance.between(20, 100) * 1_000)
    },
  }
}

/** An event of one of the networks. */
async function happen(history: History): Promise<void> {
  const { chance, twins } = history
  history.nowMs += chance.between(0, 2) * 1_000
  const network = chance.pick([NETWORK, NETWORK, OTHER_NETWORK])
  const wanted = (network === NETWORK ? HERE : THERE).filter(
    (id) => chance.fraction() < (id === 'wh_rare' ? 0.1 : 0.8),
  )
  const half = Math.floor(wanted.length / 2)
  const lists = [wanted.slice(0, half), wanted.slice(half)].filter((list) => list.length > 0)
  const wish = { atMs: history.nowMs, network }
  const here = await eventTo(twins.rows, lists, { ...wish, inHand: false })
  // Now and then the store was not alone, and rows were written after all.
  const inHand = chance.fraction() < 0.9
  const there = await eventTo(twins.sheets, lists, { ...wish, inHand })
  history.ids.push(...here.deliveryIds)
  history.events.push({ here, there, atMs: history.nowMs })
}

/** First attempts of an event, not all of them. */
async function attempt({ chance, twins, events }: History): Promise<void> {
  const { here, there, atMs } = chance.pick(events)
  for (const position of here.deliveries.keys()) {
    if (chance.fraction() < 0.2) continue
    const kind = chance.pick(ENDS)
    const next = { kind, dueAtMs: atMs + 10 }
    const outcome = outcomeAt(here, position, next, atMs + 5)
    const twin = outcomeAt(there, position, next, atMs + 5)
    const held = await writeOutcomes(twins.rows, [outcome])
    expect(await writeOutcomes(twins.sheets, [twin])).toEqual(held)
  }
}

async function sendAgain({ chance, twins, ids, nowMs }: History): Promise<void> {
  const id = chance.pick(ids)
  await twins.both((db) => resendDelivery(db, TEAM_A, id, nowMs))
  const webhookId = chance.pick(OURS)
  const due = await twins.both(async (db) =>
    (await readyIds(db, webhookId, 'retry', nowMs)).toSorted(),
  )
  const kind = chance.pick(['delivered', 'failed'] as const)
  const next = { kind }
  const attempt = factsOf({ startedAtMs: nowMs, lane: 'retry' })
  await twins.both(async (db) => {
    const ours = await claimDeliveries(db, due, 'again', nowMs, nowMs + LEASE_MS)
    const outcomes: AttemptOutcome[] = []
    for (const [one, { attemptsMade, part }] of ours) {
      const dataBytes = await dataBytesOf(db, one)
      outcomes.push(outcomeOf(one, 'again', { next, attemptsMade, part, attempt, dataBytes }))
    }
    return writeOutcomes(db, outcomes)
  })
}

async function renew({ chance, twins, events, nowMs }: History): Promise<void> {
  const { here } = chance.pick(events)
  const { network, sequenceNumber } = here
  const webhookId = chance.pick(network === NETWORK ? ['wh_1', 'wh_10'] : THERE)
  const due = { data: '{"again":1}', bytes: 11, truncation: null }
  const block = { network, sequenceNumber, blockNumber: 3, blockHash: '0x3' }
  const renewal = { teamId: TEAM_A, webhookId, ...block, due, atMs: nowMs }
  await twins.both((db) => db.transaction((tx) => renewDelivery(tx, renewal)))
}
