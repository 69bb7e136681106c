import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import { forkableCalls } from '../../../../../tests/support/devnet/forkable-calls.ts'
import { systemClock } from '../../clock.ts'
import { type EvmChain, startEvmChain } from '../evm-chain.ts'
import { CONTRACTS, contractCodes } from './contracts.ts'
import { encodeCall } from './encode-call.ts'

test('data of calls is encoded as libraries do', () => {
  const abi = parseAbi(['function f(address[] a, uint256 b, string c, bytes d, address e)'])
  const [first, second] = [`0x${'1a'.repeat(20)}`, `0x${'2b'.repeat(20)}`] as const
  const text = 'longer than the thirty-two bytes of a word'
  const wanted = encodeFunctionData({ abi, args: [[first, second], 7n, text, '0x', first] })
  const args = [{ list: [first, second] }, 7n, { text }, { bytes: '0x' }, first] as const
  expect(encodeCall(wanted.slice(0, 10), ...args)).toBe(wanted)
})

describe('the contracts', () => {
  let process: EvmChain
  let chain: ReturnType<typeof forkableCalls>

  beforeAll(async () => {
    process = await startEvmChain({ clock: systemClock(), blockTimeMs: 0 })
    chain = forkableCalls(process)
  })
  afterAll(() => process.stop())

  test('are there from the first block on, each at its address', async () => {
    const addresses = contractCodes().map(([address]) => address)
    expect(addresses.sort()).toEqual(Object.values(CONTRACTS).sort())
    for (const [address, code] of contractCodes()) {
      expect(address).toMatch(/^0xde7[0-9a-f]{37}$/)
      expect(await chain.call<string>('eth_getCode', [address, '0x0'])).toBe(`0x${code}`)
    }
  })

  test.each([
    [CONTRACTS.dollar, 'Harbour Dollar', 'HUSD', 6],
    [CONTRACTS.orchard, 'Orchard', 'ORCH', 18],
    [CONTRACTS.lantern, 'Lantern', 'LAMP', 18],
    [CONTRACTS.wrappedEther, 'Wrapped Ether', 'WETH', 18],
  ])('%s is %s', async (to, name, symbol, decimals) => {
    expect(await read(to, 'string', 'name')).toBe(name)
    expect(await read(to, 'string', 'symbol')).toBe(symbol)
    expect(await read(to, 'uint8', 'decimals')).toBe(decimals)
  })

  test('a pool knows its tokens', async () => {
    const { dollarEther, dollar, wrappedEther } = CONTRACTS
    expect(String(await read(dollarEther, 'address', 'token0')).toLowerCase()).toBe(dollar)
    expect(String(await read(dollarEther, 'address', 'token1')).toLowerCase()).toBe(wrappedEther)
  })

  async function read(to: string, type: string, name: string): Promise<unknown> {
    const abi = parseAbi([`function ${name}() view returns (${type})`] as readonly string[])
    const data = encodeFunctionData({ abi, functionName: name })
    const answer = await chain.call<`0x${string}`>('eth_call', [{ to, data }, 'latest'])
    return decodeFunctionResult({ abi, functionName: name, data: answer })
  }
})
