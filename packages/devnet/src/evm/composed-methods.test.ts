import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { PING_BYTECODE } from '../../../../tests/support/devnet/ping-contract.ts'
import { systemClock } from '../clock.ts'
import { type EvmChain, startEvmChain } from './evm-chain.ts'

type Receipt = { transactionHash: string; contractAddress: string | null }

let chain: EvmChain
let hashes: string[] = []
const receipts: Receipt[] = []
let block = { hash: '', number: '' }

beforeAll(async () => {
  chain = await startEvmChain({ clock: systemClock(), blockTimeMs: 0 })
  const [from, to] = (await result('eth_accounts')) as string[]
  hashes = [
    await send({ from, to, value: '0x7' }),
    await send({ from, data: PING_BYTECODE, gas: '0x7a120' }),
  ]
  await result('evm_mine')
  block = await result('eth_getBlockByNumber', 'latest', false)
  for (const hash of hashes) receipts.push(await result('eth_getTransactionReceipt', hash))
})
afterAll(() => chain.stop())

const TRACER = { tracer: 'callTracer' }
const UNKNOWN = `0x${'12'.repeat(32)}`

describe('the receipts of a block', () => {
  test('are those of its transactions, in their order, however the block is named', async () => {
    const { hash: blockHash, number: blockNumber } = block
    expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual(hashes)
    expect(receipts[1]?.contractAddress).toStartWith('0x')
    for (const named of ['latest', blockNumber, blockHash, { blockHash }, { blockNumber }]) {
      expect(await result('eth_getBlockReceipts', named)).toEqual(receipts)
    }
  })

  test('of a block without transactions are none', async () => {
    expect(await result('eth_getBlockReceipts', 'earliest')).toEqual([])
  })

  test.each([['0x999'], [UNKNOWN], ['pending']])('of %s are null', async (named) => {
    expect(await result('eth_getBlockReceipts', named)).toBeNull()
  })

  test.each([
    [undefined],
    [null],
    [7],
    [{}],
    ['newest'],
    ['0x'],
    [{ blockHash: ['0x1'] }],
    [`0x${'1'.repeat(65)}`],
    ['__proto__'],
  ])('of %p are refused', async (named) => {
    const params = named === undefined ? [] : [named]
    expect((await rpc('eth_getBlockReceipts', ...params)).error.code).toBe(-32602)
  })
})

describe('the traces of a block', () => {
  test('are those of its transactions, each with its hash', async () => {
    const frames = [
      { txHash: hashes[0], result: await result('debug_traceTransaction', hashes[0], TRACER) },
      { txHash: hashes[1], result: await result('debug_traceTransaction', hashes[1], TRACER) },
    ]
    expect(frames.map((frame) => frame.result.type)).toEqual(['CALL', 'CREATE'])
    expect(await result('debug_traceBlockByHash', block.hash, TRACER)).toEqual(frames)
    expect(await result('debug_traceBlockByNumber', block.number, TRACER)).toEqual(frames)
  })

  test('are go-ethereum’s own steps without a tracer', async () => {
    const [first] = await result('debug_traceBlockByNumber', 'latest')
    expect(first.result).toMatchObject({ failed: false, gas: 21_000 })
  })

  test.each([
    ['an unknown number', '0x999', 'block #0x999 not found'],
    ['an unknown hash', UNKNOWN, `block ${UNKNOWN} not found`],
    ['the first block', '0x0', 'genesis is not traceable'],
  ])('of %s are an error', async (_title, named, message) => {
    const { error } = await rpc('debug_traceBlockByNumber', named, TRACER)
    expect(error).toEqual({ code: -32000, message })
  })

  test('by a tracer that nobody knows are an error', async () => {
    const { error } = await rpc('debug_traceBlockByHash', block.hash, { tracer: 'nope' })
    expect(error.code).toBe(-32602)
  })

  test('of a block with hundreds of transactions are asked for one by one', async () => {
    const [from] = (await result('eth_accounts')) as string[]
    for (let at = 0; at < 201; at++) await send({ from, to: from, gas: '0x5208' })
    await result('evm_mine')
    const { error } = await rpc('debug_traceBlockByNumber', 'latest', TRACER)
    expect(error).toMatchObject({ code: -32000, message: expect.stringContaining('one by one') })
    expect(await result('eth_getBlockReceipts', 'latest')).toHaveLength(201)
  })
})

