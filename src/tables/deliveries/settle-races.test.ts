import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { backlogsMiscounted, listedWrongly } from '../../../tests/support/blocks/log-counts.ts'
import {
  billOf,
  deliveryCalled,
  eventTo,
  fenceOf,
  LEASE_MS,
  NOW_MS,
  outcomeOf,
  settleHeld,
  statesOf,
  waiting,
} from '../../../tests/support/deliveries/delivery-store.ts'
import {
  type Fence,
  resendDelivery,
  takeShards,
} from '../../../tests/support/deliveries/delivery-tables.ts'
import { newReplay, stepAt } from '../../../tests/support/deliveries/replay-store.ts'
import {
  addWebhooks,
  insertTeams,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { type Database, sql } from '../../ports/database.ts'
import { createReplay, recordReplayStep } from '../webhooks/replays.ts'
import { deleteWebhook } from '../webhooks/webhooks.ts'

const RETRY = { kind: 'retry', dueAtMs: NOW_MS } as const

let db: Database
let fence: Fence
let one: Parameters<typeof outcomeOf>[0]
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, webhookCalled('wh_1'))
  fence = await fenceOf(db)
  one = (await eventTo(db, [['wh_1']])).deliveries[0]!
})
afterEach(async () => {
  expect(await listedWrongly(db)).toEqual([])
  expect(await backlogsMiscounted(db)).toEqual({})
  await db.close()
})

/** All that a settle may write. */
async function everything(): Promise<unknown> {
  const tables = [
    sql`SELECT * FROM outbox`,
    sql`SELECT * FROM done_deliveries`,
    sql`SELECT * FROM usage`,
    sql`SELECT * FROM team_months`,
    sql`SELECT * FROM log_sizes`,
    sql`SELECT * FROM team_backlogs`,
    sql`SELECT state, version, attempts_made, attempts FROM deliveries`,
    sql`SELECT * FROM couriers`,
    sql`SELECT * FROM webhooks`,
    sql`SELECT * FROM revisions`,
  ]
  return Promise.all(tables.map((table) => db.query(table)))
}

describe('a courier that lost its token', () => {
  test('to a new life under its name writes nothing at all', async () => {
    const later = await fenceOf(db)
    const before = await everything()
    for (const next of [{ kind: 'delivered' }, RETRY, { kind: 'failed' }] as const) {
      expect(await settleHeld(db, fence, [outcomeOf(one, { next })])).toBe('fenced')
    }
    const gone = webhookCalled('wh_1')
    expect(await settleHeld(db, fence, [outcomeOf(one, { next: RETRY, gone })])).toBe('fenced')
    expect(await settleHeld(db, fence, [])).toBe('fenced')
    expect(await everything()).toEqual(before)
    expect(await settleHeld(db, later, [outcomeOf(one)])).toEqual(new Set([0]))
  })

  test('to another that took its shards writes nothing, and the other writes once', async () => {
    await takeShards(db, fence, NOW_MS, 256)
    const lateMs = NOW_MS + LEASE_MS
    const other = await fenceOf(db, 'other', lateMs)
    expect(await takeShards(db, other, lateMs, 256)).toHaveLength(256)
    expect(await settleHeld(db, fence, [outcomeOf(one)])).toBe('fenced')
    expect(await statesOf(db, [one.id])).toEqual(['waiting'])
    expect((await billOf(db)).lines).toEqual([])
    expect(await settleHeld(db, other, [outcomeOf(one)])).toEqual(new Set([0]))
    expect((await billOf(db)).lines).toMatchObject([{ calls: 1 }])
  })

  test('was late but was not replaced still writes: the attempt was made', async () => {
    const late = { ...fence, untilMs: NOW_MS + 5 * LEASE_MS }
    expect(await settleHeld(db, late, [outcomeOf(one)])).toEqual(new Set([0]))
    const [row] = await db.query<{ until_ms: number }>(sql`SELECT until_ms FROM couriers`)
    expect(row?.until_ms).toBe(late.untilMs)
  })
})

describe('an outcome from before', () => {
  test('another attempt was written does not count', async () => {
    await settleHeld(db, fence, [outcomeOf(one, { next: RETRY })])
    expect(await settleHeld(db, fence, [outcomeOf(one)])).toEqual(new Set())
    expect(await deliveryCalled(db, one.id)).toMatchObject({ state: 'waiting', attemptsMade: 1 })
    expect((await billOf(db)).lines).toEqual([])
  })

  test('it was resent does not count, not even with as many attempts', async () => {
    await settleHeld(db, fence, [outcomeOf(one, { next: { kind: 'failed' } })])
    expect(await resendDelivery(db, TEAM_A, one.id, NOW_MS)).toBe('resent')
    const [again] = await waiting(db, 'wh_1', 'retry')
    expect(again).toMatchObject({ version: 1, attemptsMade: 0 })
    for (const stale of [one, { ...one, attemptsMade: 1 }]) {
      expect(await settleHeld(db, fence, [outcomeOf(stale)])).toEqual(new Set())
    }
    expect(await settleHeld(db, fence, [outcomeOf(again!)])).toEqual(new Set([0]))
    expect((await billOf(db)).lines).toMatchObject([{ calls: 1 }])
  })

  test('it was replayed during the attempt does not count', async () => {
    await createReplay(db, newReplay())
    expect(await recordReplayStep(db, stepAt(1))).toBe('recorded')
    expect(await settleHeld(db, fence, [outcomeOf(one)])).toEqual(new Set())
    const [again] = await waiting(db, 'wh_1', 'retry', NOW_MS + 1_000)
    expect(again).toMatchObject({ id: one.id, version: 1, attemptsMade: 0, replay: true })
    expect(await settleHeld(db, fence, [outcomeOf(again!)])).toEqual(new Set([0]))
    expect((await billOf(db)).lines).toMatchObject([{ calls: 1 }])
  })

  test('is the fault of its own delivery alone, not of others in the same group', async () => {
    const more = (await eventTo(db, [['wh_1']])).deliveries[0]!
    await settleHeld(db, fence, [outcomeOf(one, { next: RETRY })])
    const both = [outcomeOf(one), outcomeOf(more)]
    expect(await settleHeld(db, fence, both)).toEqual(new Set([1]))
    expect((await billOf(db)).lines).toMatchObject([{ calls: 1 }])
  })
})

test('what is being attempted cannot be resent, and its outcome counts', async () => {
  expect(await resendDelivery(db, TEAM_A, one.id, NOW_MS)).toBe('waiting')
  expect(await settleHeld(db, fence, [outcomeOf(one)])).toEqual(new Set([0]))
})

describe('a delivery whose webhook was deleted during its attempt', () => {
  beforeEach(() => deleteWebhook(db, TEAM_A, 'wh_1'))

  test('and that was accepted is delivered and billed, once', async () => {
    expect(await settleHeld(db, fence, [outcomeOf(one)])).toEqual(new Set([0]))
    expect(await settleHeld(db, fence, [outcomeOf(one)])).toEqual(new Set())
    expect(await statesOf(db, [one.id])).toEqual(['delivered'])
    expect((await billOf(db)).lines).toMatchObject([{ calls: 1 }])
  })

  test.each(['retry', 'failed'] as const)('and that was not (%s) stays cancelled', async (kind) => {
    const outcome = outcomeOf(one, { next: { kind, dueAtMs: NOW_MS } })
    expect(await settleHeld(db, fence, [outcome])).toEqual(new Set([0]))
    expect(await deliveryCalled(db, one.id)).toMatchObject({
      state: 'cancelled',
      attemptsMade: 1,
      dueAtMs: null,
    })
  })
})
