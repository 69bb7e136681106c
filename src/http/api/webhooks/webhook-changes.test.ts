import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { START_MS } from '../../../../tests/management-api.ts'
import { deliveriesOf } from '../../../../tests/support/deliveries/delivery-store.ts'
import {
  QUERY,
  type WebhookApi,
  webhookApi,
} from '../../../../tests/support/deliveries/webhook-api.ts'
import { dueTo, eventAt } from '../../../../tests/support/deliveries/webhook-store.ts'
import { signingKeyPlace } from '../../../ports/secrets.ts'
import { recordEvent } from '../../../tables/chain/chain-events.ts'
import { changeWebhook, findWebhook } from '../../../tables/webhooks/webhooks.ts'

const DAY_MS = 24 * 3_600_000

let on: WebhookApi
// biome-ignore lint/suspicious/noExplicitAny: as the answer shows it.
let made: any

beforeEach(async () => {
  on = await webhookApi()
  made = await on.created()
  on.seen.webhookChanges = 0
})

afterEach(() => on.close())

describe('update-webhook changes', () => {
  const query = '{ block { hash } }'

  test.each([
    ['the name', { name: 'New' }, { name: 'New' }],
    ['the name to none', { name: '' }, { name: '' }],
    ['the URL', { webhook_url: 'https://b.example/' }, { webhook_url: 'https://b.example/' }],
    ['the query by its text', { graphql_query: query }, queryIs(query, false)],
    ['the query in an object', { graphql_query: { query } }, queryIs(query, false)],
    ['what is skipped', { graphql_query: { skip_empty_messages: true } }, queryIs(QUERY, true)],
    ['both', { graphql_query: { query, skip_empty_messages: true } }, queryIs(query, true)],
    ['the order', { ordered: true }, { ordered: true }],
    ['news of removals', { notify_removed: true }, { notify_removed: true }],
    ['nothing', { is_active: true }, {}],
  ])('%s and leaves the rest', async (_title, change, expected) => {
    const { status, body } = await on.update({ webhook_id: made.id, ...change })
    expect([status, body.data]).toEqual([200, { ...made, ...expected }])
    expect(await on.list()).toEqual([body.data])
    expect(on.seen.webhookChanges).toBe(1)
  })

  test('the text of a query without touching what is skipped', async () => {
    await on.update({ webhook_id: made.id, graphql_query: { skip_empty_messages: true } })
    const { body } = await on.update({ webhook_id: made.id, graphql_query: query })
    expect(body.data.graphql_query).toEqual({ query, skip_empty_messages: true })
  })

  test('everything at once', async () => {
    const change = { name: 'B', webhook_url: 'https://b.example/', ordered: true, is_active: false }
    const { body } = await on.update({ webhook_id: made.id, ...change })
    expect(body.data).toMatchObject({ ...change, deactivation_reason: 'MANUAL' })
  })
})

describe('a webhook is paused and unpaused', () => {
  test('by hand, and the reason says so', async () => {
    const paused = await on.update({ webhook_id: made.id, is_active: false })
    const standing = { is_active: false, state: 'paused', deactivation_reason: 'MANUAL' }
    expect(paused.body.data).toEqual({ ...made, ...standing })
    const active = await on.update({ webhook_id: made.id, is_active: true })
    expect(active.body.data).toEqual(made)
  })

  test.each(['MONTHLY_CAPACITY_EXCEEDED', 'DESTINATION_GONE'] as const)(
    'by hand only, after %s too',
    async (reason) => {
      const { database } = on.needs
      const standing = { state: 'paused', reason } as const
      await changeWebhook(database, on.teamId, made.id, { standing })
      expect((await on.list())[0]).toMatchObject({ is_active: false, deactivation_reason: reason })
      await on.update({ webhook_id: made.id, name: '' })
      expect((await on.list())[0].state).toBe('paused')
      await on.update({ webhook_id: made.id, is_active: true })
      expect(await on.list()).toEqual([made])
    },
  )
})

