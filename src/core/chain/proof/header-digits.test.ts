import { expect, test } from 'bun:test'
import amsterdam from '../../../../tests/support/proofs/amsterdam.json'
import type { RawObject } from '../block.ts'
import { openBloomBits } from '../logs-bloom.ts'
import { headerDigits } from './header-digits.ts'
import { keccakDigits } from './keccak-digits.ts'
import { proveBlock, proveHeader } from './prove-block.ts'
import { receiptDigits } from './prove-receipts.ts'
import { trieRoot } from './trie-root.ts'

/** A block with a single transaction. */
const recorded = () => structuredClone(amsterdam.blocks.slice(0, 1))

const hashOf = (header: RawObject) => `0x${keccakDigits(headerDigits(header))}`

test('the hash covers the members that Amsterdam added', () => {
  for (const { block } of recorded()) {
    expect(hashOf(block)).toBe(block.hash)
    for (const member of ['slotNumber', 'blockAccessListHash']) {
      const { kind } = proveHeader({ ...block, [member]: undefined }, block.hash)
      expect(kind).toBe('refuted')
    }
  }
})

test('a member cannot be shown under the name of a later one', () => {
  for (const { block } of recorded()) {
    const { slotNumber: _, blockAccessListHash: __, ...prague } = block
    expect(proveHeader(prague, hashOf(prague)).kind).toBe('proven')
    const { requestsHash, ...rest } = prague
    const renamed = { ...rest, blockAccessListHash: requestsHash }
    expect(proveHeader(renamed, hashOf(prague)).kind).toBe('refuted')
  }
})

test('a block without blooms can be proven, as EIP-7668 would have it', () => {
  for (const { block, receipts } of recorded()) {
    for (const one of [block, ...receipts]) one.logsBloom = '0x'
    const digits = receipts.map((receipt) => receiptDigits(receipt, 2, openBloomBits()))
    block.receiptsRoot = `0x${trieRoot(digits)}`
    const parts = { block, receipts, hasReceipts: true, hasTransactions: true }
    const prove = (hash: string) => proveBlock({ ...parts, hash, hasSenders: true }).kind
    expect(prove(hashOf(block))).toBe('proven')
    expect(prove(block.hash)).toBe('refuted')
  }
})
