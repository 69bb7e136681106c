// Runs on both stores.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Contract, JsonRpcProvider, Wallet } from 'ethers'
import {
  createPublicClient,
  createWalletClient,
  decodeEventLog,
  type Hex,
  http,
  parseEther,
  publicActions,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { Web3 } from 'web3'
import { TEST_ACCOUNTS } from '../../../packages/devnet/src/evm/test-accounts.ts'
import {
  PING_ABI,
  PING_BYTECODE,
  PING_REASON,
  PING_TOPIC,
} from '../../support/devnet/ping-contract.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

/** Short, so that transactions do not wait long; the chain is as real as with a longer one. */
const BLOCK_TIME_MS = 100
const CLIENT_POLL_MS = 25
const CHAIN_ID = 31_337

let headgate: TestHeadgate
let url: string

beforeAll(async () => {
  const env = { HEADGATE_DEVNET_BLOCK_TIME_MS: String(BLOCK_TIME_MS) }
  headgate = await startHeadgate({ env })
  url = `${headgate.url}/eth-devnet/v2/${headgate.appKey}`
})

afterAll(() => headgate.stop())

/** Each client has an account of its own, so that their nonces do not cross. */
function account(at: number) {
  const [address, publicTestKey] = TEST_ACCOUNTS[at] ?? ['', '']
  return { address: address as Hex, publicTestKey: publicTestKey as Hex }
}

/** Nobody's: its balance is what was sent to it. */
function fresh(at: number): Hex {
  return `0x${at.toString(16).padStart(40, 'e')}`
}

describe('viem', () => {
  const { publicTestKey, address } = account(1)
  const wallet = () =>
    createWalletClient({
      account: privateKeyToAccount(publicTestKey),
      chain: foundry,
      transport: http(url),
      pollingInterval: CLIENT_POLL_MS,
    }).extend(publicActions)

  test('reads the chain, in batches', async () => {
    const client = createPublicClient({
      chain: foundry,
      transport: http(url, { batch: true }),
      pollingInterval: CLIENT_POLL_MS,
    })
    const [chainId, head, balance, gasPrice, first] = await Promise.all([
      client.getChainId(),
      client.getBlockNumber(),
      client.getBalance({ address }),
      client.getGasPrice(),
      client.getBlock({ blockNumber: 0n }),
    ])
    expect(chainId).toBe(CHAIN_ID)
    expect(balance).toBe(parseEther('10000'))
    expect(gasPrice).toBeGreaterThan(0n)
    expect(first.number).toBe(0n)
    await until(async () => (await client.getBlockNumber()) > head, 'the chain moves on')
    const block = await client.getBlock({ includeTransactions: true })
    expect(block.hash).toMatch(/^0x[0-9a-f]{64}$/)
  })

  test('sees its own writes: the balance after a receipt is the new one', async () => {
    const client = wallet()
    const to = fresh(1)
    for (let sent = 1n; sent <= 5n; sent++) {
      expect(await client.getBalance({ address: to })).toBe(sent - 1n)
      const hash = await client.sendTransaction({ to, value: 1n })
      const { status, blockNumber } = await client.waitForTransactionReceipt({ hash })
      expect(status).toBe('success')
      expect(await client.getBalance({ address: to })).toBe(sent)
      expect(await client.getTransactionCount({ address })).toBe(Number(sent))
      expect(await client.getBlockNumber({ cacheTime: 0 })).toBeGreaterThanOrEqual(blockNumber)
    }
  })

  test('deploys a contract, reads its logs and decodes its revert', async () => {
    const client = wallet()
    const deployed = await client.deployContract({ abi: PING_ABI, bytecode: PING_BYTECODE })
    const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployed })
    const to = contractAddress as Hex
    const hash = await client.sendTransaction({ to, value: 42n })
    const { logs, blockNumber } = await client.waitForTransactionReceipt({ hash })
    const { eventName, args } = decodeEventLog({ abi: PING_ABI, ...logs[0]! })
    expect([eventName, args]).toEqual(['Ping', { value: 42n }])
    const found = await client.getContractEvents({ abi: PING_ABI, address: to, fromBlock: 0n })
    expect(found.map((log) => log.args)).toEqual([{ value: 42n }])
    expect(found[0]?.blockNumber).toBe(blockNumber)

    const failing = client.readContract({ abi: PING_ABI, address: to, functionName: 'fail' })
    await expect(failing).rejects.toThrow(PING_REASON)
  })

  test('follows events through a filter', async () => {
    const client = wallet()
    const deployed = await client.deployContract({ abi: PING_ABI, bytecode: PING_BYTECODE })
    const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployed })
    const to = contractAddress as Hex
    const filter = await client.createContractEventFilter({ abi: PING_ABI, address: to })
    expect(await client.getFilterChanges({ filter })).toEqual([])
    const hash = await client.sendTransaction({ to, value: 7n })
    await client.waitForTransactionReceipt({ hash })
    const changes = await client.getFilterChanges({ filter })
    expect(changes.map((log) => log.args)).toEqual([{ value: 7n }])
    expect(await client.getFilterChanges({ filter })).toEqual([])
    expect(await client.uninstallFilter({ filter })).toBe(true)
  })
})

