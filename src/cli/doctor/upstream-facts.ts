import type { NetworkKind, UpstreamSpec } from '../../core/network.ts'

/** Whether a node has a method: `unknown` where it was not asked, or was too busy to say. */
export type Support = 'yes' | 'no' | 'failed' | 'unknown'

/** The largest that was accepted, and the smallest that was refused; null where none was. */
export type Bound = { accepted: number; refused: number | null }

/** The head of a node, and how old that block is by its own time. */
export type HeadFact = { number: number; ageMs: number | null }

/** Everything that was found out about one upstream. No address is in it. */
export type UpstreamFacts = {
  upstream: string
  kind: NetworkKind
  /** Why nothing else is known of it; null where it answers. */
  fault: string | null
  chain: string | null
  isChainRight: boolean
  head: HeadFact | null
  version: string | null
  finalized: number | null
  safe: number | null
  receipts: Support
  traces: { block: Support; transaction: Support; parity: Support }
  batch: Bound | null
  logs: (Bound & { isWholeChain: boolean }) | null
  /** Blocks back from the head of which it still has the state. */
  stateDepth: number | null
  isArchive: boolean
  /** `works`, `none` where no address is configured, or why it does not. */
  socket: string
  programAccounts: Support
  p50Ms: number | null
  throttled: number
  requests: number
}

export type UpstreamOptions = Pick<UpstreamSpec, 'batchMax' | 'traces'>

export function noFacts(upstream: string, kind: NetworkKind): UpstreamFacts {
  return {
    upstream,
    kind,
    fault: null,
    chain: null,
    isChainRight: true,
    head: null,
    version: null,
    finalized: null,
    safe: null,
    receipts: 'unknown',
    traces: { block: 'unknown', transaction: 'unknown', parity: 'unknown' },
    batch: null,
    logs: null,
    stateDepth: null,
    isArchive: false,
    socket: 'none',
    programAccounts: 'unknown',
    p50Ms: null,
    throttled: 0,
    requests: 0,
  }
}
