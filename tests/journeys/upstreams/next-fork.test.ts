// Runs on both stores.
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { RECIPES } from '../../../dashboard/pages/editor/recipes.ts'
import { startEvmChain } from '../../../packages/devnet/src/evm/evm-chain.ts'
import { systemClock } from '../../../src/system/machine/system-clock.ts'
import { asTopic } from '../../support/blocks/cookbook-block.ts'
import type { NodeJson } from '../../support/blocks/node-json.ts'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/deliveries/webhook-receiver.ts'
import { PING_BYTECODE, PING_TOPIC } from '../../support/devnet/ping-contract.ts'
import {
  amsterdamBlocks,
  type RecordedBlock,
  startRecordedNode,
} from '../../support/nodes/recorded-node.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

const NETWORK = 'ETH_NEXT'
const EVERYTHING = `{ block { number hash slotNumber blockAccessListHash gasUsed
  logs { index account { address } topics data }
  transactions { hash status from { address } }
  callTracerTraces { type value } } }`
const ETH_TRANSFERS = RECIPES.find(({ id }) => id === 'eth-transfers-as-logs')?.query ?? ''
const SYSTEM = '0xfffffffffffffffffffffffffffffffffffffffe'

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of cleanUp.splice(0).reverse()) await stop()
})

type Upstream = { name: string; url: string }
type Stage = { headgate: TestHeadgate; receiver: WebhookReceiver }

/** Headgate on these nodes, with a webhook on every block, waiting for the next one. */
async function follow(
  upstreams: readonly Upstream[],
  chainId: number,
  verify: 'auto' | 'receipts',
): Promise<Stage> {
  const paces = { blockTimeMs: 1000, headPollMs: 100, finalityDepth: 64 }
  const traced = upstreams.map(({ name, url }) => ({ name, url, traces: true }))
  const network = { id: NETWORK, kind: 'evm', chainId, verify, ...paces, upstreams: traced }
  const headgate = await startHeadgate({
    env: {
      HEADGATE_NETWORKS: JSON.stringify([network]),
      HEADGATE_WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true',
      HEADGATE_WEBHOOKS_TIMEOUT_MS: '60000',
    },
  })
  cleanUp.push(() => headgate.stop())
  const receiver = startWebhookReceiver()
  cleanUp.push(() => receiver.stop())
  const isFollowed = () => headgate.running.followers?.statusOf(NETWORK) !== null
  await until(isFollowed, 'the chain is followed')
  const stage = { headgate, receiver }
  await createWebhook(stage, 'all', EVERYTHING)
  return stage
}

async function createWebhook({ headgate, receiver }: Stage, path: string, query: string) {
  const { status, text } = await headgate.api('POST', '/api/create-webhook', {
    network: NETWORK,
    webhook_type: 'GRAPHQL',
    webhook_url: `${receiver.url}/${path}`,
    graphql_query: { query, skip_empty_messages: path !== 'all' },
  })
  expect(status, text).toBe(200)
}

/** The delivered blocks, once the block of that number is among them. */
async function delivered({ receiver }: Stage, last: number, path = '/all') {
  const arrivals = () =>
    receiver
      .acceptedOn(path)
      .map(({ json, headers }) => ({
        block: json.event.data.block as NodeJson,
        verified: headers.get('x-headgate-verified'),
      }))
      .sort((one, other) => one.block.number - other.block.number)
  await until(() => arrivals().at(-1)?.block.number === last, `block ${last} arrives`)
  return arrivals()
}

/** What the webhook on every block is to receive of a recorded block. */
function expectedOf({ block, receipts }: RecordedBlock) {
  return {
    number: Number(block.number),
    hash: block.hash,
    slotNumber: Number(block.slotNumber),
    blockAccessListHash: block.blockAccessListHash,
    gasUsed: Number(block.gasUsed),
    logs: receipts.flatMap(({ logs }) =>
      logs.map(({ logIndex, address, topics, data }: NodeJson) => ({
        index: Number(logIndex),
        account: { address },
        topics,
        data,
      })),
    ),
    transactions: receipts.map(({ transactionHash, status, from }) => ({
      hash: transactionHash,
      status: Number(status),
      from: { address: from },
    })),
  }
}

test("go-ethereum's Amsterdam blocks are all delivered, and proven", async () => {
  const blocks = amsterdamBlocks()
  const [, ...coming] = blocks
  const node = startRecordedNode('geth', 1337, blocks)
  cleanUp.push(() => node.stop())
  const stage = await follow([node], 1337, 'receipts')
  const wallet = '0x71562b71999873db5b286df957af199ec94617f7'
  const variable = { items: [asTopic(wallet)] }
  await stage.headgate.api('POST', '/api/graphql/variables/walletTopics', variable)
  await createWebhook(stage, 'eth', ETH_TRANSFERS)

  node.mine()
  const arrived = await delivered(stage, Number(coming.at(-1)?.block.number))
  expect(arrived.map(({ block: { callTracerTraces: _, ...block } }) => block)).toEqual(
    coming.map(expectedOf),
  )
  expect(new Set(arrived.map(({ verified }) => verified))).toEqual(new Set(['receipts']))
  for (const [at, { block }] of arrived.entries()) {
    expect(block.callTracerTraces.length).toBeGreaterThanOrEqual(coming[at]?.traces.length ?? 0)
  }
  expect(stage.headgate.logText()).not.toMatch(/block_not_proven|block_parts_disagree/)

  // The recipe finds the ETH that the wallet sends, which is what its transactions carry.
  const [sending] = coming.filter(({ block }) => Number(block.number) === 3)
  const isThere = () =>
    stage.receiver.acceptedOn('/eth').find(({ json }) => json.event.data.block.number === 3)
  await until(() => isThere() !== undefined, 'the transfers of block 3 arrive')
  const { sent, received } = isThere()?.json.event.data.block ?? {}
  expect(received).toEqual([])
  expect(sent.map(({ data, transaction }: NodeJson) => [BigInt(data), transaction.hash])).toEqual(
    sending?.block.transactions.map(({ value, hash }: NodeJson) => [BigInt(value), hash]),
  )
})

