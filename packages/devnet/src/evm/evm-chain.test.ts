import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { JsonRpcProvider } from 'ethers'
import {
  createPublicClient,
  createWalletClient,
  encodeErrorResult,
  http,
  parseAbi,
  parseEther,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { systemClock } from '../clock.ts'
import { type EvmChain, startEvmChain } from './evm-chain.ts'
import { TEST_ACCOUNTS } from './test-accounts.ts'

const ABI = parseAbi(['function ask()', 'error TooLate(uint256 minutes)', 'error Error(string)'])
const CONTRACT = '0x00000000000000000000000000000000000000aa'
const RECEIVER = '0x00000000000000000000000000000000000000bb'

const clock = systemClock()
let chain: EvmChain

beforeAll(async () => {
  chain = await startEvmChain({ clock, blockTimeMs: 0 })
})
afterAll(() => chain.stop())

describe('the development chain', () => {
  test('is the chain that wallets know for a development chain', async () => {
    expect(await createPublicClient({ transport: http(chain.url) }).getChainId()).toBe(31_337)
    expect(await result('net_version')).toBe('31337')
  })

  test('has twenty accounts with 10,000 ETH each', async () => {
    const accounts = (await result('eth_accounts')) as string[]
    expect(accounts).toEqual(TEST_ACCOUNTS.map(([address]) => address.toLowerCase()))
    for (const account of accounts) {
      const balance = BigInt((await result('eth_getBalance', [account, 'latest'])) as string)
      expect(balance <= parseEther('10000') && balance > parseEther('9990')).toBe(true)
    }
  })

  test('a signed transaction waits for the next block, then has a receipt', async () => {
    const wallet = walletOf(1)
    const hash = await wallet.sendTransaction({ to: RECEIVER, value: parseEther('1.5') })
    expect(await result('eth_getTransactionReceipt', [hash])).toBeNull()

    await result('evm_mine')
    const client = createPublicClient({ transport: http(chain.url) })
    const receipt = await client.getTransactionReceipt({ hash })
    expect(receipt).toMatchObject({ status: 'success', type: 'eip1559', to: RECEIVER })
    expect(await client.getBalance({ address: RECEIVER })).toBe(parseEther('1.5'))
  })

  test('a snapshot can be gone back to, which gives tests their reorganisations', async () => {
    const snapshot = await result('evm_snapshot')
    const before = await result('eth_blockNumber')
    await result('hardhat_mine', ['0x3'])
    expect(await result('eth_blockNumber')).not.toBe(before)
    expect(await result('evm_revert', [snapshot])).toBe(true)
    expect(await result('eth_blockNumber')).toBe(before)
  })

  test('has what the newest fork has: base fee, withdrawals, requests', async () => {
    const block = await result('eth_getBlockByNumber', ['latest', false])
    expect(block).toMatchObject({
      baseFeePerGas: expect.stringMatching(/^0x/),
      withdrawals: [],
      requestsHash: expect.stringMatching(/^0x/),
    })
  })
})

describe('a reverted call', () => {
  const client = () => createPublicClient({ transport: http(chain.url) })
  const ask = () => client().readContract({ address: CONTRACT, abi: ABI, functionName: 'ask' })

  test('carries its bytes as go-ethereum sends them', async () => {
    const data = encodeErrorResult({ abi: ABI, errorName: 'Error', args: ['no – nein'] })
    await alwaysRevert(data)
    expect(await rpc('eth_call', [{ to: CONTRACT }, 'latest'])).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: 3, message: 'execution reverted: no – nein', data },
    })
    expect(await rpc('eth_estimateGas', [{ to: CONTRACT }])).toMatchObject({
      error: { code: 3, data },
    })
  })

  test('is decoded by viem, custom errors too', async () => {
    await alwaysRevert(encodeErrorResult({ abi: ABI, errorName: 'TooLate', args: [7n] }))
    const failed = await ask().catch((error: unknown) => error)
    expect(String(failed)).toContain('TooLate(uint256 minutes)')
    expect(failed).toMatchObject({ cause: { data: { errorName: 'TooLate', args: [7n] } } })
  })

  test('is decoded by ethers', async () => {
    await alwaysRevert(encodeErrorResult({ abi: ABI, errorName: 'Error', args: ['too late'] }))
    const provider = new JsonRpcProvider(chain.url, chain.chainId, { staticNetwork: true })
    await expect(provider.call({ to: CONTRACT })).rejects.toMatchObject({
      code: 'CALL_EXCEPTION',
      reason: 'too late',
    })
    provider.destroy()
  })

  test('without a reason has no bytes', async () => {
    await alwaysRevert('0x')
    expect(await rpc('eth_call', [{ to: CONTRACT }, 'latest'])).toMatchObject({
      error: { code: 3, message: 'execution reverted', data: '0x' },
    })
  })
})

