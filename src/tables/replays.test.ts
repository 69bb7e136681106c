import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../tests/fresh-store.ts'
import { NOW_MS, nextEvent, readyIds } from '../../tests/support/delivery-store.ts'
import { newReplay, stepAt } from '../../tests/support/replay-store.ts'
import {
  addWebhooks,
  HOSTILE_TEXTS,
  insertTeams,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from '../../tests/support/webhook-store.ts'
import { type Database, sql } from '../ports/database.ts'
import {
  cancelReplay,
  createReplay,
  failReplay,
  findReplay,
  listReplays,
  noteReplayTrouble,
  recordReplayStep,
  runningReplays,
} from './replays.ts'
import { deleteWebhook } from './webhooks.ts'

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'))
})
afterEach(() => db.close())

describe('a replay', () => {
  beforeEach(async () => {
    for (let block = 1; block <= 3; block++) await nextEvent(db, [])
  })

  test('goes through its blocks one by one and is done after the last', async () => {
    await createReplay(db, newReplay())
    expect(await recordReplayStep(db, stepAt(1))).toBe('recorded')
    expect(await recordReplayStep(db, stepAt(2, { due: null }))).toBe('recorded')
    expect(await findReplay(db, TEAM_A, 'rpl_1')).toEqual({
      ...newReplay(),
      nextBlock: 3,
      state: 'running',
      delivered: 1,
      skipped: 1,
      error: null,
      updatedAtMs: NOW_MS + 1_000,
    })
    expect(await recordReplayStep(db, stepAt(3))).toBe('recorded')
    expect(await findReplay(db, TEAM_A, 'rpl_1')).toMatchObject({
      nextBlock: 4,
      state: 'done',
      delivered: 2,
    })
  })

  test('does each block once, whoever tries, and none out of turn', async () => {
    await createReplay(db, newReplay())
    expect(await recordReplayStep(db, stepAt(2))).toBe('lost')
    const ended = await Promise.all([1, 1, 1].map((number) => recordReplayStep(db, stepAt(number))))
    expect(ended.toSorted()).toEqual(['lost', 'lost', 'recorded'])
    expect(await findReplay(db, TEAM_A, 'rpl_1')).toMatchObject({ nextBlock: 2, delivered: 1 })
    expect(await recordReplayStep(db, stepAt(1, { replayId: 'rpl_none' }))).toBe('lost')
  })

  test('says what keeps it, until it gets on', async () => {
    await createReplay(db, newReplay())
    await noteReplayTrouble(db, 'rpl_1', 'No node answers.')
    expect(await findReplay(db, TEAM_A, 'rpl_1')).toMatchObject({
      state: 'running',
      error: 'No node answers.',
    })
    await recordReplayStep(db, stepAt(1))
    expect(await findReplay(db, TEAM_A, 'rpl_1')).toMatchObject({ error: null })
    await cancelReplay(db, TEAM_A, 'rpl_1', NOW_MS)
    await noteReplayTrouble(db, 'rpl_1', 'No node answers.')
    expect(await findReplay(db, TEAM_A, 'rpl_1')).toMatchObject({ error: null })
  })

  test('is found page by page', async () => {
    await addWebhooks(db, webhookCalled('wh_3'))
    for (const at of [1, 2, 3]) {
      await createReplay(db, newReplay({ id: `rpl_${at}`, webhookId: `wh_${at}` }))
    }
    const [first, second] = await runningReplays(db, 2)
    expect([first?.id, second?.id]).toEqual(['rpl_1', 'rpl_2'])
    const rest = await runningReplays(db, 2, second)
    expect(rest.map(({ id }) => id)).toEqual(['rpl_3'])
    expect(await runningReplays(db, 2, rest[0])).toEqual([])
  })

  test('runs alone for its webhook', async () => {
    expect(await createReplay(db, newReplay())).toBe(true)
    expect(await createReplay(db, newReplay({ id: 'rpl_2' }))).toBe(false)
    expect(await createReplay(db, newReplay({ id: 'rpl_3', webhookId: 'wh_2' }))).toBe(true)
    await cancelReplay(db, TEAM_A, 'rpl_1', NOW_MS)
    expect(await createReplay(db, newReplay({ id: 'rpl_2' }))).toBe(true)
    expect((await runningReplays(db, 10)).map(({ id }) => id)).toEqual(['rpl_2', 'rpl_3'])
  })

  test('that was cancelled goes no further, and what it committed is delivered', async () => {
    await createReplay(db, newReplay())
    await recordReplayStep(db, stepAt(1))
    expect(await cancelReplay(db, TEAM_B, 'rpl_1', NOW_MS)).toBeNull()
    expect(await cancelReplay(db, TEAM_A, 'rpl_1', NOW_MS + 5)).toMatchObject({
      state: 'cancelled',
      nextBlock: 2,
      updatedAtMs: NOW_MS + 5,
    })
    expect(await recordReplayStep(db, stepAt(2))).toBe('lost')
    expect(await readyIds(db, 'wh_1', 'retry', NOW_MS + 1_000)).toHaveLength(1)
  })

  test('that has ended stays as it ended', async () => {
    await createReplay(db, newReplay({ toBlock: 1 }))
    await recordReplayStep(db, stepAt(1))
    await failReplay(db, 'rpl_1', 'too late', NOW_MS)
    expect(await cancelReplay(db, TEAM_A, 'rpl_1', NOW_MS)).toMatchObject({
      state: 'done',
      error: null,
    })
  })

  test.each(HOSTILE_TEXTS)('that fails says why (%#)', async (error) => {
    await createReplay(db, newReplay())
    await failReplay(db, 'rpl_1', error, NOW_MS + 5)
    expect(await findReplay(db, TEAM_A, 'rpl_1')).toMatchObject({ state: 'failed', error })
    expect(await runningReplays(db, 10)).toEqual([])
  })

  test('ends when its webhook is deleted, and leaves nothing waiting', async () => {
    await createReplay(db, newReplay())
    await recordReplayStep(db, stepAt(1))
    await deleteWebhook(db, TEAM_A, 'wh_1')
    expect(await recordReplayStep(db, stepAt(2))).toBe('lost')
    expect(await findReplay(db, TEAM_A, 'rpl_1')).toMatchObject({ state: 'cancelled' })
    const waiting = await db.query(sql`SELECT id FROM deliveries WHERE state = 'waiting'`)
    expect(waiting).toEqual([])
  })

  test('is seen by its team alone, newest first', async () => {
    await createReplay(db, newReplay())
    await createReplay(db, newReplay({ id: 'rpl_2', webhookId: 'wh_2', createdAtMs: NOW_MS + 1 }))
    expect((await listReplays(db, TEAM_A, 10)).map(({ id }) => id)).toEqual(['rpl_2', 'rpl_1'])
    expect(await listReplays(db, TEAM_A, 1)).toHaveLength(1)
    expect(await listReplays(db, TEAM_B, 10)).toEqual([])
    expect(await findReplay(db, TEAM_B, 'rpl_1')).toBeNull()
  })
})
