import { wholeWants } from '../../core/chain/assemble-block.ts'
import type { Block, BlockWants } from '../../core/chain/block.ts'
import type { BlockRef } from '../../core/chain/checks.ts'
import { contentDigest } from '../../core/chain/proof/content-digest.ts'
import type { NetworkService } from '../answers/ask-network.ts'
import { provesBlocks } from '../answers/block-verifying.ts'
import { noteBlockRead } from '../node/active-health.ts'
import { noteFault, type Upstream } from '../node/upstream.ts'
import { electorate } from './voters.ts'

type Search = {
  service: NetworkService
  ref: BlockRef
  wants: BlockWants
  unknownForms: UnknownForms
}

export type UnknownForms = Map<Upstream, { block: Block; reason: string; digest: string }>

/** The parts to be read of a block: where it is proven, its transactions in any case. */
export function provableWants(service: NetworkService, wants: BlockWants): BlockWants {
  return wholeWants(provesBlocks(service) ? { ...wants, transactions: true } : wants)
}

export function noteUnproven(
  { network, pool, telemetry }: NetworkService,
  upstream: Upstream,
  number: number,
  reason: string,
): void {
  const labels = { network: network.id, upstream: upstream.spec.name }
  const nowMs = pool.clock.monotonicMs()
  noteFault(upstream, `block ${number} not proven: ${reason}`, nowMs)
  noteBlockRead(upstream.activeHealth, false, nowMs)
  telemetry.log('warn', 'block_not_proven', { ...labels, number, reason })
  telemetry.count('headgate_block_proof_failures_total', labels)
}

/**
 * Notes a block whose form this version does not know, as after a fork. A single node could
 * invent such a form to be believed without a proof. So the block is returned only when more than
 * half of the upstreams that count show the same content, and null otherwise.
 */
export function noteUnknownForm(
  { service, ref: { number }, wants, unknownForms }: Search,
  upstream: Upstream,
  { block, reason }: { block: Block; reason: string },
): Block | null {
  const { verifying, network, telemetry } = service
  const digest = contentDigest(block)
  unknownForms.set(upstream, { block, reason, digest })
  const all = electorate(service)
  const agreeing = all.filter((one) => unknownForms.get(one)?.digest === digest)
  const blocks = agreeing.map((one) => unknownForms.get(one)?.block)
  const accepted = blocks.find((one) => one?.has.traces === wants.traces)
  if (!accepted || agreeing.length * 2 <= all.length) return null

  for (const one of agreeing) unknownForms.delete(one)
  verifying.unproven = { number, reason }
  telemetry.log('error', 'block_accepted_unproven', { network: network.id, number, reason })
  telemetry.count('headgate_blocks_unproven_total', { network: network.id })
  return accepted
}

/** Reports the upstreams whose block of unknown form was not accepted, when the search ends. */
export function reportUnknownForms({ service, ref, unknownForms }: Search): void {
  for (const [upstream, { reason }] of unknownForms) {
    noteUnproven(service, upstream, ref.number, reason)
  }
}
