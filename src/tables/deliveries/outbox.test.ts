import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import {
  deliveryCalled,
  eventTo,
  NOW_MS,
  nextEvent,
  numberOf,
  settle,
  waiting,
  waitingIds,
} from '../../../tests/support/deliveries/delivery-store.ts'
import {
  addWebhooks,
  eventAt,
  HOSTILE_TEXTS,
  insertTeams,
  NETWORK,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { type Database, sql } from '../../ports/database.ts'
import { recordEvent } from '../chain/chain-events.ts'
import { pauseTeamOverLimit } from '../usage/capacity-pause.ts'
import { changeWebhook, deleteWebhook } from '../webhooks/webhooks.ts'
import {
  type WaitingWebhook,
  waitingCount,
  waitingDeliveries,
  webhooksDueBetween,
  webhooksWaiting,
} from './outbox.ts'
import { findResult } from './results.ts'

const FIRST = 1_000_000_000_001

const PAUSED = { standing: { state: 'paused', reason: 'MANUAL' } } as const
const ACTIVE = { standing: { state: 'active', reason: null } } as const

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'))
})
afterEach(() => db.close())

/** Events for wh_1, one after the other; the ids of their deliveries. */
async function events(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at++) ids.push(...(await nextEvent(db, ['wh_1'])))
  return ids
}

