import { assembleBlock } from '../../src/core/chain/assemble-block.ts'
import type { Block } from '../../src/core/chain/block.ts'
import { quirksOf } from '../../src/core/chain/quirks.ts'
import type { MadeBlock } from './block-maker.ts'

/** The block that a node's answers make, all of it that they tell. */
export function assembled({ block, receipts, traces }: MadeBlock, chainId = 1): Block {
  const expected = { number: Number(block.number), hash: block.hash }
  const wants = { transactions: true, receipts: true, traces: traces.length > 0 }
  const whole = assembleBlock({ expected, wants, block, receipts, traces }, quirksOf(chainId))
  if (typeof whole === 'string') throw new Error(whole)
  return whole
}
