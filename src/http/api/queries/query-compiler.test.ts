import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type WebhookApi, webhookApi } from '../../../../tests/support/deliveries/webhook-api.ts'

/** As long as a query may be, and as dear as it can be made. */
const LONG = `{ block { number ${'# long\n'.repeat(9_300)} } }`

let on: WebhookApi

beforeEach(async () => {
  on = await webhookApi()
})

afterEach(() => on.close())

test('a team that floods us with long queries is told to wait, and others go on', async () => {
  const { id } = await on.created()
  const dryRun = { network: 'ETH_MAINNET', graphql_query: LONG }
  const answers = []
  for (let at = 0; at < 40; at++) {
    const kind = at % 3
    if (kind === 0) answers.push(await on.create({ graphql_query: `${LONG} nonsense` }))
    if (kind === 1) answers.push(await on.update({ webhook_id: id, graphql_query: LONG }))
    if (kind === 2) answers.push(await on.call('POST', '/api/test-query', { body: dryRun }))
  }
  const refused = answers.filter(({ status }) => status === 429)
  // 64 KiB count as eight queries, and one short one was read before.
  expect(answers.length - refused.length).toBe(25)
  expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(Array(15).fill('10'))
  expect(refused[0]?.body).toEqual({
    name: 'TooManyRequests',
    message:
      'A team may have 200 queries read in ten seconds; one of over 8192 characters counts as ' +
      'several.',
  })

  expect((await on.create({}, { token: on.other.token })).status).toBe(200)
  // A change of another kind makes followers read the query anew.
  expect((await on.update({ webhook_id: id, name: 'New' })).status).toBe(429)
  const rotated = await on.call('POST', '/api/rotate-signing-key', { body: { webhook_id: id } })
  expect(rotated.status).toBe(429)
  // Whoever is in trouble can always pause and delete.
  expect((await on.update({ webhook_id: id, is_active: false })).status).toBe(200)
  on.time.nowMs += 10_000
  expect((await on.create()).status).toBe(200)
})

test('a team makes all its webhooks in one go', async () => {
  const made = await Promise.all(Array.from({ length: 100 }, () => on.moreToken())).then((tokens) =>
    Promise.all(tokens.map((token) => on.create({}, { token }))),
  )
  expect(made.map(({ status }) => status)).toEqual(Array(100).fill(200))
})

test('what costs less than a query is looked at before it', async () => {
  const bad = [
    { webhook_url: 'ftp://receiver.example' },
    { app_id: 'app_0000000000000000' },
    { network: 'NOPE' },
  ]
  for (let at = 0; at < 60; at++) {
    const { status } = await on.create({ graphql_query: LONG, ...bad[at % 3] })
    expect(status).toBe(400)
    on.time.nowMs += 10
  }
})
