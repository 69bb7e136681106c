import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type WebhookApi, webhookApi } from '../../tests/support/webhook-api.ts'

/** Two megabytes that say nothing. */
const IDLE = JSON.stringify(
  Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`field_of_nobody_${at}`, 1])),
)

let on: WebhookApi

beforeEach(async () => {
  on = await webhookApi()
})

afterEach(() => on.close())

test('a team that sends megabytes is told to wait, and others go on', async () => {
  const answers = []
  for (let at = 0; at < 8; at++) answers.push(await on.call('POST', '/api/apps', { text: IDLE }))
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 429, 429, 429])
  // Of a hundred thousand faults few are told.
  expect(answers[0]?.body.message.length).toBeLessThan(1000)
  expect(answers[7]?.body).toEqual({
    name: 'TooManyRequests',
    message: 'A team may send 10485760 bytes in ten seconds.',
  })
  expect(answers[7]?.headers.get('retry-after')).toBe('10')

  expect((await on.call('GET', '/api/team')).status).toBe(200)
  expect((await on.create({}, { token: on.other.token })).status).toBe(200)
  on.time.nowMs += 10_000
  expect((await on.create()).status).toBe(200)
})

test('many at once count before they have arrived', async () => {
  const calls = Array.from({ length: 12 }, () => on.call('POST', '/api/apps', { text: IDLE }))
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 400)).toHaveLength(5)
})

test('a body of no declared length counts as what it turns out to be', async () => {
  const send = () =>
    fetch(`${on.url}/api/apps`, {
      method: 'POST',
      headers: { 'x-service-token': on.teamToken, 'content-type': 'application/json' },
      body: new Blob(['{}']).stream(),
    })
  for (let at = 0; at < 20; at++) expect((await send()).status).toBe(400)
})

test('a team brings 100,000 items of a variable in one go', async () => {
  for (let call = 0; call < 10; call++) {
    const items = Array.from({ length: 10_000 }, (_, at) => {
      return `0x${(call * 10_000 + at).toString(16).padStart(64, '0')}`
    })
    const { status } = await on.call('POST', '/api/graphql/variables/all', { body: { items } })
    expect(status).toBe(201)
  }
})
