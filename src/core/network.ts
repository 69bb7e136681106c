import type { VerifyMode } from './chain/proof/verify-forms.ts'
import type { MethodRules } from './rpc/method-access.ts'

export type NetworkKind = 'evm' | 'solana'

/**
 * One node or vendor endpoint of a network. `url` may hold credentials: it never leaves the
 * upstream room.
 */
export type UpstreamSpec = {
  name: string
  url: string
  ws?: string
  headers?: Record<string, string>
  /** Lower is preferred; others are used when none of a lower number can be. */
  priority: number
  /** It serves debug_* or trace_*. */
  traces: boolean
  concurrencyMax: number
  /** Calls sent in one upstream batch; 0 sends each alone. */
  batchMax: number
  /** How long one attempt may take until its answer begins. */
  timeoutMs: number
  /** A private relay: it gets transactions, and nothing else is ever asked of it. */
  sendsOnly?: boolean
  /** Absent: calls there cost nothing, and there are no limits of ours. */
  budget?: UpstreamBudget
}

export type UpstreamBudget = {
  /** Upstreams of one account share its limits. */
  account: string
  /** Null: no limit. */
  requestsPerSecond: number | null
  /** From one reset day to the next; null: no limit. */
  creditsPerMonth: number | null
  /** By method; `default` is for all others. */
  credits: Readonly<Record<string, number>>
  /** Day of the month, in UTC; the last day of a month that is shorter. */
  resetDay: number
}

/** Reads that several upstreams are asked for: so many at once, so many of whom must agree. */
export type QuorumRule = { methods: readonly string[]; of: number; agree: number }

export type Network = {
  id: string
  slug: string
  kind: NetworkKind
  /** EVM: checked against eth_chainId. */
  chainId?: number
  /** Solana: checked against getGenesisHash. */
  genesisHash?: string
  blockTimeMs: number
  headPollMs: number
  /** Further behind the others than this, an upstream is not used. */
  headLagMsMax: number
  /** Blocks below the head that count as final; absent: the node's `finalized` tag decides. */
  finalityDepth?: number
  /** Blocks of one eth_getLogs that is asked for in pieces. */
  logBlocksMax?: number
  /** EVM: whether blocks are proven by their hash; absent: where the form of the chain is known. */
  verify?: VerifyMode
  methods?: MethodRules
  quorum?: QuorumRule
  /** Upstreams that a signed transaction is sent to at once; absent: one. */
  broadcast?: number
  /** A network of local development, which its own callers may control. */
  isLocal?: boolean
  upstreams: readonly UpstreamSpec[]
}

/** `ETH_MAINNET` is addressed as `eth-mainnet` unless configuration says otherwise. */
export function defaultSlug(networkId: string): string {
  return networkId.toLowerCase().replaceAll('_', '-')
}
