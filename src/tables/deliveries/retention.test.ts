import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import {
  claim,
  NOW_MS,
  nextEvent,
  outcomeOf,
  readyIds,
  settle,
} from '../../../tests/support/delivery-store.ts'
import {
  addWebhooks,
  insertTeams,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/webhook-store.ts'
import { type Database, sql } from '../../ports/database.ts'
import { pauseTeamOverLimit } from '../usage/capacity-pause.ts'
import { logBytes } from '../usage/log-sizes.ts'
import { deleteWebhook } from '../webhooks/webhooks.ts'
import { resendDelivery } from './delivery-log.ts'
import { writeOutcomes } from './delivery-outcomes.ts'
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
  (await db.query<{ id: string }>(sql`SELECT id FROM deliveries ORDER BY id`)).map(({ id }) => id)

const countResults = async () => (await db.query(sql`SELECT part FROM results`)).length

/** One delivered event after the other, a second apart; the oldest first. */
async function delivered(count: number, data = '{"block":{}}'): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at++) {
    const [id = ''] = await nextEvent(db, ['wh_1'], { data })
    await claim(db, [id], 'lease')
    const attempt = outcomeOf(id, 'lease').attempt
    const startedAtMs = NOW_MS + at * 1_000
    const shown = attempt && { ...attempt, startedAtMs }
    const outcome = outcomeOf(id, 'lease', { attempt: shown, dataBytes: data.length })
    await writeOutcomes(db, [outcome])
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
    const inFlight = await nextEvent(db, ['wh_1'])
    await claim(db, inFlight, 'lease')
    await pauseTeamOverLimit(db, { teamId: TEAM_A, message: 'used up', nowMs: NOW_MS })
    const errors = [
      ...(await readyIds(db, 'wh_1', 'errors')),
      ...(await readyIds(db, 'wh_2', 'errors')),
    ]
    expect(await pruneDelivered(db, { ...ALL, bytesMax: 0 })).toBe(0)
    const kept = [waiting, retried, ...failed, ...inFlight, ...errors]
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
})
