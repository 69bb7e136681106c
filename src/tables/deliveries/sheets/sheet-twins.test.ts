import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { NOW_MS } from '../../../../tests/support/delivery-store.ts'
import { type Chance, seededChance } from '../../../../tests/support/seeded-chance.ts'
import { backlogsMiscounted, bytesMiscounted } from '../../../../tests/support/sheet-store.ts'
import { openHistory } from '../../../../tests/support/twin-history.ts'
import {
  OTHER_NETWORK,
  OURS,
  openTwins,
  pruneTwins,
  type Twins,
} from '../../../../tests/support/twin-stores.ts'
import { NETWORK, TEAM_A, TEAM_B } from '../../../../tests/support/webhook-store.ts'
import { webhooksWithDeliveryAt } from '../../chain/chain-events.ts'
import { deleteWebhook } from '../../webhooks/webhooks.ts'
import { findDelivery, listDeliveries } from '../deliveries.ts'
import { waitingCount } from '../delivery-backlog.ts'
import {
  findDeliveryWithAttempts,
  type LogCursor,
  type LoggedDelivery,
  type LogQuestion,
  listDeliveryPage,
} from '../delivery-log.ts'

const STATUSES = [undefined, 'waiting', 'delivered', 'failed', 'cancelled'] as const

const PATIENCE_MS = 120_000

let twins: Twins
beforeEach(async () => {
  twins = await openTwins()
})
afterEach(() => twins.close())

describe('deliveries on sheets are to everybody what deliveries with rows are', () => {
  test.each([1, 2, 3, 4])(
    'page by page, one by one and counted (%d)',
    async (seed) => {
      const chance = seededChance(seed)
      const history = openHistory(twins, chance)
      for (let round = 0; round < 3; round++) {
        for (let step = 0; step < 60; step++) {
          await history.step()
          for (const db of [twins.rows, twins.sheets]) {
            expect(await bytesMiscounted(db)).toBe(0)
            expect(await backlogsMiscounted(db)).toEqual({})
          }
        }
        await compareAll(chance, history.ids)
      }
      const deleted = chance.pick(OURS)
      await twins.both((db) => deleteWebhook(db, TEAM_A, deleted))
      await compareAll(chance, history.ids)
      await pruneTwins(twins, NOW_MS * 2)
      await compareAll(chance, history.ids)
    },
    PATIENCE_MS,
  )
})

async function compareAll(chance: Chance, ids: readonly string[]): Promise<void> {
  for (const status of STATUSES) {
    for (const webhookId of [undefined, ...OURS, 'wh_b', 'wh__']) {
      for (const block of [undefined, chance.between(1, 40)]) {
        const filter = { status, webhookId, block }
        const all = await twins.both((db) =>
          listDeliveryPage(db, TEAM_A, { ...filter, limit: 100_000 }),
        )
        const limit = chance.between(2, 30)
        expect({ filter, limit, all: await readPages(filter, limit) }).toEqual({
          filter,
          limit,
          all,
        })
      }
    }
  }
  for (const id of ids) {
    for (const teamId of [TEAM_A, TEAM_B]) {
      await twins.both((db) => findDeliveryWithAttempts(db, teamId, id))
      await twins.both((db) => findDelivery(db, teamId, id))
    }
  }
  for (const webhookId of OURS) {
    const limit = chance.pick([1, 7, 1_000])
    await twins.both((db) => listDeliveries(db, webhookId, limit))
    for (const countMax of [1, 5, 1_000])
      await twins.both((db) => waitingCount(db, webhookId, countMax))
  }
  for (const network of [NETWORK, OTHER_NETWORK]) {
    for (let block = 0; block < 40; block += 3) {
      await twins.both((db) => webhooksWithDeliveryAt(db, network, block))
    }
  }
  const gone = { createdAtMs: NOW_MS + chance.between(0, 100_000), id: 'whevt_gone' }
  await twins.both((db) => listDeliveryPage(db, TEAM_A, { after: gone, limit: 10 }))
}

async function readPages(filter: Partial<LogQuestion>, limit: number): Promise<LoggedDelivery[]> {
  const all: LoggedDelivery[] = []
  for (let after: LogCursor | undefined; ; ) {
    const page = await listDeliveryPage(twins.sheets, TEAM_A, { ...filter, after, limit })
    all.push(...page)
    after = page.at(-1)
    if (!after) return all
  }
}
