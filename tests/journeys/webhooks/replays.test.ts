// Runs on both stores.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { replayingTeams, runningReplays } from '../../../src/tables/webhooks/replays.ts'
import {
  type Arrival,
  isSignedBothWays,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/deliveries/webhook-receiver.ts'
import { type DevnetChain, devnetChain } from '../../support/devnet/devnet-chain.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

const SHOWN_MAX = 1000

/** More than may wait for the courier, so that a replay to a receiver that refuses has to wait. */
const LONG_REPLAY_BLOCKS = 400
const OTHER = `0x${'ab'.repeat(20)}`
const QUERY = '{ block { number hash transactions { value } } }'

let headgate: TestHeadgate
let chain: DevnetChain
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = startWebhookReceiver()
  headgate = await startHeadgate({
    env: {
      HEADGATE_DEVNET_BLOCK_TIME_MS: '600000',
      HEADGATE_WEBHOOKS_RETRY_DELAYS_MS: '100,100,100',
    },
  })
  chain = devnetChain(headgate)
  await chain.untilFollowed()
})
afterAll(async () => {
  await headgate.stop()
  await receiver.stop()
})

test('after a reorganisation a replay delivers the final versions, under their ids', async () => {
  const webhook = await created('/live')
  const fork = await chain.head()
  const snapshot = await chain.call('evm_snapshot')
  for (const value of ['0x1', '0x2', '0x3']) await chain.send({ to: OTHER, value })
  await chain.untilFollowed()
  await chain.call('evm_revert', snapshot)
  for (const value of ['0x11', '0x12', '0x13', '0x14']) await chain.send({ to: OTHER, value })
  await chain.untilFollowed()
  await until(() => receiver.acceptedOn('/live').length === 7, 'all versions arrive live')
  const live = receiver.acceptedOn('/live').slice(3)

  const { id } = await replayed(webhook.id, fork.number + 1, fork.number + 4)
  await until(() => receiver.acceptedOn('/live').length === 11, 'the replay arrives')
  expect(await replay(id)).toMatchObject({ state: 'done', delivered: 4, skipped: 0, error: null })

  const again = byHeight(receiver.acceptedOn('/live').slice(7))
  expect(again.map(({ json }) => json.id)).toEqual(live.map(({ json }) => json.id))
  expect(again.map(({ json }) => json.event)).toEqual(live.map(({ json }) => json.event))
  for (const arrival of again) {
    const { block } = arrival.json.event.data
    expect(block.hash).toBe(await chain.hashAt(block.number))
    expect(arrival.headers.get('x-headgate-replay')).toBe('1')
    expect(await isSignedBothWays(arrival, webhook.signing_key)).toBe(true)
  }
})

test('a webhook that is new gets what was before it, with the numbers of that time', async () => {
  const { number } = await chain.head()
  const first = receiver.acceptedOn('/live').find(({ json }) => heightOf(json) === number)
  const webhook = await created('/late')
  await replayed(webhook.id, number - 3, number)
  await until(() => receiver.acceptedOn('/late').length === 4, 'the past arrives')
  const last = byHeight(receiver.acceptedOn('/late')).at(-1)
  expect(last?.json.event).toEqual(first?.json.event)
  expect(last?.json.id).not.toBe(first?.json.id)
})

test('new blocks are delivered while a replay runs', async () => {
  await chain.mine(60)
  await chain.untilFollowed()
  const { number } = await chain.head()
  const webhook = await created('/both')
  const { id } = await replayed(webhook.id, number - 59, number)
  await chain.mine(3)
  await until(() => receiver.acceptedOn('/both').length === 63, 'both arrive')
  expect(await replay(id)).toMatchObject({ state: 'done', delivered: 60 })
  const [live, past] = [null, '1'].map((replay) =>
    receiver
      .acceptedOn('/both')
      .filter(({ headers }) => headers.get('x-headgate-replay') === replay),
  )
  expect([live?.length, past?.length]).toEqual([3, 60])
})

test('a replay that is cancelled stops, and another can begin', async () => {
  await chain.mine(LONG_REPLAY_BLOCKS)
  await chain.untilFollowed()
  const { number } = await chain.head()
  const webhook = await created('/cancelled')
  receiver.answer = (path) => (path === '/cancelled' ? 503 : 200)
  const { id } = await replayed(webhook.id, 1, number)
  const second = await headgate.api('POST', '/api/replay-webhook', {
    webhook_id: webhook.id,
    from_block: 1,
    to_block: 2,
  })
  expect([second.status, (await replay(id)).state]).toEqual([400, 'running'])
  const cancelled = await headgate.api('POST', `/api/replays/${id}/cancel`)
  expect(cancelled.json.data.state).toBe('cancelled')

  receiver.answer = () => 200
  const { next_block: next } = await replay(id)
  const again = await replayed(webhook.id, 1, 2)
  await until(() => isDone(again.id), 'the second is done')
  expect(await replay(id)).toMatchObject({ state: 'cancelled', next_block: next })
})

type Made = { id: string; signing_key: string }

async function created(path: string): Promise<Made> {
  const { status, json, text } = await headgate.api('POST', '/api/create-webhook', {
    network: 'ETH_DEVNET',
    webhook_type: 'GRAPHQL',
    webhook_url: `${receiver.url}${path}`,
    graphql_query: QUERY,
  })
  expect(status, text).toBe(200)
  return json.data
}

async function replayed(webhook_id: string, from_block: number, to_block: number) {
  const body = { webhook_id, from_block, to_block }
  const { status, json, text } = await headgate.api('POST', '/api/replay-webhook', body)
  expect(status, text).toBe(200)
  return json.data
}

async function replay(id: string) {
  return (await headgate.api('GET', `/api/replays/${id}`)).json.data
}

/** Asked of the store, since a token may make only so many calls a second. */
async function isDone(id: string): Promise<boolean> {
  const { database } = headgate.running.drivers
  const [teamId = ''] = await replayingTeams(database, '', 1)
  const running = await runningReplays(database, teamId, SHOWN_MAX)
  return running.every((one) => one.id !== id)
}

function byHeight(arrivals: readonly Arrival[]): Arrival[] {
  return arrivals.toSorted((a, b) => heightOf(a.json) - heightOf(b.json))
}

function heightOf(json: Arrival['json']): number {
  return json.event.data.block.number
}
