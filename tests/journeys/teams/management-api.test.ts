// Runs on both stores.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { verifyDelivery } from '../../../src/receiver/verify-delivery.ts'
import {
  type Arrival,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/deliveries/webhook-receiver.ts'
import { type DevnetChain, devnetChain } from '../../support/devnet/devnet-chain.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

const TYPED = `query { kind: __typename block(number: 0) { __typename number
  parent { __typename hash } transactions { __typename from { __typename address } } } __typename }`

let headgate: TestHeadgate
let chain: DevnetChain
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = startWebhookReceiver()
  headgate = await startHeadgate({ env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '600000' } })
  chain = devnetChain(headgate)
  await chain.untilFollowed()
})
afterAll(async () => {
  await headgate.stop()
  await receiver.stop()
})

describe('a webhook', () => {
  test('signs with the key that was shown before, once the rotation is made', async () => {
    const made = await created('/rotated')
    const rotate = async (more: object = {}) => {
      const body = { webhook_id: made.id, ...more }
      return (await headgate.api('POST', '/api/rotate-signing-key', body)).json.data
    }
    await rotate({ prepare: true })
    const { next_signing_key: nextKey } = await rotate({ prepare: true })
    const [before] = await mined('/rotated', 1)
    expect(signatures(before)).toEqual([hexOf(made.signing_key, before), null])

    expect(await rotate()).toMatchObject({ signing_key: nextKey, next_signing_key: null })
    const after = (await mined('/rotated', 2)).at(-1)
    expect(signatures(after)).toEqual([hexOf(nextKey, after), hexOf(made.signing_key, after)])
    for (const signingKeys of [nextKey, made.signing_key]) {
      const { body = '', headers = new Headers() } = after ?? {}
      expect(await verifyDelivery({ body, headers, signingKeys })).toMatchObject({ ok: true })
    }
  })

  test('delivers what its own text gives in a dry run, type names and all', async () => {
    const { graphql_query } = await created('/typed', { query: TYPED })
    expect(graphql_query.query).toBe(TYPED.replace('(number: 0)', ''))
    await chain.send({ to: `0x${'ab'.repeat(20)}`, value: '0x1' })
    await until(() => receiver.acceptedOn('/typed').length === 1, 'the block arrives')
    const [arrival] = receiver.acceptedOn('/typed')
    const dry = await headgate.api('POST', '/api/test-query', {
      network: 'ETH_DEVNET',
      graphql_query,
    })
    const { kind, __typename, block } = dry.json.data
    expect([kind, __typename, block.__typename]).toEqual(['Query', 'Query', 'Block'])
    expect(block.parent.__typename).toBe('Block')
    expect(block.transactions).toMatchObject([
      { __typename: 'Transaction', from: { __typename: 'Account' } },
    ])
    const given = dry.text.slice('{"data":'.length, dry.text.indexOf(',"bytes":'))
    expect(arrival?.body).toContain(`"data":${given},`)
  })

  test('goes on without its app when that is deleted', async () => {
    const body = { name: 'Backend', networks: ['ETH_DEVNET'] }
    const app = (await headgate.api('POST', '/api/apps', body)).json.data
    await created('/orphan', {}, { app_id: app.id })
    expect((await headgate.api('DELETE', `/api/apps/${app.id}`)).status).toBe(200)
    const { json } = await headgate.api('GET', '/api/team-webhooks')
    const orphan = json.data.find((one: { webhook_url: string }) =>
      one.webhook_url.endsWith('/orphan'),
    )
    expect(orphan).toMatchObject({ app_id: null, is_active: true })
    await mined('/orphan', 1)
  })
})

describe('tokens', () => {
  test('are taken from the header that other services use', async () => {
    const response = await fetch(`${headgate.url}/api/team`, {
      headers: { 'x-alchemy-token': headgate.teamToken },
    })
    expect(response.status).toBe(200)
  })

  test('that are new work from an address from which others guess', async () => {
    const guess = (at: number) => headgate.api('GET', '/api/team', undefined, `guess-${at}`)
    const guesses = await Promise.all(Array.from({ length: 60 }, (_, at) => guess(at)))
    expect((await guess(99)).status).toBe(429)
    expect(guesses.every(({ status }) => status === 401 || status === 429)).toBe(true)
    const token = await newTeam()
    const [answer] = await Promise.all([
      headgate.api('GET', '/api/team', undefined, token),
      ...Array.from({ length: 60 }, (_, at) => guess(at)),
    ])
    expect(answer.status).toBe(200)
  })
})

test('a team that floods us with long queries is told to wait, and nobody else is', async () => {
  const [flooding, other] = [await newTeam(), await newTeam()]
  const query = `{ block { number ${'# long\n'.repeat(9_300)} } nonsense }`
  const create = (graphql_query: string, token: string) => {
    const webhook = webhookTo('/flood', { query: graphql_query })
    return headgate.api('POST', '/api/create-webhook', webhook, token)
  }
  const flood = await Promise.all(Array.from({ length: 60 }, () => create(query, flooding)))
  const refused = flood.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThanOrEqual(60 - 2 * 25)
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await create('{ block { number } }', other)).status).toBe(200)
  expect((await headgate.post(rpc('eth_blockNumber'))).status).toBe(200)
})

function webhookTo(path: string, query: object) {
  return {
    network: 'ETH_DEVNET',
    webhook_type: 'GRAPHQL',
    webhook_url: `${receiver.url}${path}`,
    graphql_query: { query: '{ block { number } }', ...query },
  }
}

async function created(path: string, query: object = {}, more: object = {}) {
  const asked = { ...webhookTo(path, query), ...more }
  const { status, json, text } = await headgate.api('POST', '/api/create-webhook', asked)
  expect(status, text).toBe(200)
  return json.data
}

/** Another block, and all that arrived on the path by then. */
async function mined(path: string, count: number): Promise<Arrival[]> {
  await chain.mine()
  await until(() => receiver.acceptedOn(path).length === count, `${count} arrive on ${path}`)
  return receiver.acceptedOn(path)
}

async function newTeam(): Promise<string> {
  const team = { name: 'Another', tier: 'free' }
  const made = await headgate.api('POST', '/api/teams', team, headgate.operatorToken)
  return made.json.data.token
}

function signatures(arrival: Arrival | undefined): (string | null | undefined)[] {
  const names = ['x-service-signature', 'x-service-signature-previous']
  return names.map((name) => arrival?.headers.get(name))
}

/** By the words of the contract, without the code under test. */
function hexOf(key: string, arrival: Arrival | undefined): string {
  return createHmac('sha256', key)
    .update(arrival?.body ?? '')
    .digest('hex')
}
