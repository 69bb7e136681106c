import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { START_MS } from '../../../../tests/management-api.ts'
import {
  QUERY,
  type WebhookApi,
  webhookApi,
} from '../../../../tests/support/deliveries/webhook-api.ts'
import { aTier } from '../../../../tests/support/product/a-tier.ts'
import type { Answer } from '../../../../tests/support/product/checked-call.ts'
import { NO_USABLE_ADDRESS } from '../../../core/delivery/check-destination.ts'
import { openEgress } from '../../../system/egress/egress.ts'
import { systemClock } from '../../../system/machine/system-clock.ts'
import { findWebhook } from '../../../tables/webhooks/webhooks.ts'

let on: WebhookApi

beforeEach(async () => {
  on = await webhookApi()
})

afterEach(() => on.close())

describe('create-webhook answers', () => {
  test('200 with the webhook in the form of the contract', async () => {
    const { status, body } = await on.create()
    expect(status).toBe(200)
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^wh_[a-z0-9]{16}$/),
        name: '',
        network: 'ETH_MAINNET',
        webhook_type: 'GRAPHQL',
        webhook_url: 'https://receiver.example/hook',
        is_active: true,
        state: 'active',
        deactivation_reason: null,
        time_created: START_MS,
        signing_key: expect.stringMatching(/^whsec_[a-z0-9]{24}$/),
        next_signing_key: null,
        version: 'V2',
        graphql_query: { query: QUERY, skip_empty_messages: false },
        app_id: null,
        ordered: false,
        notify_removed: false,
      },
    })
    expect(await on.list()).toEqual([body.data])
    expect(on.seen.webhookChanges).toBe(1)
  })

  test('with everything that was asked for', async () => {
    const app = await on.call('POST', '/api/apps', {
      body: { name: 'Backend', networks: ['ETH_MAINNET'] },
    })
    const asked = {
      graphql_query: { query: '{ block { b: hash } }', skip_empty_messages: true },
      name: 'Grüße, 世界',
      app_id: app.body.data.id,
      ordered: true,
      notify_removed: true,
    }
    expect(await on.created(asked)).toMatchObject(asked)
  })

  test('with the query as it was given, without the block that it names for dry runs', async () => {
    const given = '# mine\nquery Mine { block (number: 5) { hash } }'
    const query = '# mine\nquery Mine { block  { hash } }'
    const { id, graphql_query } = await on.created({ graphql_query: given })
    expect(graphql_query.query).toBe(query)
    await on.update({ webhook_id: id, graphql_query: { query: given.replace('5', '6') } })
    const path = `/api/dashboard-webhook-graphql-query?webhook_id=${id}`
    const { status, body } = await on.call('GET', path)
    expect([status, body]).toEqual([200, { data: { webhook_id: id, graphql_query: query } }])
  })

  test('each with an id and a signing key of its own, which no store shows in clear', async () => {
    const [one, two] = [await on.created(), await on.created()]
    expect(one.id).not.toBe(two.id)
    expect(one.signing_key).not.toBe(two.signing_key)
    const stored = await findWebhook(on.needs.database, on.teamId, one.id)
    expect(JSON.stringify(stored)).not.toContain(one.signing_key)
  })

  test('a query with variables that the team does not have yet', async () => {
    const query = 'query ($who: [Address!]) { block { logs(filter: {addresses: $who}) { data } } }'
    expect((await on.created({ graphql_query: query })).graphql_query.query).toBe(query)
  })
})

