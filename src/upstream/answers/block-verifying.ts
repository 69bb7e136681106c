import type { Header } from '../../core/chain/block.ts'
import { headerIn } from '../../core/chain/header.ts'
import { proveBlock, proveHeader } from '../../core/chain/proof/prove-block.ts'
import { type Verifying, verifyingOf } from '../../core/chain/proof/verify-forms.ts'
import { isJsonObject } from '../../core/json/json-value.ts'
import type { Network } from '../../core/network.ts'
import type { BlockProver } from '../../ports/block-prover.ts'

export type BlockVerifying = Verifying & {
  prover: BlockProver
  /** The last block that most upstreams show in a form that cannot be proven, as after a fork. */
  unproven: { number: number; reason: string } | null
}

/** For tools that read few blocks, and for tests. */
const IN_THIS_THREAD: BlockProver = { prove: async (parts) => proveBlock(parts) }

export function openBlockVerifying(
  network: Network,
  prover: BlockProver = IN_THIS_THREAD,
): BlockVerifying {
  return { ...verifyingOf(network), prover, unproven: null }
}

export function provesBlocks({ verifying }: { verifying: Verifying }): boolean {
  return verifying.fallback === null
}

/** The header in a node's answer; null where there is none, or its hash is not made of it. */
export function verifiedHeader(service: { verifying: Verifying }, block: unknown): Header | null {
  const header = headerIn(block)
  if (!header || !isJsonObject(block) || !provesBlocks(service)) return header
  const { kind } = proveHeader(block, header.hash)
  // As after a fork of the chain; no block is taken on the word of one node.
  const isBelieved = kind === 'unknown_form' && service.verifying.mode === 'auto'
  return kind === 'proven' || isBelieved ? header : null
}
