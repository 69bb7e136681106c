import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { NOW_MS, nextEvent, waitingIds } from '../../../tests/support/deliveries/delivery-store.ts'
import { newReplay, stepAt } from '../../../tests/support/deliveries/replay-store.ts'
import {
  addWebhooks,
  HOSTILE_TEXTS,
  insertTeams,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { type Database, sql } from '../../ports/database.ts'
import {
  cancelReplay,
  createReplay,
  endReplay,
  findReplay,
  listReplays,
  noteReplayError,
  recordReplayStep,
  replayingTeams,
  runningReplays,
  startReplay,
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
    await noteReplayError(db, 'rpl_1', 'No node answers.')
    expect(await findReplay(db, TEAM_A, 'rpl_1')).toMatchObject({
      state: 'running',
      error: 'No node answers.',
    })
    await recordReplayStep(db, stepAt(1))
    expect(await findReplay(db, TEAM_A, 'rpl_1')).toMatchObject({ error: null })
    await cancelReplay(db, TEAM_A, 'rpl_1', NOW_MS)
    await noteReplayError(db, 'rpl_1', 'No node answers.')
    expect(await findReplay(db, TEAM_A, 'rpl_1')).toMatchObject({ error: null })
  })

  test('is found team by team, the oldest first', async () => {
    for (const [at, teamId] of [TEAM_B, TEAM_A, TEAM_A].entries()) {
      await createReplay(db, newReplay({ id: `rpl_${at}`, webhookId: `wh_${at}`, teamId }))
    }
    expect(await replayingTeams(db, '', 10)).toEqual([TEAM_A, TEAM_B])
    expect(await replayingTeams(db, TEAM_A, 10)).toEqual([TEAM_B, TEAM_A])
    expect(await replayingTeams(db, TEAM_B, 1)).toEqual([TEAM_A])
    const of = async (teamId: string) => (await runningReplays(db, teamId, 10)).map(({ id }) => id)
    expect([await of(TEAM_A), await of(TEAM_B)]).toEqual([['rpl_1', 'rpl_2'], ['rpl_0']])
  })

  test('is one of so many of a team, and of so many blocks', async () => {
    const limits = { replaysMax: 3, blocksMax: 100 }
    const start = async (at: number, fromBlock: number, toBlock: number, teamId = TEAM_A) => {
      const which = { id: `rpl_${at}`, webhookId: `wh_${at}`, teamId, fromBlock, toBlock }
      return startReplay(db, newReplay(which), limits)
    }
    expect(await start(1, 1, 60)).toEqual({ kind: 'started', blocks: 0 })
    expect(await start(1, 1, 60)).toEqual({ kind: 'running', blocks: 60 })
    expect(await start(2, 1, 41)).toEqual({ kind: 'too_long', blocks: 60 })
    expect(await start(2, 1, 40)).toEqual({ kind: 'started', blocks: 60 })
    expect(await start(3, 1, 1)).toEqual({ kind: 'too_long', blocks: 100 })
    expect(await start(4, 1, 100, TEAM_B)).toEqual({ kind: 'started', blocks: 0 })
    await cancelReplay(db, TEAM_A, 'rpl_1', NOW_MS)
    const ended = await Promise.all([5, 6, 7, 8].map((at) => start(at, 1, 1)))
    expect(ended.filter(({ kind }) => kind === 'started')).toHaveLength(2)
    const refused = { kind: 'too_many', blocks: 42 } as const
    expect(ended.filter(({ kind }) => kind !== 'started')).toEqual([refused, refused])
  })

  test('runs alone for its webhook', async () => {
    expect(await createReplay(db, newReplay())).toBe(true)
    expect(await createReplay(db, newReplay({ id: 'rpl_2' }))).toBe(false)
    expect(await createReplay(db, newReplay({ id: 'rpl_3', webhookId: 'wh_2' }))).toBe(true)
    await cancelReplay(db, TEAM_A, 'rpl_1', NOW_MS)
    expect(await createReplay(db, newReplay({ id: 'rpl_2' }))).toBe(true)
    expect((await runningReplays(db, TEAM_A, 10)).map(({ id }) => id)).toEqual(['rpl_2', 'rpl_3'])
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
    expect(await waitingIds(db, 'wh_1', 'retry', NOW_MS + 1_000)).toHaveLength(1)
  })

  test('that has ended stays as it ended', async () => {
    await createReplay(db, newReplay({ toBlock: 1 }))
    await recordReplayStep(db, stepAt(1))
    await endReplay(db, 'rpl_1', 'failed', 'too late', NOW_MS)
    expect(await cancelReplay(db, TEAM_A, 'rpl_1', NOW_MS)).toMatchObject({
      state: 'done',
      error: null,
    })
  })

  test.each(HOSTILE_TEXTS)('that fails says why (%#)', async (error) => {
    await createReplay(db, newReplay())
    await endReplay(db, 'rpl_1', 'failed', error, NOW_MS + 5)
    expect(await findReplay(db, TEAM_A, 'rpl_1')).toMatchObject({ state: 'failed', error })
    expect(await runningReplays(db, TEAM_A, 10)).toEqual([])
  })

  test('ends when its webhook is deleted, and leaves nothing waiting', async () => {
    await createReplay(db, newReplay())
    await recordReplayStep(db, stepAt(1))
    await deleteWebhook(db, TEAM_A, 'wh_1')
    expect(await recordReplayStep(db, stepAt(2))).toBe('lost')
    expect(await findReplay(db, TEAM_A, 'rpl_1')).toMatchObject({ state: 'cancelled' })
    expect(await db.query(sql`SELECT event FROM outbox`)).toEqual([])
    expect(await db.query(sql`SELECT key FROM deliveries WHERE state = 0`)).toEqual([])
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
