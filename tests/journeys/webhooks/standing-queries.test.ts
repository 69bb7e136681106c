// Runs on both stores.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { addItems } from '../../../src/tables/webhooks/variables.ts'
import { createWebhook } from '../../../src/tables/webhooks/webhooks.ts'
import { deliveriesOf } from '../../support/deliveries/delivery-store.ts'
import { webhookCalled } from '../../support/deliveries/webhook-store.ts'
import { type DevnetChain, devnetChain } from '../../support/devnet/devnet-chain.ts'
import { PING_BYTECODE, PING_TOPIC } from '../../support/devnet/ping-contract.ts'
import { startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

const SHOWN_MAX = 1000
const OTHER = `0x${'ab'.repeat(20)}`

let headgate: TestHeadgate
let chain: DevnetChain
let made = 0

beforeAll(async () => {
  headgate = await startHeadgate({ env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '600000' } })
  chain = devnetChain(headgate)
  await chain.untilFollowed()
})
afterAll(() => headgate.stop())

describe('on the embedded chain, a standing query', () => {
  test('is answered for each new block, in order and without a gap', async () => {
    const id = await standing('{ block { number hash } }')
    const { number } = await chain.head()
    await chain.mine(5)
    await chain.untilFollowed()

    const rows = await deliveries(id)
    expect(rows.map((row) => row.blockNumber)).toEqual([1, 2, 3, 4, 5].map((at) => number + at))
    expect(rows.map((row) => row.sequenceNumber)).toEqual(
      rows.map((_, at) => (rows[0]?.sequenceNumber ?? 0) + at),
    )
    for (const row of rows) {
      expect(row.data).toEqual({ block: { number: row.blockNumber, hash: row.blockHash } })
    }
  })

  test('sees transfers, contracts being made, failures, logs and internal calls', async () => {
    const id = await standing(`{ block {
      transactions { hash to { address } status createdContract { address } value }
      logs { account { address } topics transaction { hash logs { index } } }
      callTracerTraces { type to { address } error traceAddressPath transaction { hash } }
    } }`)
    const transfer = await chain.send({ to: OTHER, value: '0x7' })
    const creation = await chain.send({ data: PING_BYTECODE })
    const { contractAddress: ping } = await chain.call<{ contractAddress: string }>(
      'eth_getTransactionReceipt',
      creation,
    )
    const call = await chain.send({ to: ping, value: '0x9', gas: '0x186a0' })
    // The node says so although the transaction is mined.
    await chain.send({ to: ping, data: '0x01', gas: '0x186a0' }).catch(() => null)
    const relay = await deployRelay(ping)
    const relayed = await chain.send({ to: relay, value: '0x3', gas: '0x30d40' })
    await chain.untilFollowed()

    const blocks = (await deliveries(id)).map((row) => row.data.block)
    const transactions = blocks.flatMap((block) => block.transactions)
    expect(transactions).toContainEqual({
      hash: transfer,
      to: { address: OTHER },
      status: 1,
      createdContract: null,
      value: '0x7',
    })
    const created = transactions.find((one) => one.hash === creation)
    expect(created).toMatchObject({ to: null, createdContract: { address: ping } })
    expect(transactions.filter((one) => one.status === 0)).toHaveLength(1)

    const logs = blocks.flatMap((block) => block.logs)
    expect(logs.map((log) => log.transaction.hash)).toEqual([call, relayed])
    expect(logs[0]).toMatchObject({ account: { address: ping }, topics: [PING_TOPIC] })
    expect(logs[0].transaction.logs).toHaveLength(1)

    const traces = blocks.flatMap((block) => block.callTracerTraces)
    const inner = traces.filter((one) => one.transaction.hash === relayed)
    expect(inner).toMatchObject([
      { type: 'CALL', to: { address: relay }, traceAddressPath: [] },
      { type: 'CALL', to: { address: ping }, traceAddressPath: [0] },
    ])
    expect(traces.filter((one) => one.error !== null)).toHaveLength(1)
  })

  test('that skips empty results is heard of only when something matches', async () => {
    const query = `{ block { logs(filter: {topics: ["${PING_TOPIC}"]}) { topics } } }`
    const id = await standing(query, { skipEmpty: true })
    const { contractAddress: ping } = await chain.call<{ contractAddress: string }>(
      'eth_getTransactionReceipt',
      await chain.send({ data: PING_BYTECODE }),
    )
    await chain.mine(3)
    await chain.send({ to: ping, value: '0x1', gas: '0x186a0' })
    await chain.mine(2)
    await chain.untilFollowed()
    expect(await deliveries(id)).toHaveLength(1)
  })

  test('follows its variable from the next block on', async () => {
    const query =
      'query ($who: [Address!]) { block { transactions(filter: {addresses: {to: $who}}) { value } } }'
    const id = await standing(query, { skipEmpty: true })
    await chain.send({ to: OTHER, value: '0x1' })
    await chain.untilFollowed()
    const { teamId } = await team()
    const items = { teamId, name: 'who', kind: 'Address' as const, items: [OTHER] }
    await addItems(headgate.running.drivers.database, items)
    await chain.send({ to: OTHER, value: '0x2' })
    await chain.untilFollowed()
    const values = (await deliveries(id)).map((row) => row.data.block.transactions)
    expect(values).toEqual([[{ value: '0x2' }]])
  })

  test('is run again on every height that a reorganisation replaces', async () => {
    const id = await standing('{ block { number hash transactions { value } } }')
    const fork = await chain.head()
    const snapshot = await chain.call('evm_snapshot')
    for (const value of ['0x1', '0x2', '0x3']) await chain.send({ to: OTHER, value })
    await chain.untilFollowed()
    const before = await deliveries(id)
    expect(before).toHaveLength(3)

    await chain.call('evm_revert', snapshot)
    for (const value of ['0x11', '0x12', '0x13', '0x14']) await chain.send({ to: OTHER, value })
    await chain.untilFollowed()

    const all = await deliveries(id)
    const again = all.slice(3)
    expect(again.map((row) => row.blockNumber)).toEqual([1, 2, 3, 4].map((at) => fork.number + at))
    for (const row of again) {
      expect(row.blockHash).toBe(await chain.hashAt(row.blockNumber ?? 0))
      expect(row.sequenceNumber).toBeGreaterThan(before.at(-1)?.sequenceNumber ?? 0)
    }
    const numbers = all.map((row) => row.sequenceNumber ?? 0)
    expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] ?? 0) + at))
    const values = again.map((row) => row.data.block.transactions[0].value)
    expect(values).toEqual(['0x11', '0x12', '0x13', '0x14'])
  })
})

