import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import {
  deliveriesOf,
  NOW_MS,
  nextEvent,
  settle,
  waitingIds,
} from '../../../tests/support/deliveries/delivery-store.ts'
import {
  addWebhooks,
  insertTeams,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { type Database, sql } from '../../ports/database.ts'
import { pauseTeamOverLimit } from '../usage/capacity-pause.ts'
import { logBytes } from '../usage/log-bytes.ts'
import { deleteWebhook } from '../webhooks/webhooks.ts'
import { listDeliveryPage } from './log/delivery-page.ts'
import { resendDelivery } from './resend-delivery.ts'
import { pruneDelivered } from './retention.ts'

const ALL = { olderThanMs: NOW_MS * 2, bytesMax: Number.MAX_SAFE_INTEGER, rowsMax: 1_000 }

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'))
})
afterEach(() => db.close())

const idsLeft = async () =>
  (await listDeliveryPage(db, TEAM_A, { limit: 1_000 })).map(({ id }) => id).toSorted()

const countResults = async () => (await db.query(sql`SELECT bytes FROM results`)).length

const countEvents = async () => (await db.query(sql`SELECT event FROM events`)).length

/** One delivered event after the other, a second apart; the oldest first. */
async function delivered(count: number, data = '{"block":{}}'): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at++) {
    const [id = ''] = await nextEvent(db, ['wh_1'], { data })
    await settle(db, [id], { kind: 'delivered' }, { startedAtMs: NOW_MS + at * 1_000 })
    ids.push(id)
  }
  return ids
}