describe('new deliveries', () => {
  test('are due at once and in order, whatever the clocks of those who made them say', async () => {
    const ids: string[] = []
    for (const atMs of [NOW_MS + 15_000, NOW_MS - 15_000, NOW_MS + 5_000]) {
      ids.push(...(await nextEvent(db, ['wh_1'], { atMs })))
    }
    expect(await waitingIds(db, 'wh_1', 'new')).toEqual(ids)
    expect(await waitingIds(db, 'wh_1', 'ordered')).toEqual(ids.slice(0, 1))
  })

  test('are read in the order of their events, as many as asked for, after the one known', async () => {
    const ids = await events(5)
    expect(await waitingIds(db, 'wh_1', 'new')).toEqual(ids)
    const lane = { nowMs: NOW_MS, limit: 2, lane: 'new' } as const
    const webhook = await numberOf(db, 'wh_1')
    const some = await waitingDeliveries(db, webhook, lane)
    expect(some.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    const after = some.at(-1)?.event ?? 0
    const more = await waitingDeliveries(db, webhook, { ...lane, after })
    expect(more.map(({ id }) => id)).toEqual(ids.slice(2, 4))
    expect(await waitingIds(db, 'wh_2', 'new')).toEqual([])
  })

  test('come with all that a body and its headers need', async () => {
    await nextEvent(db, ['wh_1'])
    const { deliveries } = await eventTo(db, [['wh_1']], { data: '{"größe":1}' })
    const [, second] = await waiting(db, 'wh_1', 'new')
    expect(second).toEqual({
      event: 2,
      webhook: 1,
      id: expect.stringMatching(/^whevt_[a-z0-9]{16}$/),
      webhookId: 'wh_1',
      teamId: TEAM_A,
      network: NETWORK,
      kind: 'data',
      sequenceNumber: FIRST + 1,
      blockNumber: 2,
      blockHash: '0x2',
      part: 0,
      dataBytes: 13,
      error: null,
      previousSequence: FIRST,
      replay: false,
      createdAtMs: NOW_MS,
      version: 0,
      attemptsMade: 0,
    })
    expect(deliveries).toEqual([second!])
  })

  test('are not held up by one that failed and waits for its retry', async () => {
    const [failed = '', ...others] = await events(3)
    await settle(db, [failed], { kind: 'retry', dueAtMs: NOW_MS + 15_000 })
    expect(await waitingIds(db, 'wh_1', 'new')).toEqual(others)
    expect(await waitingIds(db, 'wh_1', 'retry')).toEqual([])
    expect(await waitingIds(db, 'wh_1', 'retry', NOW_MS + 15_000)).toEqual([failed])
    expect(await waitingIds(db, 'wh_1', 'new', NOW_MS + 15_000)).toEqual(others)
  })
})

test('retries are read in the order in which they become due', async () => {
  const ids = await events(3)
  for (const [at, id] of ids.entries()) {
    await settle(db, [id], { kind: 'retry', dueAtMs: NOW_MS + 300 - at * 100 })
  }
  expect(await waitingIds(db, 'wh_1', 'retry', NOW_MS + 200)).toEqual([ids[2]!, ids[1]!])
  expect(await waitingIds(db, 'wh_1', 'retry', NOW_MS + 300)).toEqual(ids.toReversed())
})

test('strictly one after the other, the oldest goes until it has arrived or was given up', async () => {
  const ids = await events(3)
  expect(await waitingIds(db, 'wh_1', 'ordered')).toEqual([ids[0]!])
  await settle(db, [ids[0]!], { kind: 'retry', dueAtMs: NOW_MS + 60_000 })
  expect(await waitingIds(db, 'wh_1', 'ordered', NOW_MS + 59_999)).toEqual([])
  expect(await waitingIds(db, 'wh_1', 'ordered', NOW_MS + 60_000)).toEqual([ids[0]!])

  await settle(db, [ids[0]!], { kind: 'failed' })
  expect(await waitingIds(db, 'wh_1', 'ordered')).toEqual([ids[1]!])
  await settle(db, [ids[1]!], { kind: 'delivered' })
  expect(await waitingIds(db, 'wh_1', 'ordered')).toEqual([ids[2]!])
})

describe('a paused webhook', () => {
  test('has nothing to send, and what waits goes out once it is unpaused', async () => {
    const ids = await events(2)
    await settle(db, ids.slice(0, 1), { kind: 'retry', dueAtMs: NOW_MS })
    await changeWebhook(db, TEAM_A, 'wh_1', PAUSED)
    for (const lane of ['new', 'retry', 'ordered', 'error'] as const) {
      expect(await waitingIds(db, 'wh_1', lane)).toEqual([])
    }
    expect(await waitingCount(db, 'wh_1', 10)).toBe(2)
    await changeWebhook(db, TEAM_A, 'wh_1', ACTIVE)
    expect(await waitingIds(db, 'wh_1', 'new')).toEqual(ids.slice(1))
    expect(await waitingIds(db, 'wh_1', 'retry')).toEqual(ids.slice(0, 1))
  })

  test('still gets the error that tells of its pause, and nothing else', async () => {
    await events(2)
    await pauseTeamOverLimit(db, { teamId: TEAM_A, message: 'used up', nowMs: NOW_MS })
    const [error, ...rest] = await waiting(db, 'wh_1', 'error')
    expect(rest).toEqual([])
    expect(error).toMatchObject({
      kind: 'error',
      error: 'used up',
      sequenceNumber: null,
      blockNumber: null,
      blockHash: null,
      part: null,
      dataBytes: 0,
    })
    expect(await waitingIds(db, 'wh_1', 'new')).toEqual([])
    await settle(db, [error?.id ?? ''], { kind: 'retry', dueAtMs: NOW_MS + 5 })
    expect(await waitingIds(db, 'wh_1', 'error', NOW_MS + 4)).toEqual([])
    expect(await waitingIds(db, 'wh_1', 'error', NOW_MS + 5)).toEqual([error?.id ?? ''])
  })
})

test('nothing waits for a webhook that was deleted', async () => {
  const [arrived = '', failed = '', cancelled = ''] = await events(3)
  await settle(db, [arrived], { kind: 'delivered' })
  await settle(db, [failed], { kind: 'failed' })
  await deleteWebhook(db, TEAM_A, 'wh_1')
  expect(await waitingCount(db, 'wh_1', 10)).toBe(0)
  const states = []
  for (const id of [arrived, failed, cancelled]) states.push((await deliveryCalled(db, id)).state)
  expect(states).toEqual(['delivered', 'cancelled', 'cancelled'])
})

describe('who looks for work', () => {
  test('finds every webhook with something waiting, page by page, due or not', async () => {
    const ids = Array.from({ length: 25 }, (_, at) => `wh_${String(at).padStart(3, '0')}`)
    await addWebhooks(db, ...ids.map((id) => webhookCalled(id)))
    const numbers: number[] = []
    for (const id of ids) numbers.push(await numberOf(db, id))
    const made = await nextEvent(db, ids)
    await nextEvent(db, ids.slice(5, 10), { atMs: NOW_MS + 7 })
    await settle(db, made.slice(0, 3), { kind: 'retry', dueAtMs: NOW_MS + 1_000_000 })
    await settle(db, [made[9]!, ...made.slice(20)], { kind: 'delivered' })

    const pages: number[][] = []
    for (let after = 0; ; ) {
      const page = (await webhooksWaiting(db, after, 7)).map(({ webhook }) => webhook)
      pages.push(page)
      after = page.at(-1) ?? 0
      if (page.length < 7) break
    }
    expect(pages.map(({ length }) => length)).toEqual([7, 7, 6])
    expect(pages.flat()).toEqual(numbers.slice(0, 20))

    const [first, second] = (await db.query<{ event: number }>(sql`SELECT event FROM events`)).map(
      ({ event }) => event,
    )
    const waitingOnes = numbers.slice(0, 20).map((webhook, at) => {
      if (at < 3) return { webhook, newest: null, sinceMs: null }
      const newest = at < 5 || at >= 10 ? first : second
      return { webhook, newest, sinceMs: at === 9 ? NOW_MS + 7 : NOW_MS }
    })
    expect(await webhooksWaiting(db, 0, 1_000)).toEqual(waitingOnes as WaitingWebhook[])
  })

  test('finds nothing where nothing waits', async () => {
    expect(await webhooksWaiting(db, 0, 10)).toEqual([])
    await settle(db, await events(1), { kind: 'delivered' })
    expect(await webhooksWaiting(db, 0, 10)).toEqual([])
    expect(await webhooksDueBetween(db, 0, NOW_MS * 2)).toEqual([])
  })

  test('learns which webhooks become due between two moments, each once', async () => {
    const [one = '', two = ''] = await nextEvent(db, ['wh_1', 'wh_2'])
    await settle(db, [one], { kind: 'retry', dueAtMs: NOW_MS + 100 })
    await settle(db, [two], { kind: 'retry', dueAtMs: NOW_MS + 200 })
    await settle(db, await events(1), { kind: 'retry', dueAtMs: NOW_MS + 101 })
    expect(await webhooksDueBetween(db, NOW_MS, NOW_MS + 99)).toEqual([])
    expect(await webhooksDueBetween(db, NOW_MS + 99, NOW_MS + 199)).toEqual([1])
    expect((await webhooksDueBetween(db, NOW_MS, NOW_MS + 200)).toSorted()).toEqual([1, 2])
    expect(await webhooksDueBetween(db, NOW_MS + 200, NOW_MS + 900)).toEqual([])
  })

  test('counts what waits, up to as many as matter', async () => {
    const ids = await events(5)
    await settle(db, ids.slice(0, 1), { kind: 'retry', dueAtMs: NOW_MS })
    await settle(db, ids.slice(1, 2), { kind: 'failed' })
    expect(await waitingCount(db, 'wh_1', 10)).toBe(4)
    expect(await waitingCount(db, 'wh_1', 3)).toBe(3)
    expect(await waitingCount(db, 'wh_none', 3)).toBe(0)
  })
})

describe('a result', () => {
  test.each([...HOSTILE_TEXTS, 'x'.repeat(10_000_000)])(
    'is read exactly as it was stored (%#)',
    async (text) => {
      const truncation = { fields: [text.slice(0, 100)], reason: text.slice(0, 100) }
      const result = { data: text, bytes: Buffer.byteLength(text), truncation }
      const due = [{ ...result, webhookIds: ['wh_1'] }]
      const recorded = await recordEvent(db, eventAt(7, null, { due }))
      const event = recorded === 'lost' ? 0 : (recorded.event ?? 0)
      expect(await findResult(db, event, 0)).toEqual({ data: text, truncation })
    },
  )

  test('that is not there is null', async () => {
    const { event } = await eventTo(db, [['wh_1']])
    expect(await findResult(db, event ?? 0, 1)).toBeNull()
    expect(await findResult(db, (event ?? 0) + 1, 0)).toBeNull()
  })
})
