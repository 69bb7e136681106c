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
  /** Calls in flight at once. */
  concurrencyMax: number
  /** Calls sent in one upstream batch; 0 sends each alone. */
  batchMax: number
  /** How long one attempt may take until its answer begins. */
  timeoutMs: number
}

export type Network = {
  id: string
  slug: string
  kind: NetworkKind
  /** EVM: checked against eth_chainId. */
  chainId?: number
  /** Solana: checked against getGenesisHash. */
  genesisHash?: string
  blockTimeMs: number
  /** How often each upstream is asked for its head. */
  headPollMs: number
  /** Further behind the others than this, an upstream is not used. */
  headLagMsMax: number
  /** Blocks below the head that count as final; absent: the node's `finalized` tag decides. */
  finalityDepth?: number
  /** EVM: whether blocks are proven by their hash; absent: where the form of the chain is known. */
  verify?: VerifyMode
  /** Methods that are served beyond the usual ones, or are not served. */
  methods?: MethodRules
  /** A network of local development, which its own callers may control. */
  isLocal?: boolean
  upstreams: readonly UpstreamSpec[]
}

/** `ETH_MAINNET` is addressed as `eth-mainnet` unless configuration says otherwise. */
export function defaultSlug(networkId: string): string {
  return networkId.toLowerCase().replaceAll('_', '-')
}