describe('update-webhook refuses', () => {
  const traces = '{ block { callTracerTraces { input } } }'

  test.each([
    ['nothing to change', {}, 'Nothing is to be changed'],
    ['another network', { network: 'BASE_MAINNET' }, 'network is not an option'],
    ['what is no query', { graphql_query: '{ nope }' }, 'graphql_query'],
    ['null for a query', { graphql_query: null }, 'graphql_query must be'],
    ['a text for a flag', { is_active: 'no' }, 'is_active must be true or false'],
    ['null for a name', { name: null }, 'name must be a string'],
    ['an empty URL', { webhook_url: '' }, 'webhook_url must not be empty'],
  ])('%s', async (_title, change, message) => {
    const { status, body } = await on.update({ webhook_id: made.id, ...change })
    expect([status, body.name]).toEqual([400, 'ValidationError'])
    expect(body.message).toContain(message)
    expect(await on.list()).toEqual([made])
  })

  test('a missing id', async () => {
    const { status, body } = await on.update({ name: 'New' })
    expect([status, body.message]).toEqual([400, 'webhook_id is required.'])
  })

  test('input data, with 501', async () => {
    const query = '{ block { transactions { inputData } } }'
    const { status, body } = await on.update({ webhook_id: made.id, graphql_query: query })
    expect([status, body.name]).toEqual([501, 'UnsupportedField'])
    expect(body.locations).toEqual([{ line: 1, column: 26 }])
  })

  test('traces where the webhook’s network has none', async () => {
    const { id } = await on.created({ network: 'BASE_MAINNET' })
    const { status, body } = await on.update({ webhook_id: id, graphql_query: traces })
    expect([status, body.message.includes('callTracerTraces')]).toEqual([400, true])
  })

  test('a destination that may not be, and keeps the old one', async () => {
    on.needs.egress.vet = async (url) => (url === 'http://10.0.0.1/' ? 'no' : null)
    const change = { webhook_id: made.id, webhook_url: 'http://10.0.0.1/' }
    const { status, body } = await on.update(change)
    expect([status, body.message]).toEqual([400, 'webhook_url: no.'])
    expect(await on.list()).toEqual([made])
  })

  test('a new query for a network that is gone, but lets the rest be changed', async () => {
    const { services } = on.needs
    on.needs.services = () => services().slice(1)
    const refused = await on.update({ webhook_id: made.id, graphql_query: QUERY })
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'network: ETH_MAINNET is not configured here; possible are: BASE_MAINNET.',
    ])
    expect((await on.update({ webhook_id: made.id, is_active: false })).status).toBe(200)
  })
})

describe('rotate-signing-key', () => {
  const rotate = (id: string) =>
    on.call('POST', '/api/rotate-signing-key', { body: { webhook_id: id } })

  test('gives a new key, and the old one signs for 24 hours more', async () => {
    const { status, body } = await rotate(made.id)
    expect(status).toBe(200)
    expect(body.data.signing_key).not.toBe(made.signing_key)
    expect(body.data).toEqual({ ...made, signing_key: body.data.signing_key })
    expect(await on.list()).toEqual([body.data])

    const { secrets, database } = on.needs
    const key = (await findWebhook(database, on.teamId, made.id))?.key
    const place = signingKeyPlace(made.id)
    expect(secrets.open(key?.sealed ?? '', place)).toBe(body.data.signing_key)
    expect(secrets.open(key?.previousSealed ?? '', place)).toBe(made.signing_key)
    expect(key?.previousUntilMs).toBe(START_MS + DAY_MS)
    expect(on.seen.webhookChanges).toBe(1)
  })

  test('shows the next key first when it is asked to, and then switches to exactly that', async () => {
    const prepare = () =>
      on.call('POST', '/api/rotate-signing-key', { body: { webhook_id: made.id, prepare: true } })
    const prepared = (await prepare()).body.data
    expect(prepared.next_signing_key).toMatch(/^whsec_[a-z0-9]{24}$/)
    expect(prepared).toEqual({ ...made, next_signing_key: prepared.next_signing_key })
    expect((await prepare()).body.data).toEqual(prepared)
    await on.update({ webhook_id: made.id, name: 'new' })
    expect(await on.list()).toEqual([{ ...prepared, name: 'new' }])
    const unswitched = await findWebhook(on.needs.database, on.teamId, made.id)
    expect(unswitched?.key.previousSealed).toBeNull()
    expect(JSON.stringify(unswitched)).not.toContain(prepared.next_signing_key)

    const { body } = await rotate(made.id)
    const signing_key = prepared.next_signing_key
    expect(body.data).toEqual({ ...made, name: 'new', signing_key, next_signing_key: null })
    const key = (await findWebhook(on.needs.database, on.teamId, made.id))?.key
    const previous = on.needs.secrets.open(key?.previousSealed ?? '', signingKeyPlace(made.id))
    expect(previous).toBe(made.signing_key)
    expect((await prepare()).body.data.next_signing_key).not.toBe(signing_key)
  })

  test('prepared twice at once shows one key', async () => {
    const body = { webhook_id: made.id, prepare: true }
    const answers = await Promise.all(
      [1, 2].map(() => on.call('POST', '/api/rotate-signing-key', { body })),
    )
    const shown = answers.map((answer) => answer.body.data.next_signing_key)
    expect(shown[0]).toBe(shown[1])
  })

  test('twice at once loses neither of the two new keys', async () => {
    const answers = await Promise.all([rotate(made.id), rotate(made.id)])
    const given = answers.map(({ body }) => body.data.signing_key)
    const key = (await findWebhook(on.needs.database, on.teamId, made.id))?.key
    const open = (sealed = '') => on.needs.secrets.open(sealed, signingKeyPlace(made.id))
    const kept = [open(key?.sealed), open(key?.previousSealed ?? '')]
    expect(kept.sort()).toEqual(given.sort())
  })
})

