import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import {
  billOf,
  deliveryCalled,
  NOW_MS,
  nextEvent,
  settle,
  statesOf,
  waitingIds,
} from '../../../tests/support/deliveries/delivery-store.ts'
import {
  addWebhooks,
  insertTeams,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import type { Database } from '../../ports/database.ts'
import { pauseTeamOverLimit } from '../usage/capacity-pause.ts'
import { changeWebhook, deleteWebhook } from '../webhooks/webhooks.ts'
import { findDeliveryWithAttempts } from './log/delivery-page.ts'
import { resendDelivery } from './resend-delivery.ts'

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'))
})
afterEach(() => db.close())

describe('sending again', () => {
  test.each(['delivered', 'failed'] as const)(
    'what was %s makes it due at once, under the same id, from the first attempt on',
    async (kind) => {
      const [id = ''] = await nextEvent(db, ['wh_1'])
      await settle(db, [id], { kind })
      expect(await resendDelivery(db, TEAM_A, id, NOW_MS + 500)).toBe('resent')
      expect(await deliveryCalled(db, id)).toMatchObject({
        state: 'waiting',
        attemptsMade: 0,
        dueAtMs: NOW_MS + 500,
        doneAtMs: null,
        replay: false,
      })
      expect(await waitingIds(db, 'wh_1', 'retry', NOW_MS + 500)).toEqual([id])
    },
  )

  test('keeps the attempts that were made before', async () => {
    const [id = ''] = await nextEvent(db, ['wh_1'])
    await settle(db, [id], { kind: 'failed' })
    await resendDelivery(db, TEAM_A, id, NOW_MS)
    await settle(db, [id], { kind: 'delivered' })
    const found = await findDeliveryWithAttempts(db, TEAM_A, id)
    expect(found?.attempts.map(({ status }) => status)).toEqual([503, 200])
  })

  test('never goes before new blocks', async () => {
    const [old = ''] = await nextEvent(db, ['wh_1'])
    await settle(db, [old], { kind: 'failed' })
    const [fresh = ''] = await nextEvent(db, ['wh_1'])
    await resendDelivery(db, TEAM_A, old, NOW_MS)
    expect(await waitingIds(db, 'wh_1', 'new')).toEqual([fresh])
  })

  test('twice at once happens once', async () => {
    const [id = ''] = await nextEvent(db, ['wh_1'])
    await settle(db, [id], { kind: 'failed' })
    const resend = () => resendDelivery(db, TEAM_A, id, NOW_MS)
    const ended = await Promise.all([resend(), resend(), resend()])
    expect(ended.toSorted()).toEqual(['resent', 'waiting', 'waiting'])
    await settle(db, [id], { kind: 'delivered' })
    expect((await billOf(db)).lines).toMatchObject([{ calls: 1 }])
  })

  test('what still waits changes nothing', async () => {
    const [id = ''] = await nextEvent(db, ['wh_1'])
    expect(await resendDelivery(db, TEAM_A, id, NOW_MS)).toBe('waiting')
    expect(await waitingIds(db, 'wh_1', 'new')).toEqual([id])
  })

  test('is not possible once the webhook is deleted, and waits while it is paused', async () => {
    const [one = '', two = ''] = await nextEvent(db, ['wh_1', 'wh_2'])
    await settle(db, [one, two], { kind: 'failed' })
    await deleteWebhook(db, TEAM_A, 'wh_1')
    expect(await resendDelivery(db, TEAM_A, one, NOW_MS)).toBe('gone')
    const standing = { state: 'paused', reason: 'MANUAL' } as const
    await changeWebhook(db, TEAM_A, 'wh_2', { standing })
    expect(await resendDelivery(db, TEAM_A, two, NOW_MS)).toBe('resent')
    expect(await waitingIds(db, 'wh_2', 'retry')).toEqual([])
    expect(await statesOf(db, [one, two])).toEqual(['cancelled', 'waiting'])
  })

  test('works for errors too', async () => {
    await pauseTeamOverLimit(db, { teamId: TEAM_A, message: 'used up', nowMs: NOW_MS })
    const errors = await waitingIds(db, 'wh_1', 'error')
    await settle(db, errors, { kind: 'failed' })
    expect(await resendDelivery(db, TEAM_A, errors[0]!, NOW_MS)).toBe('resent')
    expect(await waitingIds(db, 'wh_1', 'error')).toEqual(errors)
  })
})
