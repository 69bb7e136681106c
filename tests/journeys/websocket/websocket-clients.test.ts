import { afterAll, beforeAll, expect, test } from 'bun:test'
import { WebSocketProvider } from 'ethers'
import { createPublicClient, type Hex, webSocket } from 'viem'
import { foundry } from 'viem/chains'
import { Web3 } from 'web3'
import { openChainView } from '../../support/blocks/chain-view.ts'
import type { NodeJson } from '../../support/blocks/node-json.ts'
import { type DevnetChain, devnetChain } from '../../support/devnet/devnet-chain.ts'
import { PING_ABI, PING_BYTECODE, PING_TOPIC } from '../../support/devnet/ping-contract.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { openWsClient } from '../../support/product/ws-client.ts'

let headgate: TestHeadgate
let address: string
let chain: DevnetChain
let contract: Hex

beforeAll(async () => {
  // Mined by hand, so that each test knows which block comes next.
  headgate = await startHeadgate({ env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '600000' } })
  address = `${headgate.url.replace('http', 'ws')}/eth-devnet/v2/${headgate.appKey}`
  chain = devnetChain(headgate)
  const hash = await chain.send({ data: PING_BYTECODE })
  const receipt = await chain.call<{ contractAddress: Hex }>('eth_getTransactionReceipt', hash)
  contract = receipt.contractAddress
})

afterAll(() => headgate.stop())

const ping = (value: number) => chain.send({ to: contract, value: `0x${value.toString(16)}` })

test('viem watches blocks and events, through a reorganisation', async () => {
  const client = createPublicClient({ chain: foundry, transport: webSocket(address) })
  const numbers: bigint[] = []
  const values: unknown[] = []
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const unwatch = [
    client.watchBlockNumber({ onBlockNumber: (number) => void numbers.push(number), onError }),
    client.watchContractEvent({
      address: contract,
      abi: PING_ABI,
      eventName: 'Ping',
      onLogs: (logs) => void values.push(...logs.map(({ args, removed }) => [args.value, removed])),
      onError,
    }),
  ]
  // Subscribing takes a moment of which the library does not tell.
  await until(() => metric('headgate_subscriptions').endsWith(' 2'), 'both are')
  const before = BigInt((await chain.head()).number)
  await ping(7)
  await until(() => values.length === 1, 'the event came')
  await chain.call('headgate_reorganise', { depth: 1, blocks: 2, transactions: 'keep' })
  await until(() => numbers.length >= 3, 'the blocks of the reorganisation came')
  await ping(8)
  await until(() => values.some((value) => (value as unknown[])[0] === 8n), 'the next event came')
  expect(errors).toEqual([])
  expect(numbers[0]).toBe(before + 1n)
  expect(values[0]).toEqual([7n, false])
  expect(values).toContainEqual([7n, true])
  for (const end of unwatch) end()
  const socket = await client.transport.getRpcClient()
  socket.close()
})

test('ethers hears of blocks and logs', async () => {
  const provider = new WebSocketProvider(address)
  const blocks: number[] = []
  const logs: string[] = []
  await provider.on('block', (number: number) => void blocks.push(number))
  await provider.on({ address: contract, topics: [PING_TOPIC] }, (log) => void logs.push(log.data))
  expect((await provider.getNetwork()).chainId).toBe(31_337n)
  const { number } = await chain.head()
  await ping(9)
  await until(() => blocks.length > 0 && logs.length > 0, 'both came')
  expect(blocks[0]).toBe(number + 1)
  expect(BigInt(logs[0] ?? 0)).toBe(9n)
  await provider.destroy()
})

test('web3.js hears of blocks and logs', async () => {
  const web3 = new Web3(address)
  const heads: { number?: unknown; hash?: unknown }[] = []
  const logs: { data?: unknown }[] = []
  const subscription = await web3.eth.subscribe('newBlockHeaders')
  subscription.on('data', (head) => void heads.push(head))
  const ofLogs = await web3.eth.subscribe('logs', { address: contract })
  ofLogs.on('data', (log) => void logs.push(log as { data?: unknown }))
  await ping(10)
  await until(() => heads.length === 1 && logs.length === 1, 'both came')
  expect(heads[0]?.hash).toBe((await chain.head()).hash)
  expect(BigInt(String(logs[0]?.data))).toBe(10n)
  await web3.eth.clearSubscriptions()
  web3.provider?.disconnect()
})

test('reorganisations of the embedded chain leave exactly its blocks and logs', async () => {
  const client = await openWsClient(address)
  const { result: heads } = await client.call('eth_subscribe', ['newHeads'])
  const { result: logs } = await client.call('eth_subscribe', ['logs', { address: contract }])
  const { number: before } = await chain.head()
  for (const value of [1, 2, 3]) await ping(value)
  await chain.call('headgate_reorganise', { depth: 2, blocks: 3, transactions: 'keep' })
  await ping(4)
  await chain.call('headgate_reorganise', { depth: 1, blocks: 2, transactions: 'keep' })
  await chain.mine()
  const tip = await chain.head()
  const view = openChainView()
  await until(() => client.notifications(heads).at(-1)?.hash === tip.hash, 'the tip came')
  for (const head of client.notifications(heads)) view.takeHead(head)
  for (const log of client.notifications(logs)) view.takeLog(log)
  expect(view.faults).toEqual([])
  const hashes: string[] = []
  for (let at = before + 1; at <= tip.number; at++) hashes.push(await chain.hashAt(at))
  expect(view.heads.map(({ hash }) => hash)).toEqual(hashes)
  const range = { address: contract, fromBlock: `0x${(before + 1).toString(16)}` }
  const truth = await chain.call<NodeJson[]>('eth_getLogs', range)
  expect([...view.logs.values()]).toEqual(truth.map(({ removed: _, ...log }) => log))
  expect(view.heads[0]).not.toContainKeys(['transactions', 'uncles', 'size'])
  await client.close()
})

test('pending transactions are told by hash, and whole where asked', async () => {
  const client = await openWsClient(address)
  const { result: hashes } = await client.call('eth_subscribe', ['newPendingTransactions'])
  expect(hashes).toStartWith('0x')
  await client.close()
})

function metric(name: string): string {
  const text = headgate.running.drivers.telemetry.exposition()
  return text.split('\n').find((line) => line.startsWith(name)) ?? ''
}
