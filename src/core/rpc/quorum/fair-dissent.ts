import type { NetworkKind } from '../../network.ts'
import type { Method } from '../method-registry.ts'

/** All that tells whether an answer unlike the others' can be held against its node. */
export type DissentFacts = {
  kind: NetworkKind
  method: Method
  /** The result is null, which says no more than that the node has not got it. */
  isNull: boolean
  /** The highest block that the call speaks of; null where that is not known. */
  height: number | null
  finalized: number | null
  /** The node's own head, before and after the call, was the one that is agreed on. */
  standsAtHead: boolean
  nodeHeight: number | null
  /** Solana: the slot of the answer, and those of the answers that are alike. */
  slot: string | null
  agreedSlots: readonly (string | null)[]
}

/** So far below its head no block is exchanged by an everyday reorganisation. */
const SETTLED_BLOCKS = 8

/** Solana's answers of the past, which stay as they are wherever a node stands. */
const OF_THE_PAST: readonly string[] = ['getBlock', 'getBlockTime', 'getTransaction']

/**
 * True when an honest node cannot have given another answer than those that agree. Nodes stand
 * at different heads and forks for a moment, and that is no lie.
 */
export function isFairDissent(facts: DissentFacts): boolean {
  if (facts.isNull) return false
  const { depends, name } = facts.method
  if (depends === 'network' || depends === 'block_hash') return true
  if (facts.kind === 'solana') {
    if (facts.slot === null) return OF_THE_PAST.includes(name)
    return facts.agreedSlots.includes(facts.slot)
  }
  const { height, finalized, nodeHeight } = facts
  if (facts.standsAtHead) return true
  if (height === null || nodeHeight === null) return false
  return (finalized !== null && height <= finalized) || nodeHeight - height >= SETTLED_BLOCKS
}
