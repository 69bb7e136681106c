import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { privateKeyToAccount } from 'viem/accounts'
import { until } from '../../../../../tests/support/basics/until.ts'
import { topicOf } from '../../../../../tests/support/blocks/cookbook-logs.ts'
import { forkableCalls } from '../../../../../tests/support/devnet/forkable-calls.ts'
import { systemClock } from '../../clock.ts'
import type { DevnetState } from '../../devnet-control.ts'
import { CONTRACTS } from '../contracts/contracts.ts'
import { type EvmChain, startEvmChain } from '../evm-chain.ts'
import { TEST_ACCOUNTS, TRADERS } from '../test-accounts.ts'
import { openTraffic } from './traffic.ts'

type Receipt = {
  transactionHash: string
  from: string
  status: string
  type: string
  contractAddress: string | null
  logs: { address: string; topics: string[] }[]
}

type Frame = { type: string; to?: string; value?: string; error?: string; calls?: Frame[] }

const clock = systemClock()
const PER_BLOCK = 6
const BLOCKS = 30

/** Contracts and the events that each has emitted after so many blocks. */
const EVENTS: readonly [address: string, ...signatures: string[]][] = [
  [CONTRACTS.dollar, 'Transfer(address,address,uint256)', 'Approval(address,address,uint256)'],
  [CONTRACTS.orchard, 'Transfer(address,address,uint256)'],
  [CONTRACTS.lantern, 'Transfer(address,address,uint256)'],
  [CONTRACTS.wrappedEther, 'Deposit(address,uint256)', 'Withdrawal(address,uint256)'],
  [
    CONTRACTS.dollarEther,
    'Swap(address,uint256,uint256,uint256,uint256,address)',
    'Sync(uint112,uint112)',
  ],
  [CONTRACTS.dollarOrchard, 'Swap(address,uint256,uint256,uint256,uint256,address)'],
  [CONTRACTS.poolFactory, 'PairCreated(address,address,address,uint256)'],
  [
    CONTRACTS.collection,
    'Transfer(address,address,uint256)',
    'ApprovalForAll(address,address,bool)',
  ],
  [CONTRACTS.vaultFactory, 'VaultCreated(address,address)'],
  [CONTRACTS.priceFeed, 'AnswerUpdated(int256,uint256,uint256)'],
  [CONTRACTS.multisig, 'ExecutionSuccess(bytes32,uint256)', 'ExecutionFailure(bytes32,uint256)'],
  [CONTRACTS.bridge, 'TransactionDeposited(address,address,uint256,bytes)'],
  [CONTRACTS.proxy, 'Upgraded(address)'],
]

let process: EvmChain
let chain: ReturnType<typeof forkableCalls>

beforeAll(async () => {
  process = await startEvmChain({ clock, blockTimeMs: 0, transactionsPerBlock: PER_BLOCK })
  chain = forkableCalls(process)
})
afterAll(() => process.stop())

