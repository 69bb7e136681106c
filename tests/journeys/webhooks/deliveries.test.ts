// Runs on both stores.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  isSignedBothWays,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/deliveries/webhook-receiver.ts'
import { type DevnetChain, devnetChain } from '../../support/devnet/devnet-chain.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

const OTHER = `0x${'ab'.repeat(20)}`
const TRANSFERS = `{ block { number hash transactions(filter: {addresses: [{to: "${OTHER}"}]}) {
  hash value } } }`

let headgate: TestHeadgate
let chain: DevnetChain
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = startWebhookReceiver()
  headgate = await startHeadgate({
    env: {
      HEADGATE_DEVNET_BLOCK_TIME_MS: '600000',
      // Every answer counts, however late a busy machine gives it: none is asked for twice.
      HEADGATE_WEBHOOKS_TIMEOUT_MS: '60000',
      HEADGATE_WEBHOOKS_RETRY_DELAYS_MS: '100,100,100,100,100',
    },
  })
  chain = devnetChain(headgate)
  await chain.untilFollowed()
})
afterAll(async () => {
  await headgate.stop()
  await receiver.stop()
})

describe('from a transfer to a receiver', () => {
  test('a webhook hears of it, signed in both ways', async () => {
    const webhook = await created('/transfers', { skip_empty_messages: true })
    const hash = await chain.send({ to: OTHER, value: '0x7' })
    await until(() => receiver.acceptedOn('/transfers').length === 1, 'the transfer arrives')

    const [arrival] = receiver.acceptedOn('/transfers')
    expect(arrival?.json).toMatchObject({
      webhookId: webhook.id,
      type: 'GRAPHQL',
      event: {
        data: { block: { transactions: [{ hash, value: '0x7' }] } },
        network: 'ETH_DEVNET',
      },
    })
    expect(arrival && (await isSignedBothWays(arrival, webhook.signing_key))).toBe(true)
    expect(arrival?.headers.get('webhook-id')).toBe(arrival?.json.id)
  })

  test('a reorganisation brings the height again, with a higher sequence number', async () => {
    const webhook = await created('/reorganised', { skip_empty_messages: true })
    const snapshot = await chain.call('evm_snapshot')
    await chain.send({ to: OTHER, value: '0x1' })
    await until(() => receiver.acceptedOn('/reorganised').length === 1, 'the first version arrives')

    await chain.call('evm_revert', snapshot)
    await chain.send({ to: OTHER, value: '0x2' })
    await chain.mine()
    await until(() => receiver.acceptedOn('/reorganised').length === 2, 'the second one arrives')

    const [before, after] = receiver.acceptedOn('/reorganised').map(({ json }) => json)
    expect(after.event.data.block.number).toBe(before.event.data.block.number)
    expect(after.event.data.block.hash).not.toBe(before.event.data.block.hash)
    expect(after.event.data.block.transactions).toMatchObject([{ value: '0x2' }])
    expect(Number(after.event.sequenceNumber)).toBeGreaterThan(Number(before.event.sequenceNumber))
    expect(after.id).not.toBe(before.id)
    const [, second] = receiver.acceptedOn('/reorganised')
    expect(second?.headers.get('x-headgate-previous')).toBe(before.event.sequenceNumber)
    expect(second && (await isSignedBothWays(second, webhook.signing_key))).toBe(true)
  })

  test('one that is refused comes again with the same id until it is accepted', async () => {
    await created('/refused')
    let refusals = 0
    receiver.answer = (path) => (path === '/refused' && ++refusals < 3 ? 500 : 200)
    await chain.mine()
    await until(() => receiver.acceptedOn('/refused').length === 1, 'it is accepted')
    const all = receiver.arrivals.filter(({ path }) => path === '/refused')
    expect(all.map(({ status }) => status)).toEqual([500, 500, 200])
    expect(new Set(all.map(({ json }) => json.id)).size).toBe(1)
  })

  test('a paused webhook gets nothing, and from the next block on again', async () => {
    const { id } = await created('/paused')
    await chain.mine()
    await until(() => receiver.acceptedOn('/paused').length === 1, 'the first block arrives')
    await update({ webhook_id: id, is_active: false })
    await chain.mine(2)
    await chain.untilFollowed()
    await update({ webhook_id: id, is_active: true })
    await chain.mine()
    const { number } = await chain.head()
    await until(() => receiver.acceptedOn('/paused').length === 2, 'the last block arrives')
    const last = receiver.acceptedOn('/paused').at(-1)
    expect(last?.json.event.data.block.number).toBe(number)
  })
})

describe('the bill', () => {
  test('is the bytes that were accepted, at 0.04 CU each', async () => {
    const billed = async () => (await headgate.api('GET', '/api/usage/summary')).json.data
    const accepted = () => receiver.acceptedBytes()
    const isWritten = async () => (await billed()).this_month.bytes === accepted()
    await until(isWritten, 'the ledger has all that was accepted')
    const path = '/api/usage/time-series?bucket=hour&group_by=method'
    const { json } = await headgate.api('GET', path)
    const points: { group: string; cu: number; bytes: number; calls: number }[] = json.data
    const webhooks = points.filter(({ group }) => group === 'webhook')
    const sum = (field: 'cu' | 'bytes' | 'calls') =>
      webhooks.reduce((total, point) => total + point[field], 0)
    expect(sum('bytes')).toBe(accepted())
    expect(sum('cu')).toBeCloseTo(accepted() * 0.04, 6)
    expect(sum('calls')).toBe(receiver.arrivals.filter(({ status }) => status < 300).length)
  })
})

type Made = { id: string; signing_key: string }

async function created(path: string, query: object = {}): Promise<Made> {
  const { status, json, text } = await headgate.api('POST', '/api/create-webhook', {
    network: 'ETH_DEVNET',
    webhook_type: 'GRAPHQL',
    webhook_url: `${receiver.url}${path}`,
    graphql_query: { query: TRANSFERS, ...query },
  })
  expect(status, text).toBe(200)
  return json.data
}

async function update(change: object): Promise<void> {
  const { status, text } = await headgate.api('PUT', '/api/update-webhook', change)
  expect(status, text).toBe(200)
}
