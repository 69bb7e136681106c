import { wholeWants } from '../../core/chain/assemble-block.ts'
import type { Block, BlockWants } from '../../core/chain/block.ts'
import type { BlockRef } from '../../core/chain/checks.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { NetworkService } from '../answers/ask-network.ts'
import { provesBlocks } from '../answers/block-verifying.ts'
import { noteFault, type Upstream } from '../node/upstream.ts'

type Needs = {
  service: Pick<NetworkService, 'pool' | 'network' | 'verifying'>
  telemetry: Telemetry
}

type Unproven = { reason: string; unknownForm: Block | null }

/** The search for a block, as far as those go that could not be proven. */
type Search = {
  ref: BlockRef
  unknownForms: UnknownForms
}

/** Upstreams that show a block in a form that is unknown, with it and what is unknown. */
export type UnknownForms = Map<Upstream, { block: Block; reason: string }>

/** The parts to be read of a block: where it is proven, its transactions in any case. */
export function provableWants(service: Needs['service'], wants: BlockWants): BlockWants {
  return wholeWants(provesBlocks(service) ? { ...wants, transactions: true } : wants)
}

/** The upstream's block is not what its hash stands for, as far as can be told. */
export function noteUnproven(
  { service, telemetry }: Needs,
  upstream: Upstream,
  number: number,
  { reason }: Unproven,
): void {
  const labels = { network: service.network.id, upstream: upstream.spec.name }
  noteFault(upstream, `block ${number} not proven: ${reason}`, service.pool.clock.monotonicMs())
  telemetry.log('warn', 'block_not_proven', { ...labels, number, reason })
  telemetry.count('headgate_block_proof_failures_total', labels)
}

/**
 * A fork of the chain adds something that this version cannot encode. One node could make that
 * up to be believed without a proof: so it takes more than half of all upstreams, and a network
 * that does not insist. Null where the block is to be waited for.
 */
export function acceptedUnproven(
  { service, telemetry }: Needs,
  { ref: { number }, unknownForms }: Search,
): Block | null {
  const { pool, verifying, network } = service
  const all = pool.selection.upstreams.filter(({ chain }) => chain !== 'wrong').length
  const [shown] = unknownForms.values()
  if (verifying.mode !== 'auto' || !shown || unknownForms.size * 2 <= all) return null
  const { block, reason } = shown
  verifying.unproven = { number, reason }
  telemetry.log('error', 'block_accepted_unproven', { network: network.id, number, reason })
  telemetry.count('headgate_blocks_unproven_total', { network: network.id })
  return block
}
