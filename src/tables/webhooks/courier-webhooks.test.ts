import { afterEach, beforeEach, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import {
  addWebhooks,
  HOSTILE_TEXTS,
  insertTeams,
  NETWORK,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import type { Database } from '../../ports/database.ts'
import { webhookNumbers, webhooksForCourier } from './courier-webhooks.ts'
import { changeWebhook, deleteWebhook } from './webhooks.ts'

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
})
afterEach(() => db.close())

test('the courier learns where a webhook leads and what signs for it', async () => {
  await addWebhooks(db, webhookCalled('wh_1', { appId: 'app_1', ordered: true }))
  await changeWebhook(db, TEAM_A, 'wh_1', { newKey: { sealed: 'new', previousUntilMs: 5 } })
  expect(await webhooksForCourier(db, [1, 0, -1, 99])).toEqual(
    new Map([
      [
        1,
        {
          number: 1,
          id: 'wh_1',
          teamId: TEAM_A,
          appId: 'app_1',
          network: NETWORK,
          url: 'https://receiver.example/hook',
          ordered: true,
          state: 'active',
          key: { sealed: 'new', previousSealed: 'sealed', previousUntilMs: 5 },
        },
      ],
    ]),
  )
})

test('webhooks are found by their ids too, whatever is asked for', async () => {
  await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'))
  const found = await webhookNumbers(db, ['wh_2', 'wh_none', ...HOSTILE_TEXTS, 'wh_1'])
  expect(found).toEqual(
    new Map([
      ['wh_1', 1],
      ['wh_2', 2],
    ]),
  )
})

test('paused and deleted ones are told as such', async () => {
  await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'))
  await changeWebhook(db, TEAM_A, 'wh_1', { standing: { state: 'paused', reason: 'MANUAL' } })
  await deleteWebhook(db, TEAM_A, 'wh_2')
  const found = await webhooksForCourier(db, [1, 2])
  expect([...found.values()].map(({ state }) => state)).toEqual(['paused', 'deleted'])
  expect(await webhooksForCourier(db, [])).toEqual(new Map())
})