describe('create-webhook refuses', () => {
  const deep = '{ block { parent { parent { hash } } } }'
  const traces = '{ block { callTracerTraces { input } } }'
  const input = '{ block { logs { transaction { inputData } } } }'

  test.each([
    ['a network that is not configured', { network: 'MARS' }, 'ETH_MAINNET, BASE_MAINNET'],
    ['a network that is not EVM', { network: 'SOLANA_MAINNET' }, 'is not an EVM network'],
    ['another type', { webhook_type: 'ADDRESS_ACTIVITY' }, 'webhook_type must be GRAPHQL'],
    ['no type', { webhook_type: undefined }, 'webhook_type is required'],
    ['no network', { network: undefined }, 'network is required'],
    ['no URL', { webhook_url: undefined }, 'webhook_url is required'],
    ['no query', { graphql_query: undefined }, 'graphql_query is required'],
    ['a number for a query', { graphql_query: 5 }, 'graphql_query must be'],
    ['an object without a query', { graphql_query: {} }, 'graphql_query.query is required'],
    ['an empty query', { graphql_query: '' }, 'graphql_query must not be empty'],
    ['what is no query', { graphql_query: 'block' }, 'graphql_query'],
    ['an unknown field', { graphql_query: '{ block { colour } }' }, 'colour'],
    [
      'traces without a node for them',
      { network: 'BASE_MAINNET', graphql_query: traces },
      'traces',
    ],
    ['an app of nobody', { app_id: 'app_0000000000000000' }, 'app_id: this team has no app'],
    ['a name with a line break', { name: 'a\nb' }, 'name must be text'],
    ['a name of 101 characters', { name: 'n'.repeat(101) }, 'name must have at most 100'],
    ['a URL with a space', { webhook_url: 'https://a b' }, 'webhook_url must be'],
    ['a URL of half a character', { webhook_url: 'https://a/\ud800' }, 'webhook_url must be'],
    ['an endless URL', { webhook_url: `https://a.example/${'x'.repeat(2048)}` }, 'webhook_url'],
    ['a text for a flag', { ordered: 'yes' }, 'ordered must be true or false'],
    ['a field that is not there', { webhook_uri: 'x' }, 'did you mean webhook_url?'],
  ])('%s', async (_title, differing, message) => {
    refused(await on.create(differing), 400, 'ValidationError', message)
    expect(await on.list()).toEqual([])
    expect(on.seen.webhookChanges).toBe(0)
  })

  test('input data, wherever it is asked for, with 501', async () => {
    refused(await on.create({ graphql_query: input }), 501, 'UnsupportedField', 'inputData')
  })

  test('a query that nests too deep', async () => {
    const answer = await on.create({ graphql_query: deep })
    refused(answer, 400, 'QueryTooDeep', 'block.parent.parent')
    expect(answer.body.locations).toEqual([{ line: 1, column: 20 }])
  })

  test('an app of another team', async () => {
    const body = { name: 'Theirs', networks: ['ETH_MAINNET'] }
    const app = await on.call('POST', '/api/apps', { body, token: on.other.token })
    refused(await on.create({ app_id: app.body.data.id }), 400, 'ValidationError', 'app_id')
  })

  test.each([
    ['nothing', '', 'A JSON body is needed'],
    ['a list', '[]', 'must be an object'],
    ['null', 'null', 'must be an object'],
    ['what is no JSON', '{"network":', 'not JSON'],
    ['a foreign prototype', '{"__proto__":{"network":"ETH_MAINNET"}}', 'is not an option'],
  ])('%s for a body', async (_title, text, message) => {
    const answer = await on.call('POST', '/api/create-webhook', { text })
    refused(answer, 400, 'ValidationError', message)
  })

  test('a body over 2.5 MiB', async () => {
    const answer = await on.create({ graphql_query: 'x'.repeat(2_700_000) })
    refused(answer, 413, 'PayloadTooLarge', '')
  })

  test('a missing token, and a method that the path does not take', async () => {
    refused(await on.create({}, { token: '' }), 401, 'Unauthorized', '')
    const wrong = await on.call('GET', '/api/create-webhook')
    refused(wrong, 405, 'MethodNotAllowed', 'POST')
    expect(wrong.headers.get('allow')).toBe('POST')
  })
})

