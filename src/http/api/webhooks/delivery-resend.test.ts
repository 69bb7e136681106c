import { afterEach, beforeEach, expect, test } from 'bun:test'
import { START_MS } from '../../../../tests/management-api.ts'
import {
  ACCEPTED,
  type WebhookApi,
  webhookApi,
} from '../../../../tests/support/deliveries/webhook-api.ts'
import { dueTo } from '../../../../tests/support/deliveries/webhook-store.ts'

let on: WebhookApi
let webhook: string
let id: string

beforeEach(async () => {
  on = await webhookApi()
  webhook = (await on.created()).id
  const { deliveries } = await on.event(7, null, [dueTo(webhook)])
  id = deliveries[0]?.id ?? ''
  on.seen.webhookChanges = 0
})

afterEach(() => on.close())

test.each(['failed', 'delivered'] as const)(
  'resend makes one that is %s due at once, with the same id and body',
  async (kind) => {
    await on.attempt(id, ACCEPTED, { kind })
    const before = await read(id)
    on.time.nowMs += 60_000
    const { status, body } = await resend()
    expect(status).toBe(200)
    const due = { status: 'waiting', attempts_made: 0, time_due: START_MS + 60_000 }
    expect(body.data).toMatchObject({ id, ...due, time_done: null })
    expect(await read(id)).toEqual({ ...before, ...due, time_done: null })
    expect(on.seen.webhookChanges).toBe(1)
  },
)

test('resend refuses one that waits anyway', async () => {
  const { status, body } = await resend()
  const message = `${id} still waits to be sent.`
  expect([status, body]).toEqual([400, { name: 'ValidationError', message }])
})

test('resend refuses one whose webhook is gone', async () => {
  await on.call('DELETE', `/api/delete-webhook?webhook_id=${webhook}`)
  const { status, body } = await resend()
  const message = `The webhook of ${id} was deleted.`
  expect([status, body]).toEqual([400, { name: 'ValidationError', message }])
  expect((await read(id)).status).toBe('cancelled')
})

test('of two who resend at once one wins', async () => {
  await on.attempt(id, ACCEPTED, { kind: 'failed' })
  const statuses = (await Promise.all([resend(), resend()])).map(({ status }) => status)
  expect(statuses.sort()).toEqual([200, 400])
})

test('a delivery that is not there, or is another team’s, is 404', async () => {
  await on.attempt(id, ACCEPTED, { kind: 'failed' })
  const token = on.other.token
  const foreign = [
    await resend(id, token),
    await on.call('GET', `/api/deliveries/${id}`, { token }),
  ]
  const message = `This team has no delivery ${id}.`
  for (const { status, body } of foreign) {
    expect([status, body]).toEqual([404, { name: 'NotFound', message }])
  }
  expect((await resend('whevt_0000000000000000')).status).toBe(404)
  expect((await on.call('GET', '/api/deliveries/nope')).status).toBe(404)
  expect((await read(id)).status).toBe('failed')
})

function resend(which = id, token = on.teamToken) {
  return on.call('POST', `/api/deliveries/${which}/resend`, { token })
}

async function read(which: string) {
  return (await on.call('GET', `/api/deliveries/${which}`)).body.data
}
