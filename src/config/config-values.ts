import type { NetworkKind, UpstreamSpec } from '../core/network.ts'
import type { MethodRules } from '../core/rpc/method-access.ts'
import type { PriceOverrides } from '../core/rpc/methods.ts'
import type { EdgeValues } from './edge-schemas.ts'

type Role = 'gateway' | 'follower' | 'courier' | 'api'

/** One network as the file has it: what depends on other options is still to be worked out. */
export type NetworkValues = {
  id: string
  slug?: string
  kind: NetworkKind
  chainId?: number
  genesisHash?: string
  blockTimeMs?: number
  headPollMs?: number
  headLagMsMax: number
  finalityDepth?: number
  methods?: MethodRules
  upstreams: UpstreamSpec[]
}

export type TierValues = {
  monthlyCu: number | null
  cuPerSecond: number | null
  paid: boolean
  webhooksMax: number
  variableItemsMax: number
  undeliveredBytesMax: number
}

/** What passes CONFIG_SCHEMA, with its defaults. */
export type ConfigValues = EdgeValues & {
  listen: string
  publicUrl?: string
  domain?: string
  data: string
  database?: string
  nats?: string
  roles: Role[]
  secret?: string
  operatorToken?: string
  trustProxy: boolean
  demoKey: boolean
  log: { requests: boolean; format: 'auto' | 'json' | 'text' }
  networks?: NetworkValues[]
  tiers: Record<string, TierValues>
  prices: PriceOverrides
  cache: { maxBytes: number; latestMaxAgeMs: number }
  webhooks: { allowPrivateDestinations: boolean; timeoutMs: number; retryDelaysMs: number[] }
  programAccounts: {
    pageLimit: number
    defaultEncoding: 'json' | 'binary'
    pageKeyMs: number
    scansMax: number
    spillBytesMax: number
    index: string[]
  }
  devnet: { blockTimeMs: number; slotTimeMs: number }
}
