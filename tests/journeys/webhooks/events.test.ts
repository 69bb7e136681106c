// Runs on both stores.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type EventClient, listen } from '../../support/deliveries/event-client.ts'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/deliveries/webhook-receiver.ts'
import { type DevnetChain, devnetChain } from '../../support/devnet/devnet-chain.ts'
import { startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(30_000)

let headgate: TestHeadgate
let chain: DevnetChain
let receiver: WebhookReceiver
const clients: EventClient[] = []

beforeAll(async () => {
  receiver = startWebhookReceiver()
  headgate = await startHeadgate({
    env: {
      HEADGATE_DEVNET_BLOCK_TIME_MS: '60000',
      HEADGATE_WEBHOOKS_RETRY_DELAYS_MS: '100,100',
    },
  })
  chain = devnetChain(headgate)
  await chain.untilFollowed()
})
afterAll(async () => {
  for (const client of clients) client.close()
  await headgate.stop()
  await receiver.stop()
})

describe('a stream of events', () => {
  test('begins with the present heads, and tells each block that follows', async () => {
    const client = await heard('?topics=heads')
    const { number, hash } = await chain.head()
    const first = await client.hears('head', ({ network }) => network === 'ETH_DEVNET')
    expect(first).toMatchObject({ number, hash, reorganised_from: null })
    await client.hears('head', ({ network }) => network === 'SOLANA_DEVNET')

    await chain.mine(3)
    await client.hears('head', (head) => head.number === number + 3)
    const heads = client.of('head').filter(({ network }) => network === 'ETH_DEVNET')
    expect(heads.map((head) => head.number)).toEqual([0, 1, 2, 3].map((more) => number + more))
    expect(heads.at(-1)?.hash).toBe((await chain.head()).hash)
    expect(client.retryMs()).toBe(2_000)
  })

  test('tells what a reorganisation replaced, and which deliveries ran a height again', async () => {
    const webhook = await created('/forked')
    const client = await heard('?topics=heads,deliveries')
    const snapshot = await chain.call('evm_snapshot')
    const { number } = await chain.head()
    await chain.mine(2)
    await client.hears('delivery', (one) => one.block_number === number + 2)

    await chain.call('evm_revert', snapshot)
    await chain.call('evm_increaseTime', '0x64')
    await chain.mine(3)
    await client.hears('head', (head) => head.number === number + 3)
    const replaced = client.of('head').filter((head) => head.reorganised_from !== null)
    expect(replaced.map((head) => [head.number, head.reorganised_from])).toEqual([
      [number + 1, number + 1],
      [number + 2, number + 1],
    ])
    await client.hears('delivery', (one) => one.block_number === number + 3)
    const reruns = (await log(`?rerun=true&webhook_id=${webhook}`)).map(heightOf)
    expect(reruns).toEqual([number + 2, number + 1])
    const others = await log(`?rerun=false&webhook_id=${webhook}`)
    expect(others.map(heightOf)).toEqual([number + 3, number + 2, number + 1])
    expect(others.map(({ superseded }) => superseded)).toEqual([false, true, true])
    await client.hears('delivery', (one) => one.rerun === true && one.superseded === false)
  })

  test('follows a delivery from its creation over a refusal to the end', async () => {
    const webhook = await created('/refused')
    const client = await heard(`?topics=deliveries&webhook_id=${webhook}`)
    let refusals = 0
    receiver.answer = (path) => (path === '/refused' && ++refusals < 2 ? 503 : 200)
    await created('/other')
    await chain.mine()
    const last = await client.hears('delivery', ({ status }) => status === 'delivered')
    expect(last).toMatchObject({ webhook_id: webhook, attempts_made: 2, status_code: 200 })
    expect([...new Set(client.of('delivery').map((one) => one.webhook_id))]).toEqual([webhook])
    expect(await log(`?webhook_id=${webhook}&attempts_min=2`)).toEqual([
      expect.objectContaining(last),
    ])

    const { status } = await headgate.api('POST', `/api/deliveries/${last.id}/resend`)
    expect(status).toBe(200)
    await client.hears('delivery', (one) => one.attempts_made === 1 && one.status === 'delivered')
  })

  test('tells when a webhook is created, paused and deleted, and what that cancels', async () => {
    const client = await heard('?topics=webhooks,deliveries')
    receiver.answer = (path) => (path === '/deleted' ? 503 : 200)
    const id = await created('/deleted')
    await client.hears('webhook', (one) => one.id === id && one.state === 'active')
    await chain.mine()
    await client.hears('delivery', (one) => one.webhook_id === id)

    await headgate.api('PUT', '/api/update-webhook', { webhook_id: id, is_active: false })
    const paused = await client.hears('webhook', (one) => one.id === id && !one.is_active)
    expect(paused).toMatchObject({ state: 'paused', deactivation_reason: 'MANUAL' })
    await headgate.api('DELETE', `/api/delete-webhook?webhook_id=${id}`)
    await client.hears('webhook', (one) => one.id === id && one.state === 'deleted')
    const isCancelled = { webhook_id: id, status: 'cancelled' }
    const cancelled = await client.hears('delivery', ({ status }) => status === 'cancelled')
    expect(cancelled).toMatchObject(isCancelled)
  })

  test('tells how a replay gets on, and what was used', async () => {
    const webhook = await created('/replayed')
    const client = await heard('?topics=replays,usage')
    const { number } = await chain.head()
    const asked = { webhook_id: webhook, from_block: 0, to_block: number }
    const { json } = await headgate.api('POST', '/api/replay-webhook', asked)
    const done = await client.hears('replay', ({ state }) => state === 'done')
    expect(done).toMatchObject({ id: json.data.id, next_block: number + 1 })
    const usage = await client.hears('usage', ({ this_month }) => this_month.bytes > 0)
    expect(usage.month_cu).toBeGreaterThan(0)
  })
})

describe('a client that comes back', () => {
  test('is told to fetch again, and how things are now', async () => {
    const first = await heard('?topics=deliveries,heads')
    await chain.mine()
    const { number } = await chain.head()
    await first.hears('head', (head) => head.number === number)
    first.close()
    await first.ended

    const headers = { 'last-event-id': first.lastId() }
    const query = '?topics=deliveries,heads'
    const second = await listen(headgate.url, headgate.teamToken, { query, headers })
    clients.push(second)
    const gap = await second.hears('gap', () => true)
    expect(gap).toEqual({ topics: ['heads', 'deliveries'], reason: 'too_old' })
    await second.hears('head', (head) => head.number === number)
  })
})

async function heard(query: string): Promise<EventClient> {
  const client = await listen(headgate.url, headgate.teamToken, { query })
  clients.push(client)
  return client
}

type Listed = { block_number: number; superseded: boolean }

const heightOf = ({ block_number }: Listed) => block_number

async function log(query: string): Promise<Listed[]> {
  const { status, json, text } = await headgate.api('GET', `/api/deliveries${query}`)
  expect(status, text).toBe(200)
  return json.data
}

async function created(path: string): Promise<string> {
  const { status, json, text } = await headgate.api('POST', '/api/create-webhook', {
    network: 'ETH_DEVNET',
    webhook_type: 'GRAPHQL',
    webhook_url: `${receiver.url}${path}`,
    graphql_query: '{ block { number hash } }',
  })
  expect(status, text).toBe(200)
  return json.data.id
}