describe('the destination is vetted', () => {
  test('when a webhook is made, and the reason is told', async () => {
    const asked: string[] = []
    const vet = async (url: string) => {
      asked.push(url)
      return NO_USABLE_ADDRESS
    }
    await on.close()
    on = await webhookApi({ egress: { vet } })
    const answer = await on.create({ webhook_url: 'http://10.0.0.1/' })
    const told = `webhook_url: ${NO_USABLE_ADDRESS}.`
    refused(answer, 400, 'ValidationError', told)
    expect(asked).toEqual(['http://10.0.0.1/'])
    expect(await on.list()).toEqual([])
  })

  test('by the rules for addresses, which give one reason, whether there is such a name or not', async () => {
    await on.close()
    const clock = systemClock()
    const resolve = async (name: string) => {
      if (name === 'good.example') return ['93.184.215.14']
      if (name === 'rebinding.example') return ['93.184.215.14', '10.0.0.1']
      if (name === 'internal-db.corp.example') return ['10.0.0.1']
      throw new Error('ENOTFOUND')
    }
    const egress = openEgress({ clock, allowPrivate: false, resolve })
    on = await webhookApi({ egress })
    const forbidden = [
      'http://169.254.169.254/latest/meta-data',
      'http://2130706433/',
      'http://0x7f.1/',
      'https://[::ffff:127.0.0.1]/',
      'https://[64:ff9b::a00:1]/',
      'https://rebinding.example/',
      'https://internal-db.corp.example/',
      'https://nosuch.corp.example/',
    ]
    const told = `webhook_url: ${NO_USABLE_ADDRESS}.`
    for (const webhook_url of forbidden) {
      const { status, body } = await on.create({ webhook_url })
      expect([status, body]).toEqual([400, { name: 'ValidationError', message: told }])
    }
    for (const webhook_url of [
      'ftp://good.example',
      'https://u:p@good.example',
      'not a url',
      '/',
    ]) {
      refused(await on.create({ webhook_url }), 400, 'ValidationError', 'webhook_url')
    }
    expect((await on.create({ webhook_url: 'https://good.example/' })).status).toBe(200)
    egress.close()
  })

  test('last of all, so that a bad request makes nobody look up a name', async () => {
    let asked = 0
    await on.close()
    on = await webhookApi({ egress: { vet: async () => String(asked++) } })
    await on.create({ graphql_query: '{ nope }' })
    await on.create({ app_id: 'app_0000000000000000' })
    expect(asked).toBe(0)
  })
})

describe('a team may have as many webhooks as its tier says', () => {
  test('100 of 120 that are asked for at once', async () => {
    const tokens = await Promise.all([1, 2, 3].map(() => on.moreToken()))
    const asked = tokens.flatMap((token) => Array(40).fill(token))
    const answers = await Promise.all(asked.map((token) => on.create({}, { token })))
    const refusedOnes = answers.filter(({ status }) => status !== 200)
    expect(refusedOnes.length).toBe(20)
    const told = 'A team on the tier free may have 100 GraphQL webhooks.'
    for (const answer of refusedOnes) refused(answer, 400, 'WebhookLimitReached', told)
    expect((await on.list()).length).toBe(100)
  })

  test('another one fits when one is deleted, and other teams have their own', async () => {
    const one = await withFree(1)
    const { id } = await one.created()
    refused(await one.create(), 400, 'WebhookLimitReached', '1 GraphQL webhooks')
    await one.created({}, { token: one.other.token })
    await one.call('DELETE', `/api/delete-webhook?webhook_id=${id}`)
    expect((await one.create()).status).toBe(200)
  })

  test('none where the tier has none, or is not configured any more', async () => {
    refused(await (await withFree(0)).create(), 400, 'WebhookLimitReached', ' 0 ')
    await on.close()
    on = await webhookApi({ tiers: new Map() })
    refused(await on.create(), 400, 'WebhookLimitReached', ' 0 ')
  })

  async function withFree(webhooksMax: number): Promise<WebhookApi> {
    const free = aTier({ webhooksMax })
    await on.close()
    on = await webhookApi({ tiers: new Map([['free', free]]) })
    return on
  }
})

function refused(answer: Answer, status: number, name: string, message: string) {
  expect([answer.status, answer.body.name]).toEqual([status, name])
  expect(answer.body.message).toContain(message)
}
