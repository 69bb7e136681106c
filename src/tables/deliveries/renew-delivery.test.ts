import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import {
  billOf,
  deliveryCalled,
  NOW_MS,
  nextEvent,
  outcomeOf,
  settle,
  settleOutcomes,
  waiting,
  waitingIds,
} from '../../../tests/support/deliveries/delivery-store.ts'
import {
  findDeliveryWithAttempts,
  findResult,
  listDeliveryPage,
  pruneDelivered,
} from '../../../tests/support/deliveries/delivery-tables.ts'
import { newReplay, resultCalled, stepAt } from '../../../tests/support/deliveries/replay-store.ts'
import {
  addWebhooks,
  eventAt,
  insertTeams,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { deliveryId } from '../../core/delivery/delivery-id.ts'
import { type Database, sql } from '../../ports/database.ts'
import { recordEvent } from '../chain/chain-events.ts'
import { createReplay, findReplay, recordReplayStep } from '../webhooks/replays.ts'

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

    const [again] = await waiting(db, 'wh_1', 'retry', NOW_MS + 1_000)
    expect(again).toMatchObject({
      id,
      replay: true,
      attemptsMade: 0,
      sequenceNumber: FIRST,
      createdAtMs: NOW_MS,
      dataBytes: 14,
    })
    expect(await findResult(db, again?.event ?? 0, again?.part ?? -1)).toEqual({
      data: '{"replayed":1}',
      truncation: null,
    })
    await settle(db, [id], { kind: 'delivered' })
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
    expect(await waiting(db, 'wh_1', 'retry', NOW_MS + 1_000)).toMatchObject([
      { id: deliveryId('wh_1', 1), sequenceNumber: 1, previousSequence: null, teamId: TEAM_A },
    ])
  })

  test('that is being attempted is renewed at once, and what the attempt ends with ignored', async () => {
    const ids = await nextEvent(db, ['wh_1'])
    const [attempted] = await waiting(db, 'wh_1', 'new')
    await createReplay(db, newReplay())
    expect(await recordReplayStep(db, stepAt(1))).toBe('recorded')
    expect(await settleOutcomes(db, [outcomeOf(attempted!)])).toEqual(new Set())
    expect(await deliveryCalled(db, ids[0]!)).toMatchObject({
      state: 'waiting',
      attemptsMade: 0,
      replay: true,
    })
    expect(await waitingIds(db, 'wh_1', 'new')).toEqual([])
    expect(await waitingIds(db, 'wh_1', 'retry', NOW_MS + 1_000)).toEqual(ids)
    expect((await billOf(db)).lines).toEqual([])
  })

  test('that was never delivered stands on top of the log, one that was keeps its place', async () => {
    const [first = ''] = await nextEvent(db, ['wh_1'])
    await nextEvent(db, ['wh_2'])
    const [third = ''] = await nextEvent(db, ['wh_1'])
    await createReplay(db, newReplay())
    await recordReplayStep(db, stepAt(1))
    await recordReplayStep(db, stepAt(2))
    const page = await listDeliveryPage(db, TEAM_A, { webhookId: 'wh_1', limit: 10 })
    const replayed = deliveryId('wh_1', FIRST + 1)
    expect(page.map(({ id }) => id)).toEqual([replayed, third, first])
    expect(page[0]).toMatchObject({ createdAtMs: NOW_MS + 1_000, blockNumber: 2 })
    expect((await findDeliveryWithAttempts(db, TEAM_A, replayed))?.id).toBe(replayed)
  })

  test('of a chain that began anew has the hash of the new block', async () => {
    await createReplay(db, newReplay({ toBlock: 1 }))
    await recordReplayStep(db, stepAt(1, { sequenceNumber: 1, blockHash: '0xold' }))
    await createReplay(db, newReplay({ id: 'rpl_2', toBlock: 1 }))
    const step = { replayId: 'rpl_2', sequenceNumber: 1, blockHash: '0xnew' }
    await recordReplayStep(db, stepAt(1, step))
    const id = deliveryId('wh_1', 1)
    expect(await deliveryCalled(db, id)).toMatchObject({ blockHash: '0xnew' })
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
    expect(await waitingIds(db, 'wh_1', 'new', NOW_MS + 1_000)).toEqual([fresh])
  })

  test('of many replays in one moment has its own result each time', async () => {
    await follow()
    await nextEvent(db, [])
    await addWebhooks(db, ...Array.from({ length: 20 }, (_, at) => webhookCalled(`wh_r${at}`)))
    const results = new Set<string>()
    for (let at = 0; at < 20; at++) {
      const mine = { webhookId: `wh_r${at}` }
      await createReplay(db, newReplay({ id: `rpl_r${at}`, ...mine }))
      const due = resultCalled(`{"r":${at}}`)
      await recordReplayStep(db, stepAt(1, { replayId: `rpl_r${at}`, ...mine, due }))
      const [one] = await waiting(db, `wh_r${at}`, 'retry', NOW_MS + 1_000)
      results.add(`${one?.event} ${one?.part}`)
      expect((await findResult(db, one?.event ?? 0, one?.part ?? -1))?.data).toBe(`{"r":${at}}`)
    }
    expect(results.size).toBe(20)
  })

  test('never has the number of a result that was there before', async () => {
    await nextEvent(db, ['wh_1', 'wh_2'])
    const replay = async (id: string, webhookId: string) => {
      await createReplay(db, newReplay({ id, webhookId, toBlock: 1 }))
      await recordReplayStep(db, stepAt(1, { replayId: id, webhookId }))
      return (await waiting(db, webhookId, 'retry', NOW_MS + 1_000))[0]!
    }
    const parts = [await replay('rpl_1', 'wh_1'), await replay('rpl_2', 'wh_1')]
    const theirs = await replay('rpl_3', 'wh_2')
    await settle(db, [theirs.id], { kind: 'delivered' })
    const all = { olderThanMs: NOW_MS * 2, bytesMax: 0, rowsMax: 100 }
    expect(await pruneDelivered(db, all)).toBe(1)
    // Whoever keeps the result of the other delivery must not take it for this one.
    parts.push(theirs, await replay('rpl_4', 'wh_1'))
    expect(parts.map(({ part }) => part)).toEqual([1, 2, 3, 4])
    expect(new Set(parts.map(({ event }) => event)).size).toBe(1)
  })
})
