import { isHash32, quantityToNumber } from '../hex.ts'
import type { Method } from './method-registry.ts'

/** The chain as far as it is known and agreed on. */
export type HeadView = { number: number; hash: string; finalized: number | null }

/**
 * The time that an answer may be cached. `head`: until the head changes.
 * `immutable_if_filled`: for good, but not when it is null or an empty list, since
 * a node that is still indexing says the same. `immutable_if_final`: for good once
 * the block it names is final, else until the head changes.
 */
export type CachePolicy =
  | 'never'
  | 'head'
  | 'immutable'
  | 'immutable_if_filled'
  | 'immutable_if_final'

type BlockRef =
  | { kind: 'height'; height: number }
  | { kind: 'hash' }
  | { kind: 'moving' }
  | { kind: 'unclear' }

/** Decides before the call runs; `policyForResult` has the last word when its answer is there. */
export function cachePolicy(
  method: Method,
  params: readonly unknown[],
  head: HeadView | null,
): CachePolicy {
  const { depends } = method
  if (depends === 'uncacheable') return 'never'
  if (depends === 'network') return 'immutable'
  if (depends === 'head') return head ? 'head' : 'never'
  if (depends === 'block_hash') return isHash32(params[0]) ? 'immutable_if_filled' : 'never'
  if (depends === 'transaction') return head && isHash32(params[0]) ? 'immutable_if_final' : 'never'
  if (depends !== 'logs' && isLatest(params[depends.blockAt])) return head ? 'head' : 'never'
  const refs = depends === 'logs' ? logRefs(params[0]) : [blockRef(params[depends.blockAt])]
  return policyByRefs(refs, head)
}

/** The highest block a call needs its node to have; null when it names none. */
export function heightWanted(method: Method, params: readonly unknown[]): number | null {
  const { depends } = method
  if (typeof depends === 'object') {
    if (isLatest(params[depends.blockAt])) return null
    const ref = blockRef(params[depends.blockAt])
    return ref.kind === 'height' ? ref.height : null
  }
  if (depends !== 'logs') return null
  const heights = logRefs(params[0]).map((ref) => (ref.kind === 'height' ? ref.height : 0))
  const highest = Math.max(0, ...heights)
  return highest > 0 ? highest : null
}

export function policyForResult(
  policy: CachePolicy,
  value: unknown,
  head: HeadView | null,
): CachePolicy {
  if (policy === 'never' || policy === 'head' || policy === 'immutable') return policy
  const empty = value === null || value === '' || (Array.isArray(value) && value.length === 0)
  if (policy === 'immutable_if_filled') return empty ? 'never' : 'immutable'
  if (empty) return 'never'
  const height = quantityToNumber((value as Record<string, unknown>).blockNumber)
  if (height === null) return 'never'
  return head !== null && head.finalized !== null && height <= head.finalized ? 'immutable' : 'head'
}

/** Hot path: what most calls say, decided without looking further. */
function isLatest(param: unknown): boolean {
  return param === undefined || param === 'latest'
}

function policyByRefs(refs: readonly BlockRef[], head: HeadView | null): CachePolicy {
  if (refs.some((ref) => ref.kind === 'unclear')) return 'never'
  if (refs.every((ref) => ref.kind === 'hash')) return 'immutable_if_filled'
  if (head === null) return 'never'
  const heights = refs.map((ref) => (ref.kind === 'height' ? ref.height : 0))
  const highest = Math.max(...heights)
  // Nothing is known of a block that is not there yet, not even that it is missing.
  if (highest > head.number) return 'never'
  const fixed = refs.every((ref) => ref.kind === 'height')
  if (fixed && head.finalized !== null && highest <= head.finalized) return 'immutable_if_filled'
  return 'head'
}

function logRefs(filter: unknown): BlockRef[] {
  if (typeof filter !== 'object' || filter === null) return [{ kind: 'unclear' }]
  const { blockHash, fromBlock, toBlock } = filter as Record<string, unknown>
  if (blockHash !== undefined) return [isHash32(blockHash) ? { kind: 'hash' } : { kind: 'unclear' }]
  return [blockRef(fromBlock), blockRef(toBlock)]
}

function blockRef(param: unknown): BlockRef {
  if (param === undefined || param === null) return { kind: 'moving' }
  if (param === 'latest' || param === 'safe' || param === 'finalized') return { kind: 'moving' }
  if (param === 'earliest') return { kind: 'height', height: 0 }
  if (isHash32(param)) return { kind: 'hash' }
  if (typeof param === 'object') {
    const { blockHash, blockNumber, requireCanonical } = param as Record<string, unknown>
    // Whether a block still counts may change with the next one.
    if (requireCanonical) return { kind: 'unclear' }
    if (isHash32(blockHash)) return { kind: 'hash' }
    return blockNumber === undefined ? { kind: 'unclear' } : blockRef(blockNumber)
  }
  const height = quantityToNumber(param)
  return height === null ? { kind: 'unclear' } : { kind: 'height', height }
}