describe('ethers', () => {
  const { publicTestKey, address } = account(2)

  /** Its default sends what is asked in one moment as a batch. */
  function connect() {
    const provider = new JsonRpcProvider(url, CHAIN_ID, { cacheTimeout: -1 })
    provider.pollingInterval = CLIENT_POLL_MS
    return { provider, signer: new Wallet(publicTestKey, provider) }
  }

  test('reads the chain, in batches', async () => {
    const { provider } = connect()
    const [network, head, balance, first, fees] = await Promise.all([
      provider.getNetwork(),
      provider.getBlockNumber(),
      provider.getBalance(address),
      provider.getBlock(0),
      provider.getFeeData(),
    ])
    expect(network.chainId).toBe(BigInt(CHAIN_ID))
    expect(head).toBeGreaterThanOrEqual(0)
    expect(balance).toBe(parseEther('10000'))
    expect(first?.number).toBe(0)
    expect(fees.maxFeePerGas).not.toBeNull()
    provider.destroy()
  })

  test('sees its own writes: the balance after a receipt is the new one', async () => {
    const { provider, signer } = connect()
    const to = fresh(2)
    for (let sent = 1n; sent <= 5n; sent++) {
      expect(await provider.getBalance(to)).toBe(sent - 1n)
      const { hash } = await signer.sendTransaction({ to, value: 1n })
      const receipt = await provider.waitForTransaction(hash)
      expect(receipt?.status).toBe(1)
      expect(await provider.getBalance(to)).toBe(sent)
      expect(await provider.getTransactionCount(address)).toBe(Number(sent))
    }
    provider.destroy()
  })

  test('deploys a contract, reads its logs, follows a filter and decodes its revert', async () => {
    const { provider, signer } = connect()
    const deployed = await signer.sendTransaction({ data: PING_BYTECODE })
    const to = (await deployed.wait())?.contractAddress as string
    const filter = await provider.send('eth_newFilter', [{ address: to }])
    await (await signer.sendTransaction({ to, value: 42n })).wait()
    const changes = await provider.send('eth_getFilterChanges', [filter])
    expect(changes).toHaveLength(1)
    expect(changes[0].topics).toEqual([PING_TOPIC])
    expect(await provider.send('eth_uninstallFilter', [filter])).toBe(true)

    const logs = await provider.getLogs({ address: to, topics: [PING_TOPIC], fromBlock: 0 })
    expect(logs.map((log) => BigInt(log.data))).toEqual([42n])
    const contract = new Contract(to, ['function fail() view returns (uint256)'], provider)
    await expect(contract.getFunction('fail')()).rejects.toMatchObject({
      code: 'CALL_EXCEPTION',
      reason: PING_REASON,
    })
    provider.destroy()
  })
})

describe('web3', () => {
  const { publicTestKey, address } = account(3)

  function connect() {
    const web3 = new Web3(url)
    web3.eth.transactionPollingInterval = CLIENT_POLL_MS
    // Otherwise it goes on counting confirmations long after the test.
    web3.eth.transactionConfirmationBlocks = 1
    web3.eth.accounts.wallet.add(publicTestKey)
    return web3
  }

  test('reads the chain', async () => {
    const web3 = connect()
    expect(await web3.eth.getChainId()).toBe(BigInt(CHAIN_ID))
    expect(await web3.eth.getBalance(address)).toBe(parseEther('10000'))
    expect(await web3.eth.getBlockNumber()).toBeGreaterThanOrEqual(0n)
    expect((await web3.eth.getBlock(0)).number).toBe(0n)
  })

  test('sees its own writes: the balance after a receipt is the new one', async () => {
    const web3 = connect()
    const to = fresh(3)
    for (let sent = 1n; sent <= 3n; sent++) {
      expect(await web3.eth.getBalance(to)).toBe(sent - 1n)
      const { status } = await web3.eth.sendTransaction({ from: address, to, value: 1n })
      expect(status).toBe(1n)
      expect(await web3.eth.getBalance(to)).toBe(sent)
    }
  })

  test('deploys a contract and reads its logs', async () => {
    const web3 = connect()
    const made = await web3.eth.sendTransaction({ from: address, data: PING_BYTECODE })
    const to = String(made.contractAddress)
    // Without data it would send the 21,000 of a mere transfer.
    await web3.eth.sendTransaction({ from: address, to, value: 42n, gas: 100_000n })
    const logs = await web3.eth.getPastLogs({ address: to, fromBlock: 0 })
    expect(logs).toHaveLength(1)
    expect(logs[0]).toMatchObject({ topics: [PING_TOPIC] })
  })
})

test('a filter nobody made is answered as a node would', async () => {
  const { status, json } = await headgate.post(rpc('eth_getFilterChanges', ['0x1']))
  expect([status, json.error]).toEqual([200, { code: -32000, message: 'filter not found' }])
})