test('each block of an Amsterdam chain is delivered with its ETH transfers, and proven', async () => {
  const clock = systemClock()
  const chain = await startEvmChain({ clock, blockTimeMs: 0, hardfork: 'Amsterdam' })
  cleanUp.push(() => chain.stop())
  const rpc = async <T>(method: string, ...params: unknown[]): Promise<T> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await fetch(chain.url, { method: 'POST', body })
    const reply = (await answer.json()) as { result: T; error?: unknown }
    expect(reply.error).toBeUndefined()
    return reply.result
  }
  // The first block of this chain cannot be proven: its root of transactions is no trie's.
  await rpc('evm_mine')
  const [from = '', to = ''] = await rpc<string[]>('eth_accounts')
  const gas = '0x7a120'
  const made = await rpc<string>('eth_sendTransaction', { from, data: PING_BYTECODE, gas })
  await rpc('evm_mine')
  const { contractAddress: ping } = await rpc<NodeJson>('eth_getTransactionReceipt', made)
  const stage = await follow([{ name: 'chain', url: chain.url }], chain.chainId, 'receipts')

  const first = Number(await rpc<string>('eth_blockNumber')) + 1
  for (let round = 1; round <= 4; round++) {
    await rpc('eth_sendTransaction', { from, to, value: `0x${round}`, gas })
    await rpc('eth_sendTransaction', { from, to: ping, value: '0x9', gas })
    await rpc('evm_mine')
  }
  const arrived = await delivered(stage, first + 3)
  expect(arrived.map(({ block }) => block.number)).toEqual([0, 1, 2, 3].map((at) => first + at))
  for (const [at, { block, verified }] of arrived.entries()) {
    expect(verified).toBe('receipts')
    expect(block.slotNumber).toBe(block.number)
    expect(block.blockAccessListHash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(block.callTracerTraces).toHaveLength(2)
    const logs = block.logs.map(({ account, topics, data }: NodeJson) => [
      account.address,
      topics[0] === PING_TOPIC ? 'ping' : topics[2],
      Number(data),
    ])
    expect(logs).toEqual([
      [SYSTEM, asTopic(to), at + 1],
      [SYSTEM, asTopic(ping), 9],
      [ping, 'ping', 9],
    ])
  }
})

test('a fork that this version does not know stops no webhook, and a lie gets in the way of none', async () => {
  const isBusy = ({ receipts }: RecordedBlock) => receipts.length > 0
  const forked = amsterdamBlocks().filter(isBusy).slice(0, 4)
  // As after a later fork: the hash covers a member that this version does not know.
  for (const { block } of forked) {
    Object.assign(block, { newRoot: '0x01', stateRoot: `0x${'5'.repeat(64)}` })
  }
  const lying = structuredClone(forked)
  for (const { receipts } of lying) {
    for (const log of receipts.flatMap(({ logs }) => logs)) log.data = `0x${'7'.repeat(64)}`
    for (const receipt of receipts) receipt.status = '0x0'
  }
  const nodes = [
    startRecordedNode('liar', 1, lying),
    startRecordedNode('second', 1, forked),
    startRecordedNode('third', 1, forked),
  ]
  for (const node of nodes) cleanUp.push(() => node.stop())
  const stage = await follow(nodes, 1, 'auto')
  for (const node of nodes) node.mine()
  const coming = forked.slice(1)
  const arrived = await delivered(stage, Number(coming.at(-1)?.block.number))
  expect(arrived.map(({ block: { callTracerTraces: _, ...block } }) => block)).toEqual(
    coming.map(expectedOf),
  )
  expect(arrived.map(({ verified }) => verified)).toEqual(coming.map(() => null))

  const reason = 'the header has an unknown member newRoot'
  const accepted = () =>
    stage.headgate
      .logText()
      .split('\n')
      .filter((line) => line.includes('"block_accepted_unproven"'))
      .map((line) => JSON.parse(line))
  await until(() => accepted().length >= coming.length, 'the log has each block')
  expect(accepted().at(-1)).toMatchObject({ level: 'error', network: NETWORK, reason })
  const [state] = (await stage.headgate.api('GET', '/api/networks')).json.data
  expect(state.verify).toMatchObject({ mode: 'auto', form: 'receipts', unproven: { reason } })
  for (const { name, last_fault } of state.upstreams) {
    if (name !== 'liar') expect(last_fault).toBeNull()
  }
})
