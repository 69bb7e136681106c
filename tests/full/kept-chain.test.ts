// Runs on both stores.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WireDevnet } from '../../src/http/contract/contract.ts'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/deliveries/webhook-receiver.ts'
import { PING_BYTECODE } from '../support/devnet/ping-contract.ts'
import { until } from '../support/product/headgate.ts'
import {
  cleanUp,
  type HeadgateProcess,
  newFolder,
  startProcess,
} from '../support/product/headgate-process.ts'

/** Five starts of the product, each a second or more where the machine is busy with others. */
setDefaultTimeout(180_000)

/** Blocks come on command. */
const ENV = {
  HEADGATE_LISTEN: '127.0.0.1:0',
  HEADGATE_DEVNET_BLOCK_TIME_MS: '600000',
  HEADGATE_DEVNET_SLOT_TIME_MS: '60000',
}
const TRACER = { tracer: 'callTracer' }
const BY_HAND = `0x${'0'.repeat(38)}aa`

const folder = newFolder()
const archives = join(folder, 'data', 'devnet', 'eth')
let receiver: WebhookReceiver
let headgate: HeadgateProcess
let contract = ''
const sent: string[] = []

beforeAll(async () => {
  receiver = startWebhookReceiver()
  headgate = await startProcess({ folder, env: ENV })
  await api('POST', '/api/create-webhook', {
    network: 'ETH_DEVNET',
    webhook_type: 'GRAPHQL',
    webhook_url: `${receiver.url}/blocks`,
    graphql_query: '{ block { number hash } }',
  })
})
afterAll(async () => {
  await cleanUp()
  await receiver.stop()
})

test('the second start has the chain of the first: blocks, logs, state and traces', async () => {
  const [from, to] = await result<string[]>('eth_accounts')
  const send = async (call: object) =>
    void sent.push(await result<string>('eth_sendTransaction', { from, ...call }))
  await send({ data: PING_BYTECODE, gas: '0x7a120' })
  await send({ to, value: '0x7' })
  await mine(1)
  const made = await result<{ contractAddress: string }>('eth_getTransactionReceipt', sent[0])
  contract = made.contractAddress
  await send({ to: contract, value: '0x3' })
  await result('hardhat_setBalance', BY_HAND, '0x1234')
  await mine(5)
  await deliveredUpTo(6)

  const before = await answers()
  expect(before).toContainEqual(
    expect.arrayContaining([expect.objectContaining({ data: word(3) })]),
  )
  await restart('SIGTERM')
  expect(await answers()).toEqual(before)
})

test('it goes on with the next block, whose event has the next number', async () => {
  const last = events().at(-1)
  expect((await mine(1)).head.number).toBe(7)
  await deliveredUpTo(7)
  expect(events().at(-1)).toMatchObject({ number: 7, sequence: (last?.sequence ?? 0) + 1 })
})

test('it takes blocks of the first back, which are told anew with higher numbers', async () => {
  const known = events().length
  const { head } = await api<WireDevnet>('POST', '/api/devnet/reorganise', { depth: 3 })
  await deliveredUpTo(8)
  expect(head.number).toBe(8)
  expect(
    events()
      .slice(known)
      .map(({ number }) => number),
  ).toEqual([5, 6, 7, 8])
  expect(events().at(-1)?.hash).toBe(head.hash)
  // Old transactions that were replaced are mined again, and older ones are where they were.
  expect(await result('eth_getTransactionReceipt', sent[1])).toMatchObject({ blockNumber: '0x1' })
})

test('after a kill it goes on from the last block that was kept, and skips no event', async () => {
  const { head } = await mine(4)
  await restart('SIGKILL')
  const kept = (await api<WireDevnet>('GET', '/api/devnet')).head.number
  expect(kept).toBeGreaterThanOrEqual(head.number - 2)
  expect((await mine(3)).head.number).toBe(kept + 3)
  await deliveredUpTo(kept + 3)
  const all = events()
  const [first] = all
  expect(all.map(({ sequence }) => sequence)).toEqual(
    all.map((_event, at) => (first?.sequence ?? 0) + at),
  )
  // Each height ends on the block that the chain has.
  const last = new Map(all.map(({ number, hash }) => [number, hash]))
  for (const [number, hash] of last) {
    const tag = `0x${number.toString(16)}`
    expect(await result('eth_getBlockByNumber', tag, false)).toMatchObject({ hash })
  }
})

