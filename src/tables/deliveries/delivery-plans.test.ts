import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { plansOf } from '../../../tests/support/blocks/query-plans.ts'
import {
  eventTo,
  NOW_MS,
  outcomeOf,
  settle,
  settleOutcomes,
} from '../../../tests/support/deliveries/delivery-store.ts'
import {
  findDeliveryWithAttempts,
  findResult,
  listDeliveryPage,
  newDeliveriesOf,
  pruneDelivered,
  resendDelivery,
  resultsOf,
  waitingCount,
  waitingDeliveries,
  webhooksDueBetween,
  webhooksWaiting,
} from '../../../tests/support/deliveries/delivery-tables.ts'
import {
  addWebhooks,
  insertTeams,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { WORLD } from '../../../tests/support/product/world.ts'
import { type Database, sql } from '../../ports/database.ts'
import type { Delivery } from './delivery.ts'

/** Reading all rows of a table that may have very many. */
const READS_ALL =
  /\bSCAN (deliveries|results|usage|events|outbox|done_deliveries|late_deliveries)\b/

/** Retention reads the beginning of a table, in its order, and a first row only. */
const READS_BEGINNING = /^SCAN (events|late_deliveries)$/

let db: Database
let delivery: Delivery
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, webhookCalled('wh_1', { notifyRemoved: true }))
  delivery = (await eventTo(db, [['wh_1']])).deliveries[0]!
})
afterEach(() => db.close())

const readsOf = (plans: readonly string[], table: string) =>
  new Set(plans.filter((detail) => detail.startsWith(`SEARCH ${table} `)))

describe('however many deliveries are stored, only those that are meant are read', () => {
  const after = { event: 7, webhook: 1 }
  const unknown = 'whevt_0000000000000000'
  const deeds: [what: string, work: (watched: Database) => Promise<unknown>][] = [
    ['an event', (tx) => eventTo(tx, [['wh_1']])],
    [
      'outcomes',
      (tx) => {
        const kinds = ['delivered', 'retry', 'failed'] as const
        const outcomes = kinds.map((kind) =>
          outcomeOf(delivery, { next: { kind, dueAtMs: NOW_MS } }),
        )
        return settleOutcomes(tx, outcomes)
      },
    ],
    ['waiting webhooks', (tx) => webhooksWaiting(tx, 0, 100)],
    ['due webhooks', (tx) => webhooksDueBetween(tx, NOW_MS, NOW_MS + 1_000)],
    ['what waits', (tx) => waitingCount(tx, 'wh_1', 10)],
    ['new deliveries of an event', (tx) => newDeliveriesOf(tx, 1, new Set([1, 2]), 10)],
    ['results of an event', (tx) => resultsOf(tx, 1, [0, 1])],
    ['a result', (tx) => findResult(tx, 1, 0)],
    ['the log', (tx) => listDeliveryPage(tx, TEAM_A, { limit: 10, after })],
    ['the log of a block', (tx) => listDeliveryPage(tx, TEAM_A, { limit: 10, block: 1 })],
    ['a delivery', (tx) => findDeliveryWithAttempts(tx, TEAM_A, delivery.id)],
    ['no delivery', (tx) => findDeliveryWithAttempts(tx, TEAM_A, unknown)],
    ['resending', (tx) => resendDelivery(tx, TEAM_A, delivery.id, NOW_MS)],
  ]

  test.each(deeds)('%s', async (_, work) => {
    const plans = await plansOf(db, work)
    expect(plans.length).toBeGreaterThan(0)
    expect(plans.filter((detail) => READS_ALL.test(detail))).toEqual([])
  })

  test('retention', async () => {
    const plans = await plansOf(db, pruneAll)
    const all = plans.filter((detail) => READS_ALL.test(detail))
    expect(all.filter((detail) => !READS_BEGINNING.test(detail))).toEqual([])
  })

  // The primary key alone would lead to all that waits for the webhook, and take far too long.
  test.skipIf(WORLD === 'postgres').each([
    ['new', 'PRIMARY KEY (webhook=? AND lane=? AND event>?)'],
    ['retry', 'INDEX outbox_retries (webhook=? AND due_at_ms<?)'],
    ['ordered', 'PRIMARY KEY (webhook=? AND lane=?)'],
    ['error', 'PRIMARY KEY (webhook=? AND lane=?)'],
  ] as const)('what is due in the lane %s', async (lane, index) => {
    const question = { nowMs: NOW_MS, limit: 10, lane }
    const plans = await plansOf(db, (tx) => waitingDeliveries(tx, 1, question))
    const reads = [...readsOf(plans, 'outbox')].map((one) => one.replace('COVERING ', ''))
    expect(reads).toEqual([`SEARCH outbox USING ${index}`])
    const rowid = 'USING INTEGER PRIMARY KEY (rowid=?)'
    expect(readsOf(plans, 'deliveries')).toEqual(new Set([`SEARCH deliveries ${rowid}`]))
    expect(readsOf(plans, 'events')).toEqual(new Set([`SEARCH events ${rowid}`]))
  })

  test.skipIf(WORLD === 'postgres').each([
    ['waiting', 'outbox', 'webhook=? AND lane=?'],
    ['delivered', 'done_deliveries', 'webhook=? AND state=?'],
    ['failed', 'done_deliveries', 'webhook=? AND state=?'],
    ['cancelled', 'done_deliveries', 'webhook=? AND state=?'],
  ] as const)('the log of %s ones', async (status, table, key) => {
    await settle(db, [delivery.id], { kind: 'failed' })
    for (const webhookId of ['wh_1', undefined]) {
      const page = { webhookId, status, after, limit: 10 }
      const plans = await plansOf(db, (tx) => listDeliveryPage(tx, TEAM_A, page))
      const reads = [...readsOf(plans, table)]
      expect(reads.length).toBeGreaterThan(0)
      for (const read of reads) expect(read).toContain(`PRIMARY KEY (${key} AND event`)
    }
  })
})

async function pruneAll(tx: Database): Promise<void> {
  const late = (await eventTo(db, [['wh_1']])).deliveries[0]!
  const retention = { olderThanMs: NOW_MS * 2, bytesMax: 0, rowsMax: 500 }
  await settleOutcomes(db, [outcomeOf(delivery)])
  expect(await pruneDelivered(tx, retention)).toBe(1)
  await settleOutcomes(db, [outcomeOf(late)])
  expect(await db.query(sql`SELECT event FROM late_deliveries`)).toHaveLength(1)
  expect(await pruneDelivered(tx, retention)).toBe(1)
}
