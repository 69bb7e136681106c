import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import {
  NOW_MS,
  nextEvent,
  settle,
  waiting,
  waitingIds,
} from '../../../tests/support/deliveries/delivery-store.ts'
import {
  addWebhooks,
  HOSTILE_TEXTS,
  insertTeams,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import type { Database } from '../../ports/database.ts'
import { listDeliveryPage } from '../deliveries/log/delivery-page.ts'
import { readRevision } from '../sql/revisions.ts'
import { changeWebhook, findWebhook } from '../webhooks/webhooks.ts'
import { pauseTeamOverLimit } from './capacity-pause.ts'

const PAUSE = { teamId: TEAM_A, message: 'Monthly capacity limit exceeded.', nowMs: NOW_MS }
const ACTIVE = { standing: { state: 'active', reason: null } } as const
const PAUSED = { standing: { state: 'paused', reason: 'MANUAL' } } as const

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(
    db,
    webhookCalled('wh_1'),
    webhookCalled('wh_2', { network: 'BASE_MAINNET' }),
    webhookCalled('wh_3'),
    webhookCalled('wh_b', { teamId: TEAM_B }),
  )
  await changeWebhook(db, TEAM_A, 'wh_3', PAUSED)
})
afterEach(() => db.close())

async function standingOf(id: string, teamId = TEAM_A) {
  const found = await findWebhook(db, teamId, id)
  return [found?.webhook.state, found?.webhook.reason]
}

describe('when the month of a team is used up', () => {
  test('all of its active webhooks are paused with the reason, on every network', async () => {
    expect((await pauseTeamOverLimit(db, PAUSE)).toSorted()).toEqual([1, 2])
    expect(await standingOf('wh_1')).toEqual(['paused', 'MONTHLY_CAPACITY_EXCEEDED'])
    expect(await standingOf('wh_2')).toEqual(['paused', 'MONTHLY_CAPACITY_EXCEEDED'])
    expect(await standingOf('wh_3')).toEqual(['paused', 'MANUAL'])
    expect(await standingOf('wh_b', TEAM_B)).toEqual(['active', null])
  })

  test('each of them gets one error event, due at once, and no other webhook does', async () => {
    await pauseTeamOverLimit(db, PAUSE)
    for (const id of ['wh_1', 'wh_2']) {
      expect(await waiting(db, id, 'error')).toMatchObject([
        { kind: 'error', error: PAUSE.message, teamId: TEAM_A, createdAtMs: NOW_MS, part: null },
      ])
    }
    expect(await waitingIds(db, 'wh_3', 'error')).toEqual([])
    expect(await waitingIds(db, 'wh_b', 'error')).toEqual([])
  })

  test('nothing happens a second time: no event, no revision', async () => {
    await pauseTeamOverLimit(db, PAUSE)
    const before = await readRevision(db, 'webhooks')
    expect(await pauseTeamOverLimit(db, PAUSE)).toEqual([])
    expect(await readRevision(db, 'webhooks')).toBe(before)
    expect(await waitingIds(db, 'wh_1', 'error')).toHaveLength(1)
  })

  test('of all processes that notice it at once, one tells of it', async () => {
    const ended = await Promise.all(Array.from({ length: 5 }, () => pauseTeamOverLimit(db, PAUSE)))
    expect(ended.flat().toSorted()).toEqual([1, 2])
    expect(await waitingIds(db, 'wh_1', 'error')).toHaveLength(1)
  })

  test('one that was unpaused and is paused again is told again, under another id', async () => {
    await pauseTeamOverLimit(db, PAUSE)
    await settle(db, await waitingIds(db, 'wh_1', 'error'), { kind: 'delivered' })
    await changeWebhook(db, TEAM_A, 'wh_1', ACTIVE)
    expect(await pauseTeamOverLimit(db, PAUSE)).toEqual([1])
    const errors = await listDeliveryPage(db, TEAM_A, { webhookId: 'wh_1', limit: 10 })
    expect(new Set(errors.map(({ id }) => id)).size).toBe(2)
    expect(errors.map(({ state }) => state).toSorted()).toEqual(['delivered', 'waiting'])
  })

  test('what was committed before waits, and goes out after unpausing', async () => {
    const ids = await nextEvent(db, ['wh_1'])
    await pauseTeamOverLimit(db, PAUSE)
    expect(await waitingIds(db, 'wh_1', 'new')).toEqual([])
    await changeWebhook(db, TEAM_A, 'wh_1', ACTIVE)
    expect(await waitingIds(db, 'wh_1', 'new')).toEqual(ids)
  })

  test('every process learns of it by the revision', async () => {
    const before = await readRevision(db, 'webhooks')
    await pauseTeamOverLimit(db, PAUSE)
    expect(await readRevision(db, 'webhooks')).toBeGreaterThan(before)
  })

  test.each(HOSTILE_TEXTS)('the message arrives to the letter (%#)', async (message) => {
    await pauseTeamOverLimit(db, { ...PAUSE, message })
    expect((await waiting(db, 'wh_1', 'error'))[0]?.error).toBe(message)
  })
})
