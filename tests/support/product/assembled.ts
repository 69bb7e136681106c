import { assembleBlock, type BlockParts } from '../../../src/core/chain/assemble-block.ts'
import type { Block } from '../../../src/core/chain/block.ts'
import { checkPlausible } from '../../../src/core/chain/checks.ts'
import { openBloomBits } from '../../../src/core/chain/logs-bloom.ts'
import { type ChainQuirks, quirksOf } from '../../../src/core/chain/quirks.ts'
import type { MadeBlock } from '../blocks/block-maker.ts'

const bloomBits = openBloomBits()

/** The block that a node's answers make, all of it that they tell. */
export function assembled({ block, receipts, traces }: MadeBlock, chainId = 1): Block {
  const expected = { number: Number(block.number), hash: block.hash }
  const wants = { transactions: true, receipts: true, traces: traces.length > 0 }
  const whole = checkedBlock({ expected, wants, block, receipts, traces }, quirksOf(chainId))
  if (typeof whole === 'string') throw new Error(whole)
  return whole
}

/** The block on a network without proofs, or what is wrong with it. */
export function checkedBlock(parts: BlockParts, quirks: ChainQuirks): Block | string {
  const block = assembleBlock(parts, quirks)
  return typeof block === 'string' ? block : (checkPlausible(block, quirks, bloomBits) ?? block)
}
