// Runs on both stores.
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { type EvmChain, startEvmChain } from '../../../packages/devnet/src/evm/evm-chain.ts'
import { systemClock } from '../../../src/system/machine/system-clock.ts'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/deliveries/webhook-receiver.ts'
import { PING_BYTECODE, PING_TOPIC } from '../../support/devnet/ping-contract.ts'
import { type BendingNode, startBendingNode } from '../../support/nodes/bending-node.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

const NETWORK = 'ETH_PROVEN'
const PINGS = `{ block { number logs(filter: { topics: [["${PING_TOPIC}"]] }) {
  data transaction { hash from { address } } } } }`

type Log = { data: string }
type Receipt = { logs: Log[] }

let chain: EvmChain
let first: BendingNode
let second: BendingNode
let receiver: WebhookReceiver
let headgate: TestHeadgate
let from = ''
let ping = ''
let webhookId = ''

beforeAll(async () => {
  chain = await startEvmChain({ clock: systemClock(), blockTimeMs: 0 })
  // Its first block has a root of transactions that no list of them has.
  await rpc('evm_mine')
  ;[first, second] = [startBendingNode(chain.url), startBendingNode(chain.url)]
  receiver = startWebhookReceiver()
  const upstreams = [
    { name: 'first', url: first.url },
    { name: 'second', url: second.url },
  ]
  const paces = { blockTimeMs: 1000, headPollMs: 100, finalityDepth: 64 }
  const network = { id: NETWORK, kind: 'evm', chainId: chain.chainId, verify: 'receipts', ...paces }
  headgate = await startHeadgate({
    env: {
      HEADGATE_NETWORKS: JSON.stringify([{ ...network, upstreams }]),
      HEADGATE_WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true',
      HEADGATE_WEBHOOKS_TIMEOUT_MS: '60000',
    },
  })
  from = (await rpc<string[]>('eth_accounts'))[0] ?? ''
  const created = await mined({ from, data: PING_BYTECODE, gas: '0x7a120' })
  ping = (await rpc<{ contractAddress: string }>('eth_getTransactionReceipt', created))
    .contractAddress
  await until(() => followed() !== null, 'the chain is followed')
  const { status, json, text } = await headgate.api('POST', '/api/create-webhook', {
    network: NETWORK,
    webhook_type: 'GRAPHQL',
    webhook_url: `${receiver.url}/pings`,
    graphql_query: { query: PINGS, skip_empty_messages: true },
  })
  expect(status, text).toBe(200)
  webhookId = json.data.id
})
afterAll(async () => {
  await headgate.stop()
  await Promise.all([chain.stop(), first.stop(), second.stop(), receiver.stop()])
})
beforeEach(() => {
  for (const node of [first, second]) node.bend = (_method, result) => result
  receiver.arrivals.length = 0
})

async function rpc<T>(method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(chain.url, { method: 'POST', body })
  const reply = (await answer.json()) as { result: T; error?: { message: string } }
  if (reply.error) throw new Error(`${method}: ${reply.error.message}`)
  return reply.result
}

async function mined(transaction: Record<string, string>): Promise<string> {
  const hash = await rpc<string>('eth_sendTransaction', transaction)
  await rpc('evm_mine')
  return hash
}

const followed = () => headgate.running.followers?.statusOf(NETWORK) ?? null

const logged = (event: string) =>
  headgate
    .logText()
    .split('\n')
    .filter((line) => line.includes(`"${event}"`))
    .map((line) => JSON.parse(line))

/** The logs in a node's answer with receipts. */
const logsIn = (method: string, result: unknown): Log[] => {
  if (method !== 'eth_getBlockReceipts' && method !== 'eth_getTransactionReceipt') return []
  const receipts = [result].flat() as (Receipt | null)[]
  return receipts.flatMap((receipt) => receipt?.logs ?? [])
}

/** Changes one digit of the data of every log. */
const forge = (method: string, result: unknown): unknown => {
  for (const log of logsIn(method, result)) log.data = log.data.replace(/.$/, '9')
  return result
}

/** What was delivered can be replayed before a second node confirms that there is such a block. */
async function secondStaysBehind(): Promise<void> {
  const tip = await rpc<{ number: string }>('eth_getBlockByNumber', 'latest', false)
  second.bend = (method, result) => {
    const isNewer = Number((result as typeof tip | null)?.number) > Number(tip.number)
    return method === 'eth_getBlockByNumber' && isNewer ? tip : result
  }
}