describe('traffic', () => {
  test('fills blocks with something of every kind', async () => {
    const { blocks } = await chain.mine(BLOCKS)
    const sizes = blocks.slice(1).map(({ transactions }) => transactions)
    expect(sizes).toEqual(Array.from({ length: BLOCKS }, () => PER_BLOCK))
    const receipts = await receiptsTo(chain, BLOCKS)
    const emitted = new Set(
      receipts.flatMap(({ logs }) => logs.map(({ address, topics }) => `${address} ${topics[0]}`)),
    )
    const lacks = EVENTS.flatMap(([address, ...signatures]) =>
      signatures.filter((signature) => !emitted.has(`${address} ${topicOf(signature)}`)),
    )
    expect(lacks).toEqual([])
    expect(new Set(receipts.map(({ type }) => type))).toEqual(new Set(['0x0', '0x1', '0x2', '0x4']))
    expect(receipts.some(({ contractAddress }) => contractAddress !== null)).toBe(true)
    const failed = receipts.filter(({ status }) => status !== '0x1').length
    expect(failed).toBeGreaterThan(3)
    expect(failed).toBeLessThan(receipts.length / 8)
  })

  test('has calls inside of calls, which create, pay and fail', async () => {
    const frames: Frame[] = []
    const collect = (frame: Frame) => {
      frames.push(frame)
      for (const inner of frame.calls ?? []) collect(inner)
    }
    const roots: Frame[] = []
    for (let height = 1; height <= BLOCKS; height++) {
      const traced = await chain.call<{ result: Frame }[]>('debug_traceBlockByNumber', [
        `0x${height.toString(16)}`,
        { tracer: 'callTracer' },
      ])
      for (const { result } of traced) roots.push(result)
    }
    for (const root of roots) for (const inner of root.calls ?? []) collect(inner)
    expect(new Set(frames.map(({ type }) => type))).toEqual(
      new Set(['CALL', 'STATICCALL', 'CREATE', 'CREATE2']),
    )
    expect(frames.some(({ type, value }) => type === 'CALL' && Number(value ?? 0) > 0)).toBe(true)
    expect(frames.some(({ error }) => error !== undefined)).toBe(true)
    expect(roots.some(({ error }) => error?.includes('gas') ?? false)).toBe(true)
  })

  test('leaves the accounts of users alone', async () => {
    for (const [address] of TEST_ACCOUNTS) {
      expect(await chain.call<string>('eth_getTransactionCount', [address, 'latest'])).toBe('0x0')
      const balance = await chain.call<string>('eth_getBalance', [address, 'latest'])
      expect(BigInt(balance)).toBe(10_000n * 10n ** 18n)
    }
    const shown = await chain.call<string[]>('eth_accounts')
    expect(shown).toEqual(TEST_ACCOUNTS.map(([address]) => address.toLowerCase()))
  })

  test('is the same on every chain', async () => {
    const other = await startEvmChain({ clock, blockTimeMs: 0, transactionsPerBlock: PER_BLOCK })
    const second = forkableCalls(other)
    await second.mine(5)
    const hashes = async (calls: typeof chain) =>
      (await receiptsTo(calls, 5)).map(({ transactionHash }) => transactionHash)
    expect((await hashes(second)).sort()).toEqual((await hashes(chain)).sort())
    await other.stop()
  })

  test('comes from keys that are told', () => {
    for (const [number, [address, key]] of TRADERS.entries()) {
      const text = `headgate devnet trader ${number}`
      expect(key).toBe(`0x${new Bun.CryptoHasher('sha256').update(text).digest('hex')}`)
      expect(privateKeyToAccount(key as `0x${string}`).address.toLowerCase()).toBe(address)
    }
  })
})

test('rests while the process of the chain is too large', async () => {
  const asked: string[] = []
  const result = async <T>(method: string) => {
    asked.push(method)
    return { number: '0x1', baseFeePerGas: '0x7', transactions: [] } as T
  }
  const ask = async (method: string) => {
    asked.push(method)
    return '{"result":"0x"}'
  }
  let memoryBytes = 3 * 2 ** 30
  const needs = {
    chain: { ask, result },
    isAutomining: () => false,
    memoryBytes: () => memoryBytes,
    transactionsPerBlock: PER_BLOCK,
  }
  const traffic = openTraffic(needs)
  let mined = 0
  const mine = async () => void mined++
  await traffic.around(mine)
  expect([traffic.isResting(), mined, asked]).toEqual([true, 1, []])
  memoryBytes = 100_000_000
  await traffic.around(mine)
  expect([traffic.isResting(), mined]).toEqual([false, 2])
  expect(asked).toContain('eth_sendTransaction')
})

