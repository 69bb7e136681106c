import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { until } from '../../../../../tests/support/basics/until.ts'
import {
  canonical,
  FIRST,
  forkableCalls,
  SECOND,
} from '../../../../../tests/support/devnet/forkable-calls.ts'
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

describe('a reorganisation', () => {
  test('replaces the last blocks by one more, with other hashes from the fork point on', async () => {
    const before = await chain.mine(6)
    const after = await chain.reorganise({ depth: 3 })
    expect(after.head.number).toBe(before.head.number + 1)
    const [was, is] = [canonical(before), canonical(after)]
    const fork = before.head.number - 3
    for (const [height, hash] of was) {
      if (height <= fork) expect(is.get(height)).toBe(hash)
      else expect(is.get(height)).not.toBe(hash)
    }
    const replaced = after.blocks.filter((block) => block.replacedAtMs !== null)
    expect(replaced.map(({ hash }) => hash)).toEqual(
      [...was].filter(([height]) => height > fork).map(([, hash]) => hash),
    )
    await chain.expectLinked(after)
  })

  test('works many times in a row, each time with hashes that were never there', async () => {
    await chain.mine(40)
    const seen = new Set<string>()
    for (const depth of [1, 1, 2, 32, 32, 5, 1]) {
      const { blocks, head } = await chain.reorganise({ depth })
      for (const { number, hash, replacedAtMs } of blocks) {
        if (replacedAtMs !== null || number < head.number - depth) continue
        expect(seen.has(hash)).toBe(false)
        seen.add(hash)
      }
    }
    await chain.expectLinked(await chain.state())
  })

  test('works on blocks that came by time, by hardhat_mine and with their transactions', async () => {
    const started = await startEvmChain({ clock, blockTimeMs: 20 })
    const live = forkableCalls(started)
    const height = async () => (await live.state()).head.number
    await until(async () => (await height()) >= 5, 'some blocks have come')
    const { head } = await live.reorganise({ depth: 4 })
    await until(async () => (await height()) >= head.number + 3, 'blocks go on')
    await live.reorganise({ depth: 3 })

    await live.change({ isHeld: true })
    await live.call('hardhat_mine', ['0x64', '0x3c'])
    await live.expectLinked(await live.state())
    await live.reorganise({ depth: 32 })
    await live.call('evm_setAutomine', [true])
    for (let sent = 0; sent < 3; sent++) await live.send()
    const { blocks } = await live.reorganise({ depth: 3 })
    const now = blocks.filter(({ replacedAtMs }) => replacedAtMs === null).slice(-4)
    expect(now.map(({ transactions }) => transactions)).toEqual([1, 1, 1, 0])
    expect(await live.call<boolean>('hardhat_getAutomine')).toBe(true)
    await started.stop()
  })

  test('mines transactions of the replaced blocks again, each at its height', async () => {
    const wallet = await chain.fundedWallet()
    await chain.mine(1)
    const owned = await chain.send()
    await chain.mine(1)
    const later = await chain.send()
    const signed = await wallet.sendTransaction({ to: SECOND, value: 1n })
    await chain.mine(1)
    const { head } = await chain.reorganise({ depth: 2 })
    const receipts = await Promise.all([owned, later, signed].map(chain.receiptOf))
    expect(receipts.map((receipt) => head.number - Number(receipt?.blockNumber))).toEqual([2, 1, 1])
    for (const receipt of receipts) expect(receipt?.status).toBe('0x1')
  })

  test('drops them where that is wanted, and keeps those that were waiting', async () => {
    await chain.mine(1)
    const gone = await chain.send(FIRST)
    await chain.mine(1)
    const waiting = await chain.send(SECOND)
    await chain.reorganise({ depth: 1, transactions: 'drop' })
    expect(await chain.receiptOf(gone)).toBeNull()
    expect(await chain.call<null>('eth_getTransactionByHash', [gone])).toBeNull()
    expect((await chain.receiptOf(waiting))?.status).toBe('0x1')
  })

  test('takes as many blocks as are wanted, more than it replaces', async () => {
    const before = await chain.mine(3)
    const after = await chain.reorganise({ depth: 2, blocks: 9 })
    expect(after.head.number).toBe(before.head.number + 7)
  })

  test('leaves the clock of the blocks as it was', async () => {
    await chain.call('evm_increaseTime', [3600])
    const before = await chain.mine(40)
    for (let round = 0; round < 3; round++) await chain.reorganise({ depth: 30 })
    const after = await chain.mine(1)
    const passedMs = (after.blocks.at(-1)?.timeMs ?? 0) - (before.blocks.at(-1)?.timeMs ?? 0)
    expect(passedMs).toBeGreaterThanOrEqual(0)
    expect(passedMs).toBeLessThan(600_000)
  })

  test('is refused when the chain is too short, which changes nothing', async () => {
    const started = await startEvmChain({ clock, blockTimeMs: 0 })
    const short = forkableCalls(started)
    await expect(short.reorganise({ depth: 1 })).rejects.toThrow('has 0 blocks after its first')
    await short.mine(1)
    const { head } = await short.reorganise({ depth: 1 })
    expect(head.number).toBe(2)
    await expect(short.reorganise({ depth: 3 })).rejects.toThrow('has 2 blocks after its first')
    expect((await short.state()).head).toEqual(head)
    await started.stop()
  })

  test('is seen whole or not at all by those who ask meanwhile', async () => {
    const before = await chain.mine(10)
    let isOver = false
    const hashes = new Set<string>()
    const watch = async () => {
      while (!isOver) hashes.add((await chain.latest()).hash)
    }
    const watching = Promise.all([watch(), watch(), watch()])
    const after = await chain.reorganise({ depth: 10, blocks: 100 })
    isOver = true
    await watching
    const whole = [before.head.hash, after.head.hash]
    expect([...hashes].filter((hash) => !whole.includes(hash))).toEqual([])
    expect(hashes.size).toBeGreaterThan(0)
  })
})