describe('what a block takes from the node', () => {
  test('is no more than the standing queries ask for', async () => {
    const lines = headgate
      .logText()
      .split('\n')
      .filter((line) => line.includes('"event":"block"'))
      .map((line) => JSON.parse(line))
    // The first blocks came before any query did, and no query asked for traces at first.
    expect(lines[0]).toMatchObject({ receipts: false, traces: false })
    expect(lines.some((line) => line.traces)).toBe(true)
  })
})

/** A contract that hands on what it was sent to `to`. */
async function deployRelay(to: string): Promise<string> {
  const call = `5f5f5f5f3473${to.slice(2)}5af100`
  const runtime = `7f${call.padEnd(64, '0')}`.slice(2, 2 + call.length)
  const length = (runtime.length / 2).toString(16).padStart(2, '0')
  const hash = await chain.send({ data: `0x60${length}600a5f3960${length}5ff3${runtime}` })
  const receipt = await chain.call<{ contractAddress: string }>('eth_getTransactionReceipt', hash)
  return receipt.contractAddress
}

async function standing(query: string, differing: { skipEmpty?: boolean } = {}): Promise<string> {
  const { teamId } = await team()
  const id = `wh_${(++made).toString().padStart(16, '0')}`
  const network = 'ETH_DEVNET'
  const webhook = webhookCalled(id, { teamId, network, query, ...differing })
  await createWebhook(headgate.running.drivers.database, webhook, 'sealed', SHOWN_MAX)
  return id
}

async function team(): Promise<{ teamId: string }> {
  const { json } = await headgate.api('GET', '/api/team')
  return { teamId: json.data.id }
}

/** The deliveries of a webhook, oldest first, with their results read. */
async function deliveries(webhookId: string) {
  const rows = await deliveriesOf(headgate.running.drivers.database, webhookId, SHOWN_MAX)
  const ordered = rows.toSorted((a, b) => (a.sequenceNumber ?? 0) - (b.sequenceNumber ?? 0))
  return ordered.map((row) => ({ ...row, data: JSON.parse(row.result?.data ?? 'null') }))
}