test('it listens', async () => {
  expect(await result('net_listening')).toBe(true)
})

describe('the access list of a call', () => {
  const CALLER = `0x${'aa'.repeat(20)}`
  const CALLEE = `0x${'00'.repeat(18)}cafe`
  const slot = (number: number) => `0x${number.toString(16).padStart(64, '0')}`

  beforeAll(async () => {
    // SLOAD(5), SSTORE(7, 1), BALANCE(0xbeef), BALANCE(1), CALL(0xcafe), STOP.
    const own = '600554506001600755'
    const others = '61beef315060013150'
    await result('hardhat_setCode', CALLER, `0x${own}${others}5f5f5f5f5f61cafe5af15000`)
    // SLOAD(3), REVERT.
    await result('hardhat_setCode', CALLEE, '0x600354505f5ffd')
  })

  test('names what it touches, of its own contract the slots alone', async () => {
    const [from] = (await result('eth_accounts')) as string[]
    const listed = await result('eth_createAccessList', { from, to: CALLER }, 'latest')
    expect(listed).toEqual({
      accessList: [
        { address: CALLER, storageKeys: [slot(5), slot(7)] },
        { address: `0x${'00'.repeat(18)}beef`, storageKeys: [] },
        { address: CALLEE, storageKeys: [slot(3)] },
      ],
      gasUsed: expect.stringMatching(/^0x[1-9a-f]/),
    })
    // With the list at hand the same gas is used: it is whole.
    const { accessList, gasUsed } = listed
    const call = { from, to: CALLER, accessList }
    const { gas } = await result('debug_traceCall', call, 'latest')
    expect(gas).toBe(Number(gasUsed))
    const { accessList: again } = await result('eth_createAccessList', call, 'latest')
    expect(again).toEqual(accessList)
  })

  test('of one that fails says so', async () => {
    const listed = await result('eth_createAccessList', { to: CALLEE })
    expect(listed).toMatchObject({
      accessList: [{ address: CALLEE, storageKeys: [slot(3)] }],
      error: 'execution reverted',
    })
  })

  test('of one that makes a contract names the slots of that', async () => {
    // SLOAD(3), RETURN nothing.
    const { accessList } = await result('eth_createAccessList', { data: '0x600354505f5ff3' })
    expect(accessList).toEqual([
      { address: expect.stringMatching(/^0x[0-9a-f]{40}$/), storageKeys: [slot(3)] },
    ])
  })

  test('of one that goes on and on is refused', async () => {
    const to = `0x${'bb'.repeat(20)}`
    // JUMPDEST, PUSH 0, JUMP.
    await result('hardhat_setCode', to, '0x5b5f56')
    const short = await result('eth_createAccessList', { to, gas: '0x10000' })
    expect(short).toMatchObject({ error: 'execution failed', gasUsed: '0x10000' })
    const { error } = await rpc('eth_createAccessList', { to, gas: '0x1e8481' })
    expect(error).toMatchObject({ code: -32000, message: expect.stringContaining('2000000 gas') })
  })

  test('of a transfer is empty', async () => {
    const [from, to] = (await result('eth_accounts')) as string[]
    const listed = await result('eth_createAccessList', { from, to, value: '0x1' })
    expect(listed).toEqual({ accessList: [], gasUsed: '0x5208' })
  })

  test.each([[[]], [[null]], [[7]], [[[]]], [[{ to: 'x' }]], [[{ to: CALLER }, 'newest']]])(
    'of %j is refused',
    async (params) => {
      expect((await rpc('eth_createAccessList', ...params)).error.code).toBe(-32602)
    },
  )
})

test.each([['eth_simulateV1'], ['trace_block'], ['txpool_content']])(
  '%s is a method it does not have',
  async (method) => {
    const message = `the method ${method} does not exist/is not available`
    expect((await rpc(method, {})).error).toEqual({ code: -32601, message })
  },
)

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
async function rpc(method: string, ...params: unknown[]): Promise<any> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return (await fetch(chain.url, { method: 'POST', body })).json()
}

async function result(method: string, ...params: unknown[]) {
  return (await rpc(method, ...params)).result
}

function send(transaction: Record<string, string | undefined>): Promise<string> {
  return result('eth_sendTransaction', transaction)
}