describe('traffic goes on', () => {
  test.each<[title: string, work: () => Promise<unknown>]>([
    ['after a reorganisation', () => chain.reorganise({ depth: 5 })],
    [
      'after one that drops transactions',
      () => chain.reorganise({ depth: 5, transactions: 'drop' }),
    ],
    ['after blocks were dropped', async () => chain.drop((await chain.state()).head.number - 4)],
    ['after the chain began anew', () => chain.drop(0)],
    [
      'after a return to a snapshot',
      async () => {
        const snapshot = await chain.call<string>('evm_snapshot')
        await chain.mine(2)
        expect(await chain.call<boolean>('evm_revert', [snapshot])).toBe(true)
      },
    ],
    ['after blocks of users', () => chain.call('hardhat_mine', ['0x5'])],
  ])('%s', async (_title, work) => {
    await chain.mine(6)
    await work()
    const after = await chain.mine(3)
    const mined = after.blocks.filter(({ replacedAtMs }) => replacedAtMs === null).slice(-3)
    expect(mined.map(({ transactions }) => transactions)).toEqual([PER_BLOCK, PER_BLOCK, PER_BLOCK])
    expect(after.pendingTransactions).toBe(0)
    const last = (await receiptsTo(chain, after.head.number)).slice(-3 * PER_BLOCK)
    expect(last.filter(({ status }) => status === '0x1').length).toBeGreaterThan(2 * PER_BLOCK)
  })

  test('beside transactions of users, which come first and are all there', async () => {
    const before = await chain.state()
    const sent = [await chain.send(), await chain.send(), await chain.send()]
    const after = await chain.mine(1)
    expect(after.head.number).toBe(before.head.number + 1)
    expect(lastSize(after)).toBe(PER_BLOCK + sent.length)
    const { transactions } = await chain.call<{ transactions: string[] }>('eth_getBlockByNumber', [
      'latest',
      false,
    ])
    expect(transactions.slice(0, sent.length).sort()).toEqual(sent.sort())
  })

  test('and leaves nothing behind where the block has no room for it', async () => {
    const { gasLimit } = await chain.call<{ gasLimit: string }>('eth_getBlockByNumber', [
      'latest',
      false,
    ])
    await chain.call('evm_setBlockGasLimit', ['0x249f0'])
    const full = await chain.mine(1)
    expect(full.pendingTransactions).toBe(0)
    expect(lastSize(full)).toBeLessThan(PER_BLOCK)
    await chain.call('evm_setBlockGasLimit', [gasLimit])
    expect(lastSize(await chain.mine(1))).toBe(PER_BLOCK)
  })

  test('but not in blocks that users mine for their tests, nor where each transaction has one', async () => {
    await chain.call('evm_mine')
    expect(lastSize(await chain.state())).toBe(0)
    await chain.call('evm_setAutomine', [true])
    expect(lastSize(await chain.mine(1))).toBe(0)
    await chain.call('evm_setAutomine', [false])
  })

  test('as much of it as is wanted, by time as well', async () => {
    expect((await chain.change({ transactionsPerBlock: 40 })).transactionsPerBlock).toBe(40)
    expect(lastSize(await chain.mine(1))).toBe(40)
    const { head } = await chain.change({ transactionsPerBlock: 2, blockTimeMs: 10 })
    await until(async () => (await chain.state()).head.number > head.number + 2, 'blocks come')
    const held = await chain.change({ isHeld: true, transactionsPerBlock: 0 })
    expect(held).toMatchObject({ isHeld: true, blockTimeMs: 10, transactionsPerBlock: 0 })
    expect(lastSize(held)).toBe(2)
    expect(lastSize(await chain.mine(1))).toBe(0)
  })
})

function lastSize({ blocks }: DevnetState): number | undefined {
  return blocks.findLast(({ replacedAtMs }) => replacedAtMs === null)?.transactions
}

async function receiptsTo(calls: typeof chain, height: number): Promise<Receipt[]> {
  const found: Receipt[] = []
  for (let at = 1; at <= height; at++) {
    const tag = `0x${at.toString(16)}`
    found.push(...(await calls.call<Receipt[]>('eth_getBlockReceipts', [tag])))
  }
  return found
}