async function networkState() {
  const { json } = await headgate.api('GET', '/api/networks')
  return json.data[0]
}

test('a log that a node forged is read elsewhere; the delivery says that it was proven', async () => {
  // The first node that returns a log. Earlier blocks without logs may come from the other node.
  let liar: 'first' | 'second' | null = null
  const lyingAs = (name: 'first' | 'second') => (method: string, result: unknown) => {
    if (logsIn(method, result).length > 0) liar ??= name
    return liar === name ? forge(method, result) : result
  }
  first.bend = lyingAs('first')
  second.bend = lyingAs('second')
  const hash = await mined({ from, to: ping, value: '0x7' })
  await until(() => receiver.acceptedOn('/pings').length === 1, 'the ping arrives')
  const [arrival] = receiver.acceptedOn('/pings')
  expect(arrival?.json.event.data.block.logs).toEqual([
    { data: `0x${'7'.padStart(64, '0')}`, transaction: { hash, from: { address: from } } },
  ])
  expect(arrival?.headers.get('x-headgate-verified')).toBe('receipts')

  const reason = 'the receipts are not those of the receiptsRoot'
  await until(() => logged('block_not_proven').length > 0, 'the log has it')
  expect(logged('block_not_proven').at(-1)).toMatchObject({ upstream: liar, reason })
  const { verify, upstreams } = await networkState()
  expect(verify).toEqual({ mode: 'receipts', form: 'receipts', fallback: null, unproven: null })
  for (const { name, last_fault } of upstreams) {
    expect(last_fault).toEqual(name === liar ? expect.stringContaining(reason) : null)
  }
  const metrics = await (await fetch(`${headgate.url}/metrics`)).text()
  expect(metrics).toMatch(
    new RegExp(`headgate_block_proof_failures_total\\{[^}]*upstream="${liar}"[^}]*\\} [1-9]`),
  )
})

test('where all nodes lie the chain waits, and goes on with the first that does not', async () => {
  const before = logged('block_not_proven').length
  first.bend = forge
  second.bend = forge
  await mined({ from, to: ping, value: '0x3' })
  const tip = Number(await rpc<string>('eth_blockNumber'))
  const named = () =>
    logged('block_not_proven')
      .slice(before)
      .map(({ upstream }) => upstream)
  await until(() => new Set(named()).size === 2, 'both were asked')
  expect(receiver.arrivals).toEqual([])
  expect(followed()?.number).toBe(tip - 1)

  second.bend = (_method, result) => result
  await until(() => receiver.acceptedOn('/pings').length === 1, 'the ping arrives')
  const [log] = receiver.acceptedOn('/pings')[0]?.json.event.data.block.logs ?? []
  expect(log.data).toBe(`0x${'3'.padStart(64, '0')}`)
})

test('a resend and a replay say it too, and the log shows the header', async () => {
  await secondStaysBehind()
  await mined({ from, to: ping, value: '0x5' })
  await until(() => receiver.acceptedOn('/pings').length === 1, 'the ping arrives')
  const { id, event } = receiver.acceptedOn('/pings')[0]?.json ?? {}
  const shown = async () =>
    (await headgate.api('GET', `/api/deliveries/${id}`)).json.data.headers?.['x-headgate-verified']
  await until(
    async () => (await shown()) === 'receipts',
    'the log has the attempt with its headers',
  )
  expect((await headgate.api('POST', `/api/deliveries/${id}/resend`)).status).toBe(200)
  await until(() => receiver.acceptedOn('/pings').length === 2, 'it arrives again')

  const { number } = event.data.block
  const range = { webhook_id: webhookId, from_block: number, to_block: number }
  const replay = await headgate.api('POST', '/api/replay-webhook', range)
  expect(replay.status, replay.text).toBe(200)
  await until(() => receiver.acceptedOn('/pings').length === 3, 'it is replayed')
  const headers = receiver.acceptedOn('/pings').map((one) => one.headers)
  expect(headers.map((one) => one.get('x-headgate-verified'))).toEqual(Array(3).fill('receipts'))
  expect(headers[2]?.get('x-headgate-replay')).toBe('1')
})
