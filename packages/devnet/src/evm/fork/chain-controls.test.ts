import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parseEther } from 'viem'
import { until } from '../../../../../tests/support/basics/until.ts'
import { FIRST, forkableCalls, SECOND } from '../../../../../tests/support/devnet/forkable-calls.ts'
import { systemClock } from '../../clock.ts'
import { type EvmChain, startEvmChain } from '../evm-chain.ts'

const clock = systemClock()
let process: EvmChain
let chain: ReturnType<typeof forkableCalls>

beforeAll(async () => {
  process = await startEvmChain({ clock, blockTimeMs: 0 })
  chain = forkableCalls(process)
})
afterAll(() => process.stop())

describe('the state of the chain', () => {
  test('is bounded: 64 heights, and 256 replaced blocks', async () => {
    await chain.mine(100)
    for (let round = 0; round < 10; round++) await chain.reorganise({ depth: 32 })
    const { blocks, head } = await chain.state()
    const shown = blocks.filter(({ replacedAtMs }) => replacedAtMs === null)
    expect(shown).toHaveLength(64)
    expect(shown.at(-1)?.hash).toBe(head.hash)
    expect(blocks.length - shown.length).toBeLessThanOrEqual(256)
    expect(blocks.length - shown.length).toBeGreaterThan(200)
  })

  test('shows that mining by time is held, and goes on', async () => {
    const started = await startEvmChain({ clock, blockTimeMs: 20 })
    const live = forkableCalls(started)
    await until(async () => (await live.state()).head.number > 0, 'a block has come')
    const held = await live.change({ isHeld: true })
    expect(held).toMatchObject({ isHeld: true, blockTimeMs: 20 })
    const mined = await live.mine(2)
    expect(mined.head.number).toBe(held.head.number + 2)
    expect((await live.change({ isHeld: false })).isHeld).toBe(false)
    const { number } = mined.head
    await until(async () => (await live.state()).head.number > number, 'blocks come again')
    await started.stop()
  })

  test.each([
    ['a number', [50_000], 50_000],
    ['a range', [[40_000, 60_000]], 50_000],
    ['none', [0], 0],
  ])('has the interval that was set: %s', async (_title, params, blockTimeMs) => {
    expect(await chain.call<boolean>('evm_setIntervalMining', params)).toBe(true)
    expect((await chain.state()).blockTimeMs).toBe(blockTimeMs)
    await chain.call('evm_setIntervalMining', [0])
  })
})

describe('a sample', () => {
  test('is a transfer from the first test account', async () => {
    const sent = await chain.sendSample({})
    expect(sent).toMatchObject({ from: FIRST, to: SECOND, contract: null })
    expect(sent.state.pendingTransactions).toBeGreaterThan(0)
    await chain.mine(1)
    expect(await chain.call<object>('eth_getTransactionByHash', [sent.transactionHash])).toEqual(
      expect.objectContaining({ to: SECOND, value: `0x${parseEther('1').toString(16)}` }),
    )
  })

  test('is an event as a token emits it', async () => {
    const to = `0x${'ab'.repeat(20)}`
    const sent = await chain.sendSample({ kind: 'log', to, value: '42' })
    await chain.mine(1)
    const receipt = await chain.receiptOf(sent.transactionHash)
    expect(receipt?.logs).toMatchObject([
      {
        address: sent.contract ?? '',
        topics: [
          '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
          `0x${'0'.repeat(24)}${FIRST.slice(2)}`,
          `0x${'0'.repeat(24)}${'ab'.repeat(20)}`,
        ],
        data: `0x${'2a'.padStart(64, '0')}`,
      },
    ])
  })

  test('is refused in the words of the chain', async () => {
    const value = (10n ** 30n).toString()
    await expect(chain.sendSample({ value })).rejects.toThrow("doesn't have enough funds")
  })
})

describe('hostile parameters', () => {
  test.each([
    ['headgate_reorganise', [{ depth: 1_000_000 }]],
    ['headgate_drop', [{ height: 1e9 }]],
    ['headgate_send', [{ value: '9'.repeat(78) }]],
    ['evm_setIntervalMining', []],
    ['evm_setIntervalMining', [-1]],
    ['evm_setIntervalMining', [1.5]],
    ['evm_setIntervalMining', ['0x5']],
    ['evm_setIntervalMining', [[10, 5]]],
    ['evm_setIntervalMining', [[0, 5]]],
    ['evm_setIntervalMining', [2 ** 40]],
    ['evm_revert', []],
    ['evm_revert', ['x']],
    ['evm_revert', [{}]],
    ['evm_snapshot', [1]],
    ['hardhat_mine', ['x']],
    ['hardhat_mine', [{}, []]],
    ['hardhat_mine', ['0x2', '0xffffffffffffffff']],
    ['hardhat_mine', ['0xc351']],
    ['evm_setAutomine', ['yes']],
    ['evm_mine', ['yesterday']],
  ])('%s %j is refused and leaves the chain well', async (method, params) => {
    await expect(chain.call(method, params)).rejects.toThrow()
    const { head } = await chain.mine(2)
    expect((await chain.reorganise({ depth: 1 })).head.number).toBe(head.number + 1)
  })
})
