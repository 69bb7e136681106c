import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { START_MS } from '../../../../tests/management-api.ts'
import {
  ACCEPTED,
  type WebhookApi,
  webhookApi,
} from '../../../../tests/support/deliveries/webhook-api.ts'
import { dueTo } from '../../../../tests/support/deliveries/webhook-store.ts'

const FIRST_SEQUENCE = 1_000_000_000_001

let on: WebhookApi
beforeEach(async () => {
  on = await webhookApi()
})
afterEach(() => on.close())

const statsOf = async (token?: string) =>
  (await on.call('GET', '/api/webhook-stats', token ? { token } : {})).body.data

describe('the figures of all webhooks', () => {
  test('are none for a team without webhooks', async () => {
    expect(await statsOf()).toEqual([])
  })

  test('say how each does, and what came last', async () => {
    // Made in the same moment, they are listed by their ids.
    const made = [(await on.created()).id, (await on.created()).id]
    const [webhook = '', quiet = ''] = made.toSorted()
    const ids: string[] = []
    for (const at of [0, 1, 2, 3]) {
      const previous = at === 0 ? null : FIRST_SEQUENCE + at - 1
      const { deliveries } = await on.event(7 + at, previous, [dueTo(webhook)], at)
      ids.push(deliveries[0]?.id ?? '')
    }
    await on.attempt(ids[0] ?? '', ACCEPTED, { kind: 'delivered' })
    await on.attempt(ids[1] ?? '', { ...ACCEPTED, status: 503 }, { kind: 'failed' })
    const late = { ...ACCEPTED, status: null, fault: 'timeout' }
    await on.attempt(ids[2] ?? '', late, { kind: 'retry', dueAtMs: START_MS })
    await on.attempt(ids[2] ?? '', ACCEPTED, { kind: 'delivered' })

    const time_from = START_MS - 24 * 3_600_000
    const first = { status: 'delivered', attempts_made: 1, rerun: false, status_code: 200 }
    expect(await statsOf()).toEqual([
      {
        webhook_id: webhook,
        last_24_hours: { delivered: 2, failed: 1, waiting: 1, retried: 1, time_from },
        success_percent: 66.66,
        last_delivery: {
          id: ids[3],
          time_created: START_MS + 3,
          status: 'waiting',
          status_code: null,
          block_number: 10,
        },
        recent: [
          first,
          { ...first, status: 'failed', status_code: 503 },
          { ...first, attempts_made: 2 },
          { ...first, status: 'waiting', attempts_made: 0, status_code: null },
        ],
      },
      {
        webhook_id: quiet,
        last_24_hours: { delivered: 0, failed: 0, waiting: 0, retried: 0, time_from },
        success_percent: null,
        last_delivery: null,
        recent: [],
      },
    ])
    expect(await statsOf(on.other.token)).toEqual([])
  })

  test('are read once for all who ask within a moment, and anew after it', async () => {
    const { id: webhook } = await on.created()
    const delivered = async () => (await statsOf())[0].last_24_hours.waiting
    expect(await delivered()).toBe(0)
    await on.event(7, null, [dueTo(webhook)])
    expect(await delivered()).toBe(0)
    on.time.nowMs += 1_000
    expect(await delivered()).toBe(1)
  })

  test.each(['?webhook_id=wh_1', '?limit=1'])('take no parameters: %s', async (query) => {
    const { status, body } = await on.call('GET', `/api/webhook-stats${query}`)
    expect([status, body.name]).toEqual([400, 'ValidationError'])
  })
})
