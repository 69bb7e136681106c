import type { Proof, ProofParts } from '../core/chain/proof/prove-block.ts'

/** Proves blocks by their hashes; those that take long, beside the main thread. */
export type BlockProver = {
  prove(parts: ProofParts): Promise<Proof>
}
