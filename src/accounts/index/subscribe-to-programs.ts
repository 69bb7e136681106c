import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { nextUpstream } from '../../upstream/subscription/next-upstream.ts'
import {
  openUpstreamSubscription,
  type UpstreamSubscription,
  type UpstreamSubscriptionNeeds,
} from '../../upstream/subscription/upstream-subscription.ts'
import { type IndexListener, type IndexSession, openIndexSession } from './account-index-session.ts'

export type ProgramSubscription = UpstreamSubscription<IndexSession>

/** From dialling to the first clock. */
const HANDSHAKE_MS_MAX = 15_000

/** The largest account has 10 MiB of data, a third more in base64. */
const MESSAGE_CHARS_MAX = 16 * 1024 * 1024

/** Hears of the programs' changes from one upstream, and from the next one when it fails. */
export function subscribeToPrograms(
  needs: UpstreamSubscriptionNeeds,
  service: NetworkService,
  programs: readonly Uint8Array[],
  listener: IndexListener,
): ProgramSubscription {
  const headSlot = () => service.pool.selection.head?.number ?? 0
  return openUpstreamSubscription(needs, {
    network: service.network.id,
    logEvent: 'account_index_socket',
    handshakeMsMax: HANDSHAKE_MS_MAX,
    messageCharsMax: MESSAGE_CHARS_MAX,
    nextUpstream: (previous) => nextUpstream(service.pool.selection, previous),
    openSession: (connection) =>
      openIndexSession({ ...needs, headSlot }, connection, programs, listener),
  })
}
