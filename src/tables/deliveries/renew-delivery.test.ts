import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import {
  billOf,
  claim,
  LEASE_MS,
  NOW_MS,
  nextEvent,
  outcomeOf,
  ready,
  readyIds,
  rowOf,
  settle,
} from '../../../tests/support/delivery-store.ts'
import { newReplay, resultCalled, stepAt } from '../../../tests/support/replay-store.ts'
import {
  addWebhooks,
  eventAt,
  insertTeams,
  NETWORK,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/webhook-store.ts'
import { deliveryId } from '../../core/delivery/delivery-id.ts'
import { type Database, sql } from '../../ports/database.ts'
import { recordEvent } from '../chain/chain-events.ts'
import { createReplay, findReplay, recordReplayStep } from '../webhooks/replays.ts'
import { resultOf } from './delivery-claims.ts'
import { findDeliveryWithAttempts } from './delivery-log.ts'
import { writeOutcomes } from './delivery-outcomes.ts'

const FIRST = 1_000_000_000_001

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'))
})
afterEach(() => db.close())

/** Blocks 1 to 3, with nothing due to anyone. */
const follow = async () => {
  for (let number = 1; number <= 3; number++) await nextEvent(db, [])
}

const resultsStored = async () =>
  (await db.query<{ data: string }>(sql`SELECT data FROM results ORDER BY data`)).map(
    ({ data }) => data,
  )

describe('a replayed block', () => {
  test('that was delivered is delivered again: same id, new result, from the first attempt', async () => {
    const [id = ''] = await nextEvent(db, ['wh_1'])
    await nextEvent(db, ['wh_1'])
    await settle(db, [id], { kind: 'delivered' })
    await createReplay(db, newReplay())
    await recordReplayStep(db, stepAt(1))

    const [again] = await ready(db, 'wh_1', 'retry', NOW_MS + 1_000)
    expect(again).toMatchObject({
      id,
      replay: true,
      attemptsMade: 0,
      sequenceNumber: FIRST,
      createdAtMs: NOW_MS,
      dataBytes: 14,
    })
    expect(await resultOf(db, NETWORK, FIRST, again?.part ?? -1)).toEqual({
      data: '{"replayed":1}',
      truncation: null,
    })
    await settle(db, [id], { kind: 'delivered' }, NOW_MS + 1_000)
    expect((await billOf(db)).lines).toMatchObject([{ calls: 2 }])
    expect((await findDeliveryWithAttempts(db, TEAM_A, id))?.attempts).toHaveLength(2)
  })

  test('leaves the result to others that have it, and removes one that nobody has', async () => {
    await nextEvent(db, ['wh_1', 'wh_2'], { data: '{"shared":1}' })
    await createReplay(db, newReplay())
    await createReplay(db, newReplay({ id: 'rpl_2', webhookId: 'wh_2' }))
    await recordReplayStep(db, stepAt(1))
    expect(await resultsStored()).toEqual(['{"replayed":1}', '{"shared":1}'])
    const due = resultCalled('{"other":1}')
    await recordReplayStep(db, stepAt(1, { replayId: 'rpl_2', webhookId: 'wh_2', due }))
    expect(await resultsStored()).toEqual(['{"other":1}', '{"replayed":1}'])
    expect(await findDeliveryWithAttempts(db, TEAM_A, deliveryId('wh_2', FIRST))).toMatchObject({
      result: { data: '{"other":1}' },
    })
  })

  test('older than anything followed carries its own number and is new', async () => {
    await createReplay(db, newReplay())
    await recordReplayStep(db, stepAt(1, { sequenceNumber: 1 }))
    expect(await ready(db, 'wh_1', 'retry', NOW_MS + 1_000)).toMatchObject([
      { id: deliveryId('wh_1', 1), sequenceNumber: 1, previousSequence: null, teamId: TEAM_A },
    ])
  })

  test('that is being attempted is waited for, and nothing is lost on either side', async () => {
    const ids = await nextEvent(db, ['wh_1'])
    await createReplay(db, newReplay())
    await claim(db, ids, 'lease')
    expect(await recordReplayStep(db, stepAt(1))).toBe('busy')
    expect(await findReplay(db, TEAM_A, 'rpl_1')).toMatchObject({ nextBlock: 1, delivered: 0 })
    expect(await resultsStored()).toHaveLength(1)

    expect(await writeOutcomes(db, [outcomeOf(ids[0]!, 'lease')])).toEqual(new Set(ids))
    expect(await recordReplayStep(db, stepAt(1))).toBe('recorded')
    expect(await rowOf(db, ids[0]!)).toMatchObject({ state: 'waiting', replay: 1 })
    expect((await billOf(db)).lines).toMatchObject([{ calls: 1 }])
  })

  test('whose attempt died is renewed once the lease has lapsed, and a late outcome ignored', async () => {
    const ids = await nextEvent(db, ['wh_1'])
    await createReplay(db, newReplay())
    await claim(db, ids, 'lease')
    expect(await recordReplayStep(db, stepAt(1, { atMs: NOW_MS + LEASE_MS }))).toBe('recorded')
    expect(await writeOutcomes(db, [outcomeOf(ids[0]!, 'lease')])).toEqual(new Set())
    expect(await rowOf(db, ids[0]!)).toMatchObject({ state: 'waiting', attempts_made: 0 })
  })

  test('that was replaced while it was evaluated is not delivered', async () => {
    await follow()
    await createReplay(db, newReplay())
    await recordEvent(db, eventAt(1, FIRST + 2, { kind: 'forks', fork: '-b' }))
    expect(await recordReplayStep(db, stepAt(1))).toBe('moved')
    expect(await findReplay(db, TEAM_A, 'rpl_1')).toMatchObject({ nextBlock: 1, delivered: 0 })
    expect(await recordReplayStep(db, stepAt(1, { sequenceNumber: FIRST + 3 }))).toBe('recorded')
  })

  test('never goes before new blocks', async () => {
    await nextEvent(db, ['wh_1'])
    const [fresh = ''] = await nextEvent(db, ['wh_1'])
    await createReplay(db, newReplay())
    await recordReplayStep(db, stepAt(1))
    expect(await readyIds(db, 'wh_1', 'first', NOW_MS + 1_000)).toEqual([fresh])
  })

  test('of many replays in one moment has its own result each time', async () => {
    await follow()
    await nextEvent(db, [])
    await addWebhooks(db, ...Array.from({ length: 20 }, (_, at) => webhookCalled(`wh_r${at}`)))
    const parts = new Set<number | null>()
    for (let at = 0; at < 20; at++) {
      const mine = { webhookId: `wh_r${at}` }
      await createReplay(db, newReplay({ id: `rpl_r${at}`, ...mine }))
      const due = resultCalled(`{"r":${at}}`)
      await recordReplayStep(db, stepAt(1, { replayId: `rpl_r${at}`, ...mine, due }))
      const [one] = await ready(db, `wh_r${at}`, 'retry', NOW_MS + 1_000)
      parts.add(one?.part ?? null)
      expect((await resultOf(db, NETWORK, FIRST, one?.part ?? -1))?.data).toBe(`{"r":${at}}`)
    }
    expect(parts.size).toBe(20)
  })
})