describe('delete-webhook', () => {
  const path = (id: string) => `/api/delete-webhook?webhook_id=${id}`

  test('answers {} and the webhook is gone', async () => {
    const { status, body } = await on.call('DELETE', path(made.id))
    expect([status, body]).toEqual([200, {}])
    expect(await on.list()).toEqual([])
    expect(on.seen.webhookChanges).toBe(1)
    expect((await on.call('DELETE', path(made.id))).status).toBe(404)
  })

  test('cancels what still waits', async () => {
    const { database } = on.needs
    await recordEvent(database, eventAt(1, null, { network: 'ETH_MAINNET', due: [dueTo(made.id)] }))
    await on.call('DELETE', path(made.id))
    const states = (await deliveriesOf(database, made.id)).map(({ state }) => state)
    expect(states).toEqual(['cancelled'])
  })

  test('needs to be told which', async () => {
    const { status, body } = await on.call('DELETE', '/api/delete-webhook')
    expect([status, body.message]).toEqual([400, 'webhook_id is required.'])
  })
})

describe('a webhook that is not there, or is another team’s, is 404', () => {
  const calls = {
    'update-webhook': (id: string, token: string) =>
      on.update({ webhook_id: id, name: 'Mine' }, { token }),
    'delete-webhook': (id: string, token: string) =>
      on.call('DELETE', `/api/delete-webhook?webhook_id=${id}`, { token }),
    'rotate-signing-key': (id: string, token: string) =>
      on.call('POST', '/api/rotate-signing-key', { body: { webhook_id: id }, token }),
    'dashboard-webhook-graphql-query': (id: string, token: string) =>
      on.call('GET', `/api/dashboard-webhook-graphql-query?webhook_id=${id}`, { token }),
  }

  test.each(Object.entries(calls))('to %s', async (_name, call) => {
    const absent = await call('wh_0000000000000000', on.teamToken)
    const foreign = await call(made.id, on.other.token)
    const told = (id: string) => ({ name: 'NotFound', message: `This team has no webhook ${id}.` })
    expect([absent.status, absent.body]).toEqual([404, told('wh_0000000000000000')])
    expect([foreign.status, foreign.body]).toEqual([404, told(made.id)])
    expect(await on.list()).toEqual([made])
    expect(on.seen.webhookChanges).toBe(0)
  })

  test('and no list shows it', async () => {
    expect(await on.list({ token: on.other.token })).toEqual([])
  })

  test('the operator sees a team’s webhooks when the team is named', async () => {
    const options = { token: on.operatorToken, headers: { 'x-team-id': on.teamId } }
    expect(await on.list(options)).toEqual([made])
  })
})

test('neither signing keys nor destinations nor queries appear in a log', async () => {
  await on.update({ webhook_id: made.id, webhook_url: 'https://secret-path.example/t0ken' })
  const rotated = await on.call('POST', '/api/rotate-signing-key', {
    body: { webhook_id: made.id },
  })
  await on.update({ webhook_id: made.id, graphql_query: '{ nope }' })
  expect(on.logged.length).toBeGreaterThan(3)
  const text = JSON.stringify(on.logged)
  const secrets = [made.signing_key, rotated.body.data.signing_key, 'whsec_', 'receiver.example']
  for (const secret of [...secrets, 'secret-path', 'nope']) expect(text).not.toContain(secret)
})

function queryIs(query: string, skip_empty_messages: boolean) {
  return { graphql_query: { query, skip_empty_messages } }
}