describe('snapshots of users', () => {
  test('count those of users alone, whatever happens between', async () => {
    const started = await startEvmChain({ clock, blockTimeMs: 0 })
    const { call, state } = forkableCalls(started)
    expect(await call<string>('evm_snapshot')).toBe('0x1')
    await call('hardhat_mine', ['0x5'])
    expect(await call<string>('evm_snapshot')).toBe('0x2')
    expect(await call<boolean>('evm_revert', ['0x3'])).toBe(false)
    expect(await call<boolean>('evm_revert', ['0x1'])).toBe(true)
    expect(await call<boolean>('evm_revert', ['0x2'])).toBe(false)
    expect(await call<string>('evm_snapshot')).toBe('0x3')
    expect((await state()).head.number).toBe(0)
    await started.stop()
  })

  test('survive a reorganisation at and below the fork point, and end above it', async () => {
    const { call, mine, state } = chain
    await mine(1)
    const below = await call('evm_snapshot')
    const { head } = await mine(2)
    const at = await call('evm_snapshot')
    await mine(2)
    const above = await call('evm_snapshot')
    await chain.reorganise({ depth: 2 })

    expect(await call<boolean>('evm_revert', [above])).toBe(false)
    expect(await call<boolean>('evm_revert', [at])).toBe(true)
    expect((await state()).head).toEqual(head)
    expect(await call<boolean>('evm_revert', [below])).toBe(true)
    expect((await state()).head.number).toBe(head.number - 2)
    await mine(2)
    await chain.reorganise({ depth: 2 })
  })

  test('show the blocks that a return has left behind', async () => {
    const snapshot = await chain.call('evm_snapshot')
    const { head } = await chain.mine(2)
    await chain.call('evm_revert', [snapshot])
    const now = await chain.state()
    expect(now.head.number).toBe(head.number - 2)
    const left = now.blocks.find(({ hash }) => hash === head.hash)
    expect(left?.replacedAtMs).toBeGreaterThan(0)
  })
})