describe('blocks', () => {
  test('come by themselves, and every listener hears of each', async () => {
    const live = await startEvmChain({ clock, blockTimeMs: 50, chainId: 4_242 })
    const heads = await headsOf(live, 3)
    for (let index = 1; index < heads.length; index++) {
      expect(heads[index]?.parentHash).toBe(heads[index - 1]?.hash)
    }
    await live.stop()
  })
})

describe('the process of the chain', () => {
  test('ends when it is stopped, once or twice', async () => {
    const short = await startEvmChain({ clock, blockTimeMs: 0 })
    await Promise.all([short.stop(), short.stop()])
    expect(await short.exited).toBe(0)
    await expect(fetch(short.url, { method: 'POST', body: '{}' })).rejects.toThrow()
  })

  test.each([
    ['is killed', 'setInterval(() => {}, 1000)', 'SIGKILL'],
    ['has nothing left to do', '', null],
  ] as const)('ends when its parent %s', async (_title, rest, signal) => {
    const program = `
      import { startEvmChain } from ${JSON.stringify(`${import.meta.dir}/evm-chain.ts`)}
      import { systemClock } from ${JSON.stringify(`${import.meta.dir}/../clock.ts`)}
      const chain = await startEvmChain({ clock: systemClock(), blockTimeMs: 100 })
      console.log(chain.url)
      ${rest}`
    const parent = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe' })
    const output = parent.stdout.getReader()
    const url = new TextDecoder().decode((await output.read()).value).trim()
    expect(url).toStartWith('http://127.0.0.1:')
    if (signal !== null) parent.kill(signal)
    await parent.exited
    await refusesConnections(url)
  })

  test('outlives a Ctrl-C that its parent wants to answer in peace', async () => {
    const patient = await startEvmChain({ clock, blockTimeMs: 0 })
    process.kill(patient.pid, 'SIGINT')
    process.kill(patient.pid, 'SIGTERM')
    expect(await rpc('eth_chainId', [], patient.url)).toMatchObject({ result: '0x7a69' })
    await patient.stop()
  })

  test('that dies is noticed', async () => {
    const doomed = await startEvmChain({ clock, blockTimeMs: 0 })
    process.kill(doomed.pid, 'SIGKILL')
    expect(await doomed.exited).not.toBe(0)
    await doomed.stop()
  })

  test('that cannot start is a failure with a name', async () => {
    const impatient = { ...clock, after: (_ms: number, work: () => void) => clock.after(0, work) }
    const started = startEvmChain({ clock: impatient, blockTimeMs: 0 })
    await expect(started).rejects.toMatchObject({ message: 'a development chain did not start' })
  })
})

function walletOf(account: number) {
  const [, publicTestKey] = TEST_ACCOUNTS[account]!
  return createWalletClient({
    account: privateKeyToAccount(publicTestKey as `0x${string}`),
    chain: { ...foundry, id: chain.chainId },
    transport: http(chain.url),
  })
}

async function rpc(method: string, params: unknown[] = [], url = chain.url): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return (await fetch(url, { method: 'POST', body })).json()
}

async function result(method: string, params: unknown[] = []): Promise<unknown> {
  const answer = (await rpc(method, params)) as { result?: unknown; error?: unknown }
  expect(answer.error).toBeUndefined()
  return answer.result
}

/** Puts code at CONTRACT that copies the bytes behind itself to memory and reverts with them. */
async function alwaysRevert(data: string): Promise<void> {
  const bytes = data.slice(2)
  const size = (bytes.length / 2).toString(16).padStart(2, '0')
  const code = `0x60${size}600c60003960${size}6000fd${bytes}`
  await result('hardhat_setCode', [CONTRACT, code])
}

type Head = { number: string; hash: string; parentHash: string }

function headsOf(live: EvmChain, wanted: number): Promise<Head[]> {
  return new Promise((resolve, reject) => {
    const heads: Head[] = []
    const socket = new WebSocket(live.wsUrl)
    socket.onopen = () =>
      socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
    socket.onerror = () => reject(new Error('the socket failed'))
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data))
      if (message.method !== 'eth_subscription') return
      heads.push(message.params.result)
      if (heads.length < wanted) return
      socket.close()
      resolve(heads)
    }
  })
}

async function refusesConnections(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(url, { method: 'POST', body: '{}' }).catch(() => null)
    if (answer === null) return
    await Bun.sleep(10)
  }
}
