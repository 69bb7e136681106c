import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { freshStore } from '../../../../tests/fresh-store.ts'
import { sized } from '../../../../tests/support/basics/sized.ts'
import { plansOf } from '../../../../tests/support/blocks/query-plans.ts'
import { eventTo, NOW_MS, settle } from '../../../../tests/support/deliveries/delivery-store.ts'
import { fillLongLog, LOG_END_MS } from '../../../../tests/support/deliveries/long-log.ts'
import {
  addWebhooks,
  insertTeams,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from '../../../../tests/support/deliveries/webhook-store.ts'
import { WORLD } from '../../../../tests/support/product/world.ts'
import { type Database, sql } from '../../../ports/database.ts'
import { deleteWebhook } from '../../webhooks/webhooks.ts'
import { searchDeliveries } from './search-deliveries.ts'
import { webhookStats } from './webhook-stats.ts'

/** A hundred thousand rows are written first. */
setDefaultTimeout(60_000)

const HOUR_MS = 3_600_000
const WEBHOOKS = sized(20, 100)

let db: Database
beforeEach(async () => {
  db = await freshStore()
})
afterEach(() => db.close())

describe('the figures of webhooks', () => {
  beforeEach(async () => {
    await insertTeams(db)
    const ours = ['wh_1', 'wh_2', 'wh_3'].map((id) => webhookCalled(id))
    await addWebhooks(db, ...ours, webhookCalled('wh_b', { teamId: TEAM_B }))
  })

  const statsOf = async (id: string, nowMs = NOW_MS) =>
    (await webhookStats(db, TEAM_A, nowMs)).find(({ webhookId }) => webhookId === id)

  test('are there for each of the team, also where nothing was delivered yet', async () => {
    await deleteWebhook(db, TEAM_A, 'wh_2')
    const none = { delivered: 0, failed: 0, waiting: 0, retried: 0, recent: [] }
    const fromMs = NOW_MS - 24 * HOUR_MS
    expect(await webhookStats(db, TEAM_A, NOW_MS)).toEqual([
      { webhookId: 'wh_1', ...none, fromMs },
      { webhookId: 'wh_3', ...none, fromMs },
    ])
    expect(await webhookStats(db, 'team_none', NOW_MS)).toEqual([])
  })

  // What was delivered is listed at once, after some others, or not yet.
  test.each([1, 4, 1_000])('count what became of deliveries, listed or not (%d)', async (every) => {
    await db.query(sql`UPDATE listing SET created_max = ${every}`)
    const ids: string[] = []
    for (let at = 0; at < 10; at++) {
      const { deliveries } = await eventTo(db, [['wh_1', 'wh_b']], { atMs: NOW_MS + at })
      ids.push(deliveries[0]?.id ?? '')
    }
    await settle(db, ids.slice(0, 3), { kind: 'delivered' })
    await settle(db, ids.slice(3, 6), { kind: 'retry', dueAtMs: NOW_MS })
    await settle(db, ids.slice(3, 5), { kind: 'delivered' })
    await settle(db, ids.slice(5, 6), { kind: 'failed' })
    const stats = await statsOf('wh_1')
    expect(stats).toMatchObject({ delivered: 5, failed: 1, waiting: 4, retried: 2 })
    const { deliveries } = await searchDeliveries(db, TEAM_A, { webhookId: 'wh_1', limit: 48 })
    expect(stats?.recent).toEqual(
      deliveries.toReversed().map((one) => ({
        id: one.id,
        state: one.state,
        attemptsMade: one.attemptsMade,
        isRerun: false,
        createdAtMs: one.createdAtMs,
        blockNumber: one.blockNumber,
        lastAttempt: one.lastAttempt,
      })),
    )
  })

  test('are of the last 24 hours, and the newest are shown however old they are', async () => {
    const [old] = (await eventTo(db, [['wh_1']])).deliveries
    await settle(db, [old?.id ?? ''], { kind: 'delivered' })
    const laterMs = NOW_MS + 25 * HOUR_MS
    const stats = await statsOf('wh_1', laterMs)
    expect(stats).toMatchObject({ delivered: 0, failed: 0, recent: [{ state: 'delivered' }] })
    await eventTo(db, [['wh_1']], { atMs: laterMs })
    expect(await statsOf('wh_1', laterMs)).toMatchObject({ delivered: 0, waiting: 1 })
  })

  test('of a webhook with more than 10,000 in a day say since when they are', async () => {
    await db.close()
    db = await freshStore()
    await fillLongLog(db, { webhooks: 2, events: 10_400, spreadMs: 20 * HOUR_MS })
    const [stats] = await webhookStats(db, TEAM_A, LOG_END_MS)
    expect(stats?.delivered).toBeGreaterThanOrEqual(10_000)
    expect(stats?.fromMs).toBeGreaterThan(LOG_END_MS - 20 * HOUR_MS)
    expect(stats?.failed).toBeLessThan(104)
    expect(stats?.failed).toBeGreaterThan(95)
  })
})

describe(`with ${WEBHOOKS} webhooks and a thousand deliveries of each`, () => {
  test('they are counted by the lists, and few deliveries are read', async () => {
    await fillLongLog(db, { webhooks: WEBHOOKS, events: 1_000, spreadMs: 20 * HOUR_MS })
    let read = 0
    const counting: Database = {
      ...db,
      async query<Row>(statement: Parameters<Database['query']>[0]) {
        const rows = await db.query<Row>(statement)
        read += rows.length
        return rows
      },
    }
    const stats = await webhookStats(counting, TEAM_A, LOG_END_MS)
    expect(stats).toHaveLength(WEBHOOKS)
    for (const one of stats) {
      expect(one).toMatchObject({ delivered: 980, failed: 10, waiting: 10 })
      expect(one.recent).toHaveLength(48)
    }
    expect(read).toBeLessThan(200 * WEBHOOKS)
    // PostgreSQL reads a table of this size as a whole where it deems that faster.
    if (WORLD === 'postgres') return
    const plans = await plansOf(db, (tx) => webhookStats(tx, TEAM_A, LOG_END_MS))
    const whole = plans.filter((plan) => /\bSCAN (deliveries|done_deliveries|outbox)\b/.test(plan))
    expect(whole).toEqual([])
  })
})