describe('retention', () => {
  test('never removes what waits or has failed, however old and however large the log', async () => {
    const [waiting = '', retried = ''] = await nextEvent(db, ['wh_1', 'wh_2'])
    await settle(db, [retried], { kind: 'retry', dueAtMs: NOW_MS })
    const failed = await nextEvent(db, ['wh_1'])
    await settle(db, failed, { kind: 'failed' })
    const more = await nextEvent(db, ['wh_1'])
    await pauseTeamOverLimit(db, { teamId: TEAM_A, message: 'used up', nowMs: NOW_MS })
    const errors = [
      ...(await waitingIds(db, 'wh_1', 'error')),
      ...(await waitingIds(db, 'wh_2', 'error')),
    ]
    expect(await pruneDelivered(db, { ...ALL, bytesMax: 0 })).toBe(0)
    const kept = [waiting, retried, ...failed, ...more, ...errors]
    expect(await idsLeft()).toEqual(kept.toSorted())
    expect(await countResults()).toBe(3)
  })

  test('removes what was delivered longer ago, to the millisecond', async () => {
    const ids = await delivered(5)
    const olderThanMs = NOW_MS + 3_000 + 6
    expect(await pruneDelivered(db, { ...ALL, olderThanMs })).toBe(3)
    expect(await idsLeft()).toEqual(ids.slice(3).toSorted())
    expect(await countResults()).toBe(2)
    expect(await pruneDelivered(db, { ...ALL, olderThanMs })).toBe(0)
  })

  test('counts from the delivery, not from the block: a late one is kept as long', async () => {
    const [late = ''] = await nextEvent(db, ['wh_1'], { atMs: 1_000 })
    await settle(db, [late], { kind: 'delivered' })
    expect(await pruneDelivered(db, { ...ALL, olderThanMs: NOW_MS })).toBe(0)
    expect(await idsLeft()).toEqual([late])
  })

  test('removes what was cancelled', async () => {
    await nextEvent(db, ['wh_1'])
    await deleteWebhook(db, TEAM_A, 'wh_1')
    expect(await pruneDelivered(db, { ...ALL, olderThanMs: NOW_MS })).toBe(0)
    expect(await pruneDelivered(db, { ...ALL, olderThanMs: NOW_MS + 1 })).toBe(1)
    expect(await idsLeft()).toEqual([])
  })

  test('goes in steps, the oldest first', async () => {
    const ids = await delivered(5)
    expect(await pruneDelivered(db, { ...ALL, rowsMax: 2 })).toBe(2)
    expect(await idsLeft()).toEqual(ids.slice(2).toSorted())
    expect(await pruneDelivered(db, { ...ALL, rowsMax: 2 })).toBe(2)
    expect(await pruneDelivered(db, { ...ALL, rowsMax: 2 })).toBe(1)
  })

  test('removes no more than is needed for the log to fit', async () => {
    const ids = await delivered(10, 'x'.repeat(50_000))
    const bytesMax = (await logBytes(db)) - 120_000
    expect(await pruneDelivered(db, { ...ALL, olderThanMs: 0, bytesMax })).toBe(3)
    expect(await idsLeft()).toEqual(ids.slice(3).toSorted())
    expect(await logBytes(db)).toBeLessThanOrEqual(bytesMax)
    expect(await pruneDelivered(db, { ...ALL, olderThanMs: 0, bytesMax })).toBe(0)
  })

  test('of a log that is full of what one team cannot deliver leaves what others have', async () => {
    await delivered(3, 'x'.repeat(50_000))
    const kept = await idsLeft()
    const bytesMax = (await logBytes(db)) + 10_000
    await nextEvent(db, ['wh_2'], { data: 'y'.repeat(bytesMax) })
    const failed = await nextEvent(db, ['wh_2'], { data: 'z'.repeat(bytesMax) })
    await settle(db, failed, { kind: 'failed' })
    expect(await pruneDelivered(db, { ...ALL, olderThanMs: 0, bytesMax })).toBe(0)
    expect(await idsLeft()).toEqual(expect.arrayContaining(kept))
  })

  test('keeps a result as long as any delivery has it', async () => {
    const ids = await nextEvent(db, ['wh_1', 'wh_2'])
    await settle(db, ids.slice(0, 1), { kind: 'delivered' })
    expect(await pruneDelivered(db, ALL)).toBe(1)
    expect(await countResults()).toBe(1)
    await settle(db, ids.slice(1), { kind: 'delivered' })
    expect(await pruneDelivered(db, ALL)).toBe(1)
    expect(await countResults()).toBe(0)
  })

  test('leaves alone what is to be sent again', async () => {
    const ids = await delivered(2)
    await resendDelivery(db, TEAM_A, ids[0]!, NOW_MS)
    expect(await pruneDelivered(db, ALL)).toBe(1)
    expect(await idsLeft()).toEqual([ids[0]!])
  })

  test('comes back for what was done after its event had its turn', async () => {
    const [early = '', late = '', failed = ''] = [
      ...(await nextEvent(db, ['wh_1', 'wh_2'])),
      ...(await nextEvent(db, ['wh_1'])),
    ]
    await settle(db, [early], { kind: 'delivered' })
    await settle(db, [failed], { kind: 'failed' })
    expect(await pruneDelivered(db, ALL)).toBe(1)
    expect(await idsLeft()).toEqual([late, failed].toSorted())

    const doneAtMs = NOW_MS + 90_000
    await settle(db, [late], { kind: 'delivered' }, { startedAtMs: doneAtMs })
    const older = (ms: number) => ({ ...ALL, olderThanMs: ms })
    expect(await pruneDelivered(db, older(doneAtMs))).toBe(0)
    expect(await pruneDelivered(db, older(doneAtMs + 7))).toBe(1)
    expect(await idsLeft()).toEqual([failed])
    expect(await countResults()).toBe(1)
    expect(await countEvents()).toBe(1)

    await deleteWebhook(db, TEAM_A, 'wh_1')
    expect(await pruneDelivered(db, ALL)).toBe(1)
    expect([await idsLeft(), await countResults(), await countEvents()]).toEqual([[], 0, 0])
  })

  test('keeps what was delivered late, was resent and is delivered again, from that moment', async () => {
    const [id = ''] = await delivered(1)
    expect(await pruneDelivered(db, { ...ALL, olderThanMs: NOW_MS + 1 })).toBe(0)
    await resendDelivery(db, TEAM_A, id, NOW_MS + 5_000)
    expect(await pruneDelivered(db, ALL)).toBe(0)
    await settle(db, [id], { kind: 'delivered' }, { startedAtMs: NOW_MS + 60_000 })
    expect(await pruneDelivered(db, { ...ALL, olderThanMs: NOW_MS + 60_000 })).toBe(0)
    expect((await deliveriesOf(db, 'wh_1')).map(({ state }) => state)).toEqual(['delivered'])
    expect(await pruneDelivered(db, { ...ALL, olderThanMs: NOW_MS + 60_007 })).toBe(1)
  })

  test('passes over any number of events of which nothing can go', async () => {
    for (let at = 0; at < 30; at++) {
      const ids = await nextEvent(db, ['wh_1'])
      await settle(db, ids, { kind: 'failed' })
    }
    await settle(db, await nextEvent(db, ['wh_2']), { kind: 'delivered' })
    expect(await pruneDelivered(db, { ...ALL, rowsMax: 4 })).toBe(1)
    expect(await idsLeft()).toHaveLength(30)
    expect(await pruneDelivered(db, { ...ALL, rowsMax: 4 })).toBe(0)
  })

  test('takes an event with very many deliveries as a whole', async () => {
    const ids = Array.from({ length: 300 }, (_, at) => `wh_m${at}`)
    await addWebhooks(db, ...ids.map((id) => webhookCalled(id)))
    await settle(db, await nextEvent(db, ids), { kind: 'delivered' })
    expect(await pruneDelivered(db, { ...ALL, rowsMax: 100 })).toBe(300)
    expect([await idsLeft(), await countResults(), await countEvents()]).toEqual([[], 0, 0])
  })
})
