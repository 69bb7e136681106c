import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../../tests/fresh-store.ts'
import { NOW_MS } from '../../../../tests/support/delivery-store.ts'
import { arrive, eventTo, outcomeAt } from '../../../../tests/support/sheet-store.ts'
import {
  addWebhooks,
  HOSTILE_TEXTS,
  insertTeams,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from '../../../../tests/support/webhook-store.ts'
import { deliveryId } from '../../../core/delivery/delivery-id.ts'
import { type Database, sql } from '../../../ports/database.ts'
import { cancelDeliveries } from '../deliveries.ts'
import {
  findDeliveryWithAttempts,
  type LogCursor,
  type LogQuestion,
  listDeliveryPage,
  resendDelivery,
} from '../delivery-log.ts'
import { writeOutcomes } from '../delivery-outcomes.ts'
import { moveOne } from './sheets.ts'

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'))
})
afterEach(() => db.close())

async function pagesOf(filter: Partial<LogQuestion>, limit: number): Promise<string[]> {
  const ids: string[] = []
  for (let after: LogCursor | undefined; ; ) {
    const page = await listDeliveryPage(db, TEAM_A, { ...filter, after, limit })
    ids.push(...page.map(({ id }) => id))
    after = page.at(-1)
    if (!after) return ids
  }
}

describe('the log of deliveries on sheets', () => {
  test('has all of an event that fills several sheets, each once', async () => {
    const many = Array.from({ length: 150 }, (_, at) => `wh_many${at}`)
    await addWebhooks(db, ...many.map((id) => webhookCalled(id)))
    const ids: string[] = []
    for (let at = 0; at < 3; at++) {
      const event = await eventTo(db, [many], { atMs: NOW_MS + at })
      if (at > 0) await arrive(db, event, { except: ['wh_many70'] })
      ids.push(...event.deliveryIds)
    }
    expect((await pagesOf({}, 40)).toSorted()).toEqual(ids.toSorted())
    expect(await pagesOf({ status: 'delivered' }, 100)).toHaveLength(2 * 149)
    expect(await pagesOf({ status: 'waiting' }, 7)).toHaveLength(152)
    expect(await pagesOf({ block: 2 }, 11)).toHaveLength(150)
    expect(await pagesOf({ webhookId: 'wh_many149' }, 1)).toHaveLength(3)
  })

  test('finds a rare webhook among hundreds of events it had no part in', async () => {
    const rare: string[] = []
    for (let at = 0; at < 400; at++) {
      const lists = at % 97 === 0 ? [['wh_1', 'wh_2']] : [['wh_1']]
      const event = await eventTo(db, lists, { atMs: NOW_MS + at * 1_000 })
      if (at % 97 === 0) rare.unshift(deliveryId('wh_2', event.sequenceNumber))
      await arrive(db, event)
    }
    expect(await pagesOf({ webhookId: 'wh_2' }, 2)).toEqual(rare)
    expect(new Set(await pagesOf({}, 50)).size).toBe(405)
    const after = { createdAtMs: NOW_MS + 200_500, id: 'whevt_gone' }
    const [next] = await listDeliveryPage(db, TEAM_A, { webhookId: 'wh_1', after, limit: 1 })
    expect(next?.createdAtMs).toBe(NOW_MS + 200_000)
  })

  test('goes on below a thousand that had to be moved', async () => {
    const first = await eventTo(db, [['wh_1']], { atMs: NOW_MS - 1 })
    await arrive(db, first)
    for (let at = 0; at < 1_000; at++) {
      const event = await eventTo(db, [['wh_1']], { atMs: NOW_MS + at })
      await writeOutcomes(db, [outcomeAt(event, 0, { kind: 'failed' }, NOW_MS)])
    }
    expect(await pagesOf({ status: 'delivered' }, 10)).toEqual(first.deliveryIds)
    expect(await pagesOf({}, 300)).toHaveLength(1_001)
  }, 60_000)

  test('shows nobody the deliveries of another team, whose names look alike', async () => {
    await addWebhooks(db, webhookCalled('whx1', { teamId: TEAM_B }))
    const event = await eventTo(db, [['wh_1', 'whx1']])
    const [ours = '', theirs = ''] = event.deliveryIds
    expect(await pagesOf({}, 5)).toEqual([ours])
    expect(await pagesOf({ block: 1 }, 5)).toEqual([ours])
    for (const webhookId of ['whx1', 'wh__', '%', 'team_a', ...HOSTILE_TEXTS]) {
      for (const status of [undefined, 'waiting', 'delivered'] as const) {
        expect(await pagesOf({ webhookId, status }, 5)).toEqual([])
      }
      expect(await pagesOf({ webhookId, block: 1 }, 5)).toEqual([])
    }
    expect(await findDeliveryWithAttempts(db, TEAM_A, theirs)).toBeNull()
    expect(await resendDelivery(db, TEAM_A, theirs, NOW_MS)).toBe('not_found')
    expect(await findDeliveryWithAttempts(db, TEAM_B, theirs)).toMatchObject({ state: 'waiting' })
  })

  test('finds none by an id that is like one of an event', async () => {
    const { deliveryIds } = await eventTo(db, [['wh_1']])
    const known = deliveryIds[0] ?? ''
    const texts = [`${known.slice(0, -1)}_`, known.toUpperCase(), `${known}0`, '', '%', 'whevt_']
    for (const id of [...texts, ...HOSTILE_TEXTS]) {
      expect(await findDeliveryWithAttempts(db, TEAM_A, id)).toBeNull()
    }
  })
})

test('what arrived is sent again from a row, and what is open stays where it is', async () => {
  const event = await eventTo(db, [['wh_1', 'wh_2']])
  const [one = '', two = ''] = event.deliveryIds
  await arrive(db, event, { except: ['wh_2'] })
  expect(await resendDelivery(db, TEAM_A, one, NOW_MS)).toBe('resent')
  expect(await resendDelivery(db, TEAM_A, one, NOW_MS)).toBe('waiting')
  expect(await resendDelivery(db, TEAM_A, two, NOW_MS)).toBe('waiting')
  const marks = await db.query(sql`SELECT marks, open FROM sheets`)
  expect(marks).toEqual([{ marks: 'mo', open: 1 }])
  expect(await findDeliveryWithAttempts(db, TEAM_A, one)).toMatchObject({
    state: 'waiting',
    attemptsMade: 0,
    attempts: [{ status: 200 }],
  })
})

test('a webhook with hundreds open is cancelled at once, and others are left alone', async () => {
  for (let at = 0; at < 200; at++) await eventTo(db, [['wh_1', 'wh_2']], { atMs: NOW_MS + at })
  const place = { network: 'ETH_MAINNET', sequenceNumber: 1_000_000_000_001 }
  await db.transaction((tx) => moveOne(tx, 'wh_1', place))
  await db.transaction((tx) => cancelDeliveries(tx, 'wh_1'))
  expect(await pagesOf({ webhookId: 'wh_1', status: 'cancelled' }, 90)).toHaveLength(200)
  expect(await pagesOf({ webhookId: 'wh_1', status: 'waiting' }, 90)).toEqual([])
  expect(await pagesOf({ webhookId: 'wh_2', status: 'waiting' }, 90)).toHaveLength(200)
})
