import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../packages/devnet/src/clock.ts'
import { type EvmChain, startEvmChain } from '../../packages/devnet/src/evm/evm-chain.ts'
import { until } from '../support/basics/until.ts'
import { canonical, FIRST, forkableCalls } from '../support/devnet/forkable-calls.ts'

/** An account whose key nobody has. */
const NOBODY = `0x${'0'.repeat(37)}bee`

const folder = mkdtempSync(join(tmpdir(), 'headgate-renewed-'))
let process: EvmChain
let chain: ReturnType<typeof forkableCalls>

beforeAll(async () => {
  process = await startEvmChain({ clock: systemClock(), blockTimeMs: 0, folder })
  chain = forkableCalls(process)
})
afterAll(async () => {
  await process.stop()
  rmSync(folder, { recursive: true })
})

test('a chain that has mined thousands of blocks is begun anew at its head, unnoticed', async () => {
  await chain.call('hardhat_impersonateAccount', [NOBODY])
  await chain.call('hardhat_setBalance', [NOBODY, '0xde0b6b3a7640000'])
  const snapshot = await chain.call('evm_snapshot')
  await chain.call('hardhat_mine', ['0x1388'])
  await chain.call('evm_setIntervalMining', [20])
  const height = async () => (await chain.state()).head.number
  await until(async () => (await height()) > 5_003, 'blocks have come by time')
  // Nobody loses a snapshot by it.
  expect(await hasProofs()).toBe(true)
  await chain.call('evm_setIntervalMining', [0])
  expect(await chain.call<boolean>('evm_revert', [snapshot])).toBe(true)

  await chain.call('hardhat_mine', ['0x1388'])
  const before = canonical(await chain.state())
  const sent = [await chain.send(), await chain.send(NOBODY)]
  await chain.call('evm_setIntervalMining', [20])
  await until(async () => !(await hasProofs()), 'the chain has the archive for its past')
  for (const hash of sent) expect((await chain.receiptOf(hash))?.status).toBe('0x1')
  await until(async () => (await height()) > 5_005, 'blocks go on')
  await chain.call('evm_setIntervalMining', [0])
  expect((await chain.receiptOf(await sentAndMined(NOBODY)))?.status).toBe('0x1')
  for (const [number, hash] of [...before].slice(-20)) {
    const tag = `0x${number.toString(16)}`
    const block = await chain.call<{ hash: string }>('eth_getBlockByNumber', [tag, false])
    expect(block.hash).toBe(hash)
  }
  await chain.reorganise({ depth: 32 })
  await chain.expectLinked(await chain.state())
})

/** A chain tells the tree of its state until it is begun from the archive. */
async function hasProofs(): Promise<boolean> {
  const proof = chain.call('eth_getProof', [FIRST, [], 'latest'])
  return proof.then(
    () => true,
    () => false,
  )
}

async function sentAndMined(from: string): Promise<string> {
  const hash = await chain.send(from)
  await chain.mine(1)
  return hash
}