test.each([
  ['cut short', 'SQLite format 3\0'],
  ['something else', '{"this":"is no archive"}'],
])('an archive that is %s is put aside, and the chain begins anew', async (_title, text) => {
  const aside = () => readdirSync(archives).filter((name) => name.startsWith('chain.broken-'))
  const [asideBefore, sequence] = [aside().length, events().at(-1)?.sequence ?? 0]
  await restart('SIGTERM', () => writeFileSync(join(archives, 'chain.sqlite'), text))
  expect(headgate.said()).toMatch(/The archive of ETH_DEVNET cannot be used: .+ begins anew\./)
  expect(aside().length).toBe(asideBefore + 1)

  expect((await api<WireDevnet>('GET', '/api/devnet')).head.number).toBe(0)
  // Two chains that begin in the same second are the same one until something happens on them.
  const [from, to] = await result<string[]>('eth_accounts')
  await result('eth_sendTransaction', { from, to, value: `0x${text.length.toString(16)}` })
  await mine(1)
  await until(() => (events().at(-1)?.sequence ?? 0) > sequence, 'the new chain is followed')
  expect(events().at(-1)?.number).toBeLessThanOrEqual(1)
})

/** All that a chain is asked about its past. */
async function answers(): Promise<unknown[]> {
  const [latest] = await Promise.all([
    result<{ number: string }>('eth_getBlockByNumber', 'latest', true),
  ])
  const asked: [string, ...unknown[]][] = [
    ['eth_getBlockByNumber', '0x0', false],
    ['eth_getBlockByNumber', '0x1', true],
    ['eth_getBlockReceipts', '0x1'],
    ['debug_traceBlockByNumber', '0x1', TRACER],
    ['debug_traceTransaction', sent[2], TRACER],
    ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest', address: contract }],
    ['eth_getCode', contract, 'latest'],
    ['eth_getCode', contract, '0x0'],
    ['eth_getBalance', contract, '0x1'],
    ['eth_getBalance', contract, latest.number],
    ['eth_getBalance', BY_HAND, latest.number],
    ['eth_feeHistory', '0x4', latest.number, [50]],
    ...sent.map((hash): [string, string] => ['eth_getTransactionByHash', hash]),
    ...sent.map((hash): [string, string] => ['eth_getTransactionReceipt', hash]),
  ]
  return [
    latest,
    ...(await Promise.all(asked.map(([method, ...params]) => result(method, ...params)))),
  ]
}

async function restart(signal: NodeJS.Signals, meanwhile = () => {}): Promise<void> {
  headgate.signal(signal)
  await headgate.exited
  meanwhile()
  headgate = await startProcess({ folder, env: ENV })
}

/** What the webhook was told, in the order of its numbers. */
function events() {
  const told = receiver.acceptedOn('/blocks').map(({ json }) => ({
    ...(json.event.data.block as { number: number; hash: string }),
    sequence: Number(json.event.sequenceNumber),
  }))
  // A delivery whose outcome was lost with the process comes once more.
  const once = new Map(told.map((event) => [event.sequence, event]))
  return [...once.values()].sort((one, other) => one.sequence - other.sequence)
}

async function deliveredUpTo(height: number): Promise<void> {
  const tag = `0x${height.toString(16)}`
  const { hash } = await result<{ hash: string }>('eth_getBlockByNumber', tag, false)
  await until(() => events().some((event) => event.hash === hash), `block ${height} is delivered`)
}

function mine(blocks: number): Promise<WireDevnet> {
  return api('POST', '/api/devnet/mine', { blocks })
}

async function api<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(headgate.url + path, {
    method,
    headers: { 'x-service-token': headgate.keys.team_token, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  expect(answer.status, text).toBe(200)
  return JSON.parse(text).data
}

async function result<T>(method: string, ...params: unknown[]): Promise<T> {
  const answer = await fetch(`${headgate.url}/eth-devnet/v2/${headgate.keys.app_key}`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result: told, error } = (await answer.json()) as { result: T; error?: object }
  expect(error).toBeUndefined()
  return told
}

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
