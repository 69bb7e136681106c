import { afterEach, expect, test } from 'bun:test'
import eachType from '../../../tests/support/proofs/each-type.json'
import { isQuickProof } from '../../core/chain/proof/is-quick-proof.ts'
import type { ProofParts } from '../../core/chain/proof/prove-block.ts'
import { openBlockProver } from './block-prover.ts'

const PARTS: ProofParts = {
  hash: eachType.block.hash,
  block: eachType.block,
  receipts: eachType.receipts,
  hasReceipts: true,
  hasTransactions: true,
  hasSenders: true,
}

const CHANGED = { ...PARTS, block: { ...eachType.block, gasUsed: '0x1' } }

let prover: ReturnType<typeof openBlockProver>
afterEach(() => prover.close())

test('a block that takes long is proven in a thread, and one that does not at once', async () => {
  prover = openBlockProver()
  expect(isQuickProof(PARTS)).toBe(false)
  const quick = { ...PARTS, hasSenders: false }
  expect(isQuickProof(quick)).toBe(true)
  const proofs = await Promise.all([PARTS, CHANGED, quick, PARTS].map(prover.prove))
  expect(proofs.map(({ kind }) => kind)).toEqual(['proven', 'refuted', 'proven', 'proven'])
})

test('a thread that ends leaves no block without a word, nor the next', async () => {
  prover = openBlockProver()
  const proving = prover.prove(PARTS)
  prover.close()
  expect(await proving).toEqual({ kind: 'proven' })
  expect((await prover.prove(CHANGED)).kind).toBe('refuted')
})
