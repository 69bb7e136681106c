import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test'
import { freshStore } from '../../../../tests/fresh-store.ts'
import { seedsTo } from '../../../../tests/support/basics/each-seed.ts'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import { sized } from '../../../../tests/support/basics/sized.ts'
import { plansOf } from '../../../../tests/support/blocks/query-plans.ts'
import {
  eventTo,
  forkTo,
  NOW_MS,
  settle,
} from '../../../../tests/support/deliveries/delivery-store.ts'
import { fillLongLog, LOG_END_MS } from '../../../../tests/support/deliveries/long-log.ts'
import {
  addWebhooks,
  HOSTILE_TEXTS,
  insertTeams,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from '../../../../tests/support/deliveries/webhook-store.ts'
import { type Database, sql } from '../../../ports/database.ts'
import { deleteWebhook } from '../../webhooks/webhooks.ts'
import type { DeliveryKey } from '../delivery.ts'
import type { LoggedDelivery } from './logged-delivery.ts'
import { type DeliverySearch, searchDeliveries } from './search-deliveries.ts'

/** A hundred thousand rows are written first. */
setDefaultTimeout(60_000)

type Filter = Omit<DeliverySearch, 'after' | 'limit'>

const HOUR_MS = 3_600_000

/** Webhooks in the long log; each has 1,000 deliveries. */
const WEBHOOKS = sized(60, 100)

let db: Database

describe('a search of the log', () => {
  beforeEach(async () => {
    db = await freshStore()
    await insertTeams(db)
    const ours = ['wh_1', 'wh_2'].map((id) => webhookCalled(id))
    await addWebhooks(db, ...ours, webhookCalled('wh_b', { teamId: TEAM_B }))
  })
  afterEach(() => db.close())

  test.each(seedsTo(sized(1, 3)))('finds the same as who reads all of it (%#)', async (seed) => {
    const chance = seededChance(seed)
    await db.query(sql`UPDATE listing SET created_max = ${chance.between(1, 30)}`)
    const all = await forkedLog(chance)
    const middleMs = all[Math.floor(all.length / 2)]?.createdAtMs ?? 0
    const filters: Filter[] = [
      {},
      { attemptsMin: 1 },
      { attemptsMin: 2 },
      { attemptsMin: 9 },
      { isRerun: true },
      { isRerun: false },
      { isRerun: true, attemptsMin: 2 },
      { isRerun: true, status: 'delivered', webhookId: 'wh_1' },
      { isRerun: false, attemptsMin: 2, status: 'failed' },
      { attemptsMin: 2, webhookId: 'wh_2' },
      { attemptsMin: 2, block: 3 },
      { isRerun: true, block: 3 },
      { beforeMs: middleMs },
      { fromMs: middleMs },
      { fromMs: middleMs, beforeMs: middleMs + 4 },
      { fromMs: middleMs + 4, beforeMs: middleMs },
      { beforeMs: middleMs, isRerun: true },
      { fromMs: middleMs, attemptsMin: 2 },
      { fromMs: middleMs, block: 3 },
      { beforeMs: 0 },
      { fromMs: NOW_MS * 2 },
    ]
    for (const filter of filters) {
      const expected = all.filter((one) => isMeant(one, filter)).map(({ id }) => id)
      const ids = await readPages(filter, chance.between(1, 7))
      expect({ filter, ids }).toEqual({ filter, ids: expected })
    }
  })

  test('tells what a reorganisation replaced, and what took its place', async () => {
    for (let at = 0; at < 4; at++) await eventTo(db, [['wh_1']])
    await forkTo(db, 3, ['wh_1'], { fork: 'a' })
    const shown = async () =>
      (await searchDeliveries(db, TEAM_A, { webhookId: 'wh_1', limit: 10 })).deliveries.map(
        (one) => {
          return [one.blockHash, one.isRerun, one.isSuperseded]
        },
      )
    expect(await shown()).toEqual([
      ['0x3a', true, false],
      // Its chain is shorter now.
      ['0x4', false, true],
      ['0x3', false, true],
      ['0x2', false, false],
      ['0x1', false, false],
    ])
    await eventTo(db, [['wh_1']])
    await eventTo(db, [['wh_1']])
    expect((await shown()).slice(0, 3)).toEqual([
      ['0x5', false, false],
      ['0x4', true, false],
      ['0x3a', true, false],
    ])
    await forkTo(db, 3, ['wh_1'], { fork: 'b' })
    expect((await shown()).slice(0, 4)).toEqual([
      ['0x3b', true, false],
      ['0x5', false, true],
      ['0x4', true, true],
      ['0x3a', true, true],
    ])
  })

  test.each(HOSTILE_TEXTS)('takes any text for a webhook (%#)', async (text) => {
    await eventTo(db, [['wh_1']])
    for (const filter of [{ isRerun: true }, { isRerun: false }, { attemptsMin: 1 }]) {
      const search = { ...filter, webhookId: text, limit: 10 }
      expect(await searchDeliveries(db, TEAM_A, search)).toEqual({ deliveries: [], next: null })
    }
  })
})

describe(`a log of ${WEBHOOKS},000 deliveries`, () => {
  beforeAll(async () => {
    db = await freshStore()
    await fillLongLog(db, { webhooks: WEBHOOKS, events: 1_000, spreadMs: 20 * HOUR_MS })
  })
  afterAll(() => db.close())

  test('is searched by indexes alone, and never as a whole', async () => {
    const filters: Filter[] = [
      {},
      { status: 'failed' },
      { attemptsMin: 2 },
      { isRerun: true },
      { isRerun: false },
      { beforeMs: LOG_END_MS - HOUR_MS, fromMs: LOG_END_MS - 2 * HOUR_MS },
      { webhookId: 'wh_0003', attemptsMin: 2 },
    ]
    for (const filter of filters) {
      const search = { ...filter, limit: 100 }
      const plans = await plansOf(db, (tx) => searchDeliveries(tx, TEAM_A, search))
      const whole = plans.filter((plan) =>
        /\bSCAN (deliveries|done_deliveries|outbox)\b/.test(plan),
      )
      expect([filter, whole]).toEqual([filter, []])
    }
  })

  test('is gone through page by page, however few are meant', async () => {
    const retried = await readPages({ attemptsMin: 2 }, 100)
    expect([retried.length, new Set(retried).size]).toEqual([5 * WEBHOOKS, 5 * WEBHOOKS])
    const rerun = await readPages({ isRerun: true }, 300)
    expect([rerun.length, new Set(rerun).size]).toEqual([10 * WEBHOOKS, 10 * WEBHOOKS])
    const none = await searchDeliveries(db, TEAM_A, { attemptsMin: 4, limit: 100 })
    expect(none.deliveries).toEqual([])
    // It says where to go on instead of reading to the end.
    expect(none.next).not.toBeNull()
  })

  test('is cut by time to the event', async () => {
    const beforeMs = LOG_END_MS - 10 * HOUR_MS
    const search = { beforeMs, fromMs: beforeMs - HOUR_MS, webhookId: 'wh_0001', limit: 1_000 }
    const { deliveries } = await searchDeliveries(db, TEAM_A, search)
    expect(deliveries).toHaveLength(50)
    for (const { createdAtMs } of deliveries) {
      expect(createdAtMs).toBeLessThan(beforeMs)
      expect(createdAtMs).toBeGreaterThanOrEqual(beforeMs - HOUR_MS)
    }
  })
})

/** Blocks with forks, deliveries of all states and attempts; newest first. */
async function forkedLog(chance: ReturnType<typeof seededChance>): Promise<LoggedDelivery[]> {
  const all = ['wh_1', 'wh_2', 'wh_b']
  let atMs = NOW_MS
  for (let block = 0; block < 24; block++) {
    atMs += chance.between(0, 3)
    const isFork = block > 5 && chance.between(0, 3) === 0
    const recorded = isFork
      ? await forkTo(db, chance.between(2, 4), all, { fork: String(block), atMs })
      : await eventTo(db, [all], { atMs })
    for (const { id } of recorded.deliveries) {
      const retries = chance.between(0, 2)
      for (let at = 0; at < retries; at++) await settle(db, [id], { kind: 'retry', dueAtMs: atMs })
      const kind = chance.pick(['delivered', 'failed', null] as const)
      if (kind) await settle(db, [id], { kind })
    }
  }
  await deleteWebhook(db, TEAM_A, 'wh_2')
  const { deliveries, next } = await searchDeliveries(db, TEAM_A, { limit: 1_000 })
  expect([deliveries.length, next]).toEqual([48, null])
  expect(deliveries.filter(({ isRerun }) => isRerun).length).toBeGreaterThan(0)
  return deliveries
}

function isMeant(one: LoggedDelivery, filter: Filter): boolean {
  const { status, webhookId, block, attemptsMin, isRerun, fromMs, beforeMs } = filter
  if (status !== undefined && one.state !== status) return false
  if (webhookId !== undefined && one.webhookId !== webhookId) return false
  if (block !== undefined && one.blockNumber !== block) return false
  if (attemptsMin !== undefined && one.attemptsMade < attemptsMin) return false
  if (isRerun !== undefined && one.isRerun !== isRerun) return false
  if (fromMs !== undefined && one.createdAtMs < fromMs) return false
  return beforeMs === undefined || one.createdAtMs < beforeMs
}

async function readPages(filter: Filter, limit: number): Promise<string[]> {
  const ids: string[] = []
  for (let after: DeliveryKey | undefined, pages = 0; pages < 1_000; pages++) {
    const { deliveries, next } = await searchDeliveries(db, TEAM_A, { ...filter, after, limit })
    expect(deliveries.length).toBeLessThanOrEqual(limit)
    ids.push(...deliveries.map(({ id }) => id))
    if (next === null) return ids
    after = next
  }
  throw new Error('the pages do not end')
}
