import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import {
  addWebhooks,
  insertTeams,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from '../../../tests/support/webhook-store.ts'
import type { Database } from '../../ports/database.ts'
import { type GoneWebhook, pauseGoneWebhook } from './gone-webhook.ts'
import { changeWebhook, findWebhook, webhooksChangedSince } from './webhooks.ts'

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
})
afterEach(() => db.close())

describe('a webhook whose destination is gone', () => {
  const gone = { teamId: TEAM_A, id: 'wh_1', url: 'https://gone.example/hook' }
  const pause = (one: GoneWebhook) => db.transaction((tx) => pauseGoneWebhook(tx, one))
  const standing = async () => {
    const { state, reason } = (await findWebhook(db, TEAM_A, 'wh_1'))?.webhook ?? {}
    return [state, reason]
  }

  test('is paused with that reason', async () => {
    await addWebhooks(db, webhookCalled('wh_1', { url: gone.url }))
    await pause(gone)
    expect(await standing()).toEqual(['paused', 'DESTINATION_GONE'])
    expect(await webhooksChangedSince(db, 1, 10)).toMatchObject([{ id: 'wh_1' }])
  })

  test('stays as it is when it leads elsewhere by then or was paused', async () => {
    await addWebhooks(db, webhookCalled('wh_1'))
    await pause(gone)
    expect(await standing()).toEqual(['active', null])
    const paused = { state: 'paused', reason: 'MANUAL' } as const
    await changeWebhook(db, TEAM_A, 'wh_1', { url: gone.url, standing: paused })
    await pause(gone)
    await pause({ ...gone, teamId: TEAM_B })
    expect(await standing()).toEqual(['paused', 'MANUAL'])
    // Nobody reads the webhooks anew for it.
    expect(await webhooksChangedSince(db, 2, 10)).toEqual([])
  })
})
