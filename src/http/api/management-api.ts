import type { DevnetControl, SolanaDevnetControl } from '@headgate/devnet'
import type { Tier } from '../../core/billing/plan.ts'
import type { Rejection } from '../../core/errors.ts'
import type { Egress, EgressOutcome, EgressRequest } from '../../ports/egress.ts'
import type { World } from '../../ports/world.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import type { NetworkReport } from '../contract/contract.ts'
import type { CachedReply } from '../edge/cached-reply.ts'
import type { RequestBodies } from '../edge/request-bodies.ts'
import type { Inboxes } from '../inbox/inboxes.ts'
import type { CallLimits } from './call-limits.ts'
import type { EventHub } from './events/event-hub.ts'

/** The link that signs in where Headgate runs for its developer alone. */
export type LocalSignIn = {
  /** The SHA-256 of the part behind `#`. */
  secretHash: string
  teamId: string
}

/** A network as this process sees it. What is left out comes from the store, for all processes. */
export type NetworkState = Omit<NetworkReport, 'upstreams'> & {
  upstreams: readonly Omit<
    NetworkReport['upstreams'][number],
    'calls' | 'errors' | 'median_ms' | 'p99_ms' | 'share_percent' | 'hours'
  >[]
}

export type ManagementApi = World & {
  publicUrl: string
  /** A proxy in front says which address the client has asked. */
  trustProxy: boolean
  tokenHeaders: readonly string[]
  tiers: ReadonlyMap<string, Tier>
  networks(): readonly { id: string; slug: string }[]
  services(): readonly NetworkService[]
  networkReport(): Promise<readonly NetworkState[]>
  bodies: RequestBodies
  limits: CallLimits
  live: EventHub
  egress: Pick<Egress, 'vet'>
  attempt(request: Omit<EgressRequest, 'timeoutMs'>): Promise<EgressOutcome>
  /** There is no room for what makes the store grow. */
  isDiskLow(): boolean
  /** Tell other processes at once; without it they would find out by polling. */
  accountsChanged(): void
  webhooksChanged(webhookId?: string): void
  openApi: CachedReply
  /** Null outside of local development, where there is no route to its calls. */
  localSignIn: LocalSignIn | null
  local: {
    devnet: DevnetControl<Rejection>
    solanaDevnet: SolanaDevnetControl<Rejection>
    inboxes: Inboxes
  } | null
}
