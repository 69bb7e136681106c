import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type WebhookApi, webhookApi } from '../../../tests/support/deliveries/webhook-api.ts'

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

test('a team that reads megabytes over and over is told to wait, and can still change things', async () => {
  const comment = '# long\n'.repeat(9_000)
  const long = { graphql_query: `{ block { number ${comment} } }` }
  let id = ''
  for (let at = 0; at < 24; at++) id = (await on.created(long)).id
  const list = async () => {
    const headers = { 'x-service-token': on.teamToken }
    const response = await fetch(`${on.url}/api/team-webhooks`, { headers })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const answers = await Promise.all(Array.from({ length: 50 }, list))
  const refused = answers.filter(({ status }) => status === 429)
  const bytes = answers.reduce((sum, { text }) => sum + text.length, 0)
  expect(refused.length).toBeGreaterThan(3)
  expect(bytes).toBeLessThan(68 * 2 ** 20)
  expect(refused[0]?.text).toContain('A team may read 67108864 bytes in ten seconds.')
  expect(refused[0]?.headers.get('retry-after')).toBe('10')

  const gone = await on.call('DELETE', `/api/delete-webhook?webhook_id=${id}`)
  expect(gone.status).toBe(200)
  const other = await on.call('GET', '/api/team-webhooks', { token: on.other.token })
  expect(other.status).toBe(200)
  on.time.nowMs += 10_000
  expect((await on.call('GET', '/api/team-webhooks')).status).toBe(200)
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
