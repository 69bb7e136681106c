import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import {
  claim,
  LEASE_MS,
  NOW_MS,
  nextEvent,
  ready,
  readyIds,
  settle,
  statesOf,
} from '../../../tests/support/delivery-store.ts'
import {
  addWebhooks,
  HOSTILE_TEXTS,
  insertTeams,
  NETWORK,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/webhook-store.ts'
import type { Database } from '../../ports/database.ts'
import { pauseTeamOverLimit } from '../usage/capacity-pause.ts'
import { changeWebhook, deleteWebhook } from '../webhooks/webhooks.ts'
import {
  claimDeliveries,
  readyDeliveries,
  resultOf,
  waitingWebhooks,
  webhooksDueBetween,
} from './delivery-claims.ts'

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

describe('first attempts', () => {
  test('are due at once and in order, whatever the clocks of those who made them say', async () => {
    const ids: string[] = []
    for (const atMs of [NOW_MS + 15_000, NOW_MS - 15_000, NOW_MS + 5_000]) {
      ids.push(...(await nextEvent(db, ['wh_1'], { atMs })))
    }
    expect(await readyIds(db, 'wh_1', 'first')).toEqual(ids)
    expect(await readyIds(db, 'wh_1', 'ordered')).toEqual(ids.slice(0, 1))
    expect(await claim(db, ids, 'lease')).toEqual(new Set(ids))
  })

  test('are read in the order of their sequence numbers, as many as asked for', async () => {
    const ids = await events(5)
    expect(await readyIds(db, 'wh_1', 'first')).toEqual(ids)
    const some = await readyDeliveries(db, 'wh_1', { nowMs: NOW_MS, limit: 2, lane: 'first' })
    expect(some.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    expect(await readyIds(db, 'wh_2', 'first')).toEqual([])
  })

  test('come with all that a body and its headers need', async () => {
    await nextEvent(db, ['wh_1'])
    await nextEvent(db, ['wh_1'], { data: '{"größe":1}' })
    expect((await ready(db, 'wh_1', 'first'))[1]).toEqual({
      id: expect.stringMatching(/^whevt_[a-z0-9]{16}$/),
      webhookId: 'wh_1',
      teamId: TEAM_A,
      network: NETWORK,
      kind: 'data',
      sequenceNumber: FIRST + 1,
      blockNumber: 2,
      part: 0,
      error: null,
      previousSequence: FIRST,
      replay: false,
      createdAtMs: NOW_MS,
      attemptsMade: 0,
      dataBytes: 13,
      lease: '',
      position: null,
    })
  })

  test('are not held up by one that failed and waits for its retry', async () => {
    const [failed = '', ...others] = await events(3)
    await settle(db, [failed], { kind: 'retry', dueAtMs: NOW_MS + 15_000 })
    expect(await readyIds(db, 'wh_1', 'first')).toEqual(others)
    expect(await readyIds(db, 'wh_1', 'retry')).toEqual([])
    expect(await readyIds(db, 'wh_1', 'retry', NOW_MS + 15_000)).toEqual([failed])
    expect(await readyIds(db, 'wh_1', 'first', NOW_MS + 15_000)).toEqual(others)
  })

  test('that were given back unattempted keep their place', async () => {
    const ids = await events(3)
    await settle(db, ids.slice(0, 1), { kind: 'released', dueAtMs: NOW_MS })
    expect(await readyIds(db, 'wh_1', 'first')).toEqual(ids)
    expect((await ready(db, 'wh_1', 'first'))[0]?.attemptsMade).toBe(0)
  })
})

test('retries are read in the order in which they become due', async () => {
  const ids = await events(3)
  for (const [at, id] of ids.entries()) {
    await settle(db, [id], { kind: 'retry', dueAtMs: NOW_MS + 300 - at * 100 })
  }
  expect(await readyIds(db, 'wh_1', 'retry', NOW_MS + 200)).toEqual([ids[2]!, ids[1]!])
  expect(await readyIds(db, 'wh_1', 'retry', NOW_MS + 300)).toEqual(ids.toReversed())
})

describe('strictly one after the other', () => {
  test('the lowest number goes, and nothing else until it has arrived or was given up', async () => {
    const ids = await events(3)
    expect(await readyIds(db, 'wh_1', 'ordered')).toEqual([ids[0]!])
    await claim(db, [ids[0]!], 'lease')
    expect(await readyIds(db, 'wh_1', 'ordered')).toEqual([])
    expect(await readyIds(db, 'wh_1', 'ordered', NOW_MS + LEASE_MS)).toEqual([ids[0]!])

    const laterMs = NOW_MS + LEASE_MS
    await settle(db, [ids[0]!], { kind: 'retry', dueAtMs: laterMs + 60_000 }, laterMs)
    expect(await readyIds(db, 'wh_1', 'ordered', laterMs + 59_999)).toEqual([])
    expect(await readyIds(db, 'wh_1', 'ordered', laterMs + 60_000)).toEqual([ids[0]!])

    await settle(db, [ids[0]!], { kind: 'failed' }, laterMs + 60_000)
    expect(await readyIds(db, 'wh_1', 'ordered')).toEqual([ids[1]!])
    await settle(db, [ids[1]!], { kind: 'delivered' })
    expect(await readyIds(db, 'wh_1', 'ordered')).toEqual([ids[2]!])
  })
})

describe('a paused webhook', () => {
  test('has nothing ready, and what waits goes out once it is unpaused', async () => {
    const ids = await events(2)
    await settle(db, ids.slice(0, 1), { kind: 'retry', dueAtMs: NOW_MS })
    await changeWebhook(db, TEAM_A, 'wh_1', PAUSED)
    for (const lane of ['first', 'retry', 'ordered', 'errors'] as const) {
      expect(await readyIds(db, 'wh_1', lane)).toEqual([])
    }
    await changeWebhook(db, TEAM_A, 'wh_1', ACTIVE)
    expect(await readyIds(db, 'wh_1', 'first')).toEqual(ids.slice(1))
    expect(await readyIds(db, 'wh_1', 'retry')).toEqual(ids.slice(0, 1))
  })

  test('cannot be claimed for by who read it before the pause', async () => {
    const ids = await events(2)
    await changeWebhook(db, TEAM_A, 'wh_1', PAUSED)
    expect(await claim(db, ids, 'late')).toEqual(new Set())
    await changeWebhook(db, TEAM_A, 'wh_1', ACTIVE)
    expect(await claim(db, ids, 'in time')).toEqual(new Set(ids))
  })

  test('still gets the error that tells of its pause, and nothing else', async () => {
    await events(2)
    await pauseTeamOverLimit(db, { teamId: TEAM_A, message: 'used up', nowMs: NOW_MS })
    const [error, ...rest] = await ready(db, 'wh_1', 'errors')
    expect(rest).toEqual([])
    expect(error).toMatchObject({ kind: 'error', error: 'used up', sequenceNumber: null })
    expect(await claim(db, [error?.id ?? ''], 'lease')).toEqual(new Set([error?.id ?? '']))
    expect(await readyIds(db, 'wh_1', 'first')).toEqual([])
  })
})

describe('a claim', () => {
  test('is won by one of all who try at once', async () => {
    const ids = await events(20)
    const claims = await Promise.all(['a', 'b', 'c', 'd'].map((lease) => claim(db, ids, lease)))
    const won = claims.flatMap((ours) => [...ours])
    expect(won.toSorted()).toEqual(ids.toSorted())
  })

  test('lapses, and then another wins', async () => {
    const ids = await events(1)
    await claim(db, ids, 'dead')
    expect(await readyIds(db, 'wh_1', 'first', NOW_MS + LEASE_MS - 1)).toEqual([])
    expect(await claim(db, ids, 'other', NOW_MS + LEASE_MS - 1)).toEqual(new Set())
    expect(await readyIds(db, 'wh_1', 'first', NOW_MS + LEASE_MS)).toEqual(ids)
    expect(await claim(db, ids, 'other', NOW_MS + LEASE_MS)).toEqual(new Set(ids))
  })

  test('of what is done, cancelled or was never there wins nothing', async () => {
    const [delivered = '', failed = '', cancelled = ''] = await events(3)
    await settle(db, [delivered], { kind: 'delivered' })
    await settle(db, [failed], { kind: 'failed' })
    await deleteWebhook(db, TEAM_A, 'wh_1')
    const ids = [delivered, failed, cancelled, 'whevt_none', ...HOSTILE_TEXTS]
    expect(await claim(db, ids, 'lease')).toEqual(new Set())
    expect(await statesOf(db, ids.slice(0, 3))).toEqual(['delivered', 'cancelled', 'cancelled'])
  })

  test.each([0, 1, 3, 64, 65, 1_500])('of %d at once wins all of them', async (count) => {
    const ids = await events(Math.min(count, 100))
    const strangers = Array.from({ length: count - ids.length }, (_, at) => `whevt_${at}`)
    const ours = await claimDeliveries(db, [...strangers, ...ids], 'lease', NOW_MS, NOW_MS + 1)
    expect(new Set(ours.keys())).toEqual(new Set(ids))
  })
})

describe('who looks for work', () => {
  test('finds every webhook with something waiting, page by page, due or not', async () => {
    const ids = Array.from({ length: 25 }, (_, at) => `wh_${String(at).padStart(3, '0')}`)
    await addWebhooks(db, ...ids.map((id) => webhookCalled(id)))
    const made = await nextEvent(db, ids)
    await nextEvent(db, ids.slice(5, 10))
    await settle(db, made.slice(0, 3), { kind: 'retry', dueAtMs: NOW_MS + 1_000_000 })
    await settle(db, made.slice(20), { kind: 'delivered' })

    expect(await waitingWebhooks(db, null, 1_000)).toEqual(ids.slice(0, 20))
    const pages: string[][] = []
    for (let after = ''; ; ) {
      const page = await waitingWebhooks(db, after, 7)
      pages.push(page)
      after = page.at(-1) ?? ''
      if (page.length < 7) break
    }
    expect(pages.map(({ length }) => length)).toEqual([7, 7, 6])
    expect(pages.flat()).toEqual(ids.slice(0, 20))
  })

  test('finds nothing where nothing waits', async () => {
    expect(await waitingWebhooks(db, null, 10)).toEqual([])
    await settle(db, await events(1), { kind: 'delivered' })
    expect(await waitingWebhooks(db, null, 10)).toEqual([])
    expect(await webhooksDueBetween(db, 0, NOW_MS * 2)).toEqual([])
  })

  test('learns which webhooks become due between two moments, each once', async () => {
    const [one = '', two = ''] = await nextEvent(db, ['wh_1', 'wh_2'])
    await settle(db, [one], { kind: 'retry', dueAtMs: NOW_MS + 100 })
    await settle(db, [two], { kind: 'retry', dueAtMs: NOW_MS + 200 })
    await settle(db, await events(1), { kind: 'retry', dueAtMs: NOW_MS + 101 })
    expect(await webhooksDueBetween(db, NOW_MS, NOW_MS + 99)).toEqual([])
    expect(await webhooksDueBetween(db, NOW_MS + 99, NOW_MS + 199)).toEqual(['wh_1'])
    expect((await webhooksDueBetween(db, NOW_MS, NOW_MS + 200)).toSorted()).toEqual([
      'wh_1',
      'wh_2',
    ])
    expect(await webhooksDueBetween(db, NOW_MS + 200, NOW_MS + 900)).toEqual([])
  })
})

test('a result is read as it was stored, and one that is not there is null', async () => {
  await nextEvent(db, ['wh_1'], { data: HOSTILE_TEXTS[2]! })
  expect(await resultOf(db, NETWORK, FIRST, 0)).toEqual({
    data: HOSTILE_TEXTS[2]!,
    truncation: null,
  })
  expect(await resultOf(db, NETWORK, FIRST, 1)).toBeNull()
  expect(await resultOf(db, 'OTHER', FIRST, 0)).toBeNull()
})
