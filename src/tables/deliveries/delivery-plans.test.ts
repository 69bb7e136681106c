import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import {
  eventTo,
  factsOf,
  fenceOf,
  NOW_MS,
  outcomeOf,
  settle,
} from '../../../tests/support/delivery-store.ts'
import {
  addWebhooks,
  insertTeams,
  NETWORK,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/webhook-store.ts'
import { type Database, type Sql, sql } from '../../ports/database.ts'
import { webhooksWithDeliveryAt } from '../chain/chain-events.ts'
import { pauseTeamOverLimit } from '../usage/capacity-pause.ts'
import {
  createReplay,
  recordReplayStep,
  replayingTeams,
  runningReplays,
} from '../webhooks/replays.ts'
import { changeWebhook, deleteWebhook } from '../webhooks/webhooks.ts'
import type { Delivery } from './delivery.ts'
import { findDeliveryWithAttempts, listDeliveryPage } from './delivery-log.ts'
import { waitingCount, waitingDeliveries, webhooksDueBetween, webhooksWaiting } from './outbox.ts'
import { resendDelivery } from './resend-delivery.ts'
import { findResult } from './results.ts'
import { pruneDelivered } from './retention.ts'
import { settleDeliveries } from './settle-deliveries.ts'

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

/** How SQLite goes about every statement of the work. */
async function plansOf(work: (watched: Database) => Promise<unknown>): Promise<string[]> {
  const statements: Sql[] = []
  const watch = (inner: Database): Database => ({
    ...inner,
    query(statement) {
      statements.push(statement)
      return inner.query(statement)
    },
    each(statement, rows) {
      statements.push(statement)
      return inner.each(statement, rows)
    },
    transaction: (inside) => inner.transaction((tx) => inside(watch(tx))),
    perform: (procedure, args) => inner.transaction((tx) => procedure.run(watch(tx), args)),
  })
  await work(watch(db))

  const details: string[] = []
  for (const { parts, values } of statements) {
    const explained = [`EXPLAIN QUERY PLAN ${parts[0]}`, ...parts.slice(1)]
    const plan = await db.query<{ detail: string }>({ parts: explained, values })
    details.push(...plan.map(({ detail }) => detail))
  }
  return details
}

const readsOf = (plans: readonly string[], table: string) =>
  new Set(plans.filter((detail) => detail.startsWith(`SEARCH ${table} `)))

describe('however many deliveries are stored, only those that are meant are read', () => {
  const after = { event: 7, webhook: 1 }
  const unknown = 'whevt_0000000000000000'
  const deeds: [what: string, work: (watched: Database) => Promise<unknown>][] = [
    ['an event', (tx) => eventTo(tx, [['wh_1']])],
    [
      'outcomes',
      async (tx) => {
        const kinds = ['delivered', 'retry', 'failed'] as const
        const outcomes = kinds.map((kind) =>
          outcomeOf(delivery, { next: { kind, dueAtMs: NOW_MS } }),
        )
        await settleDeliveries(tx, await fenceOf(db), outcomes)
      },
    ],
    ['waiting webhooks', (tx) => webhooksWaiting(tx, 0, 100)],
    ['due webhooks', (tx) => webhooksDueBetween(tx, NOW_MS, NOW_MS + 1_000)],
    ['what waits', (tx) => waitingCount(tx, 'wh_1', 10)],
    ['a result', (tx) => findResult(tx, 1, 0)],
    ['the log', (tx) => listDeliveryPage(tx, TEAM_A, { limit: 10, after })],
    ['the log of a block', (tx) => listDeliveryPage(tx, TEAM_A, { limit: 10, block: 1 })],
    ['a delivery', (tx) => findDeliveryWithAttempts(tx, TEAM_A, delivery.id)],
    ['no delivery', (tx) => findDeliveryWithAttempts(tx, TEAM_A, unknown)],
    ['resending', (tx) => resendDelivery(tx, TEAM_A, delivery.id, NOW_MS)],
    ['deleting a webhook', (tx) => deleteWebhook(tx, TEAM_A, 'wh_1')],
    ['pausing webhooks', pauseTwice],
    ['versions of a height', (tx) => webhooksWithDeliveryAt(tx, NETWORK, 1)],
    ['running replays', (tx) => runningReplays(tx, TEAM_A, 10)],
    ['teams with replays', (tx) => replayingTeams(tx, TEAM_A, 10)],
    ['a step of a replay', replayOne],
  ]

  test.each(deeds)('%s', async (_, work) => {
    const plans = await plansOf(work)
    expect(plans.length).toBeGreaterThan(0)
    expect(plans.filter((detail) => READS_ALL.test(detail))).toEqual([])
  })

  test('retention', async () => {
    const plans = await plansOf(pruneAll)
    const all = plans.filter((detail) => READS_ALL.test(detail))
    expect(all.filter((detail) => !READS_BEGINNING.test(detail))).toEqual([])
  })

  // The primary key alone would lead to all that waits for the webhook, and take far too long.
  test.each([
    ['new', 'PRIMARY KEY (webhook=? AND lane=? AND event>?)'],
    ['retry', 'INDEX outbox_retries (webhook=? AND due_at_ms<?)'],
    ['ordered', 'PRIMARY KEY (webhook=? AND lane=?)'],
    ['error', 'PRIMARY KEY (webhook=? AND lane=?)'],
  ] as const)('what is due in the lane %s', async (lane, index) => {
    const question = { nowMs: NOW_MS, limit: 10, lane }
    const plans = await plansOf((tx) => waitingDeliveries(tx, 1, question))
    const reads = [...readsOf(plans, 'outbox')].map((one) => one.replace('COVERING ', ''))
    expect(reads).toEqual([`SEARCH outbox USING ${index}`])
    const rowid = 'USING INTEGER PRIMARY KEY (rowid=?)'
    expect(readsOf(plans, 'deliveries')).toEqual(new Set([`SEARCH deliveries ${rowid}`]))
    expect(readsOf(plans, 'events')).toEqual(new Set([`SEARCH events ${rowid}`]))
  })

  test.each([
    ['waiting', 'outbox', 'webhook=? AND lane=?'],
    ['delivered', 'done_deliveries', 'webhook=? AND state=?'],
    ['failed', 'done_deliveries', 'webhook=? AND state=?'],
    ['cancelled', 'done_deliveries', 'webhook=? AND state=?'],
  ] as const)('the log of %s ones', async (status, table, key) => {
    await settle(db, [delivery.id], { kind: 'failed' })
    for (const webhookId of ['wh_1', undefined]) {
      const page = { webhookId, status, after, limit: 10 }
      const plans = await plansOf((tx) => listDeliveryPage(tx, TEAM_A, page))
      const reads = [...readsOf(plans, table)]
      expect(reads.length).toBeGreaterThan(0)
      for (const read of reads) expect(read).toContain(`PRIMARY KEY (${key} AND event`)
    }
  })
})

async function replayOne(tx: Database): Promise<void> {
  const where = { webhookId: 'wh_1', network: NETWORK }
  const replay = { id: 'rpl_1', teamId: TEAM_A, fromBlock: 1, toBlock: 1, createdAtMs: NOW_MS }
  await createReplay(tx, { ...replay, ...where })
  const due = { data: '{}', bytes: 2, truncation: null }
  const block = { blockNumber: 1, blockHash: '0x1', sequenceNumber: 1_000_000_000_001 }
  const step = { replayId: 'rpl_1', ...where, ...block, due, atMs: NOW_MS }
  expect(await recordReplayStep(tx, step)).toBe('recorded')
}

async function pauseTwice(tx: Database): Promise<void> {
  const pause = { teamId: TEAM_A, message: 'used up', nowMs: NOW_MS }
  for (let round = 0; round < 2; round++) {
    expect(await pauseTeamOverLimit(tx, pause)).toEqual([1])
    await changeWebhook(db, TEAM_A, 'wh_1', { standing: { state: 'active', reason: null } })
  }
}

async function pruneAll(tx: Database): Promise<void> {
  const late = (await eventTo(db, [['wh_1']])).deliveries[0]!
  const retention = { olderThanMs: NOW_MS * 2, bytesMax: 0, rowsMax: 500 }
  await settleDeliveries(db, await fenceOf(db), [outcomeOf(delivery, { attempt: factsOf() })])
  expect(await pruneDelivered(tx, retention)).toBe(1)
  await settleDeliveries(db, await fenceOf(db), [outcomeOf(late)])
  expect(await db.query(sql`SELECT event FROM late_deliveries`)).toHaveLength(1)
  expect(await pruneDelivered(tx, retention)).toBe(1)
}
