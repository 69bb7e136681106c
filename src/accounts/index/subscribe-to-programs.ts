import type { Clock } from '../../ports/clock.ts'
import type { Sockets } from '../../ports/sockets.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import type { Upstream } from '../../upstream/node/upstream.ts'
import {
  openUpstreamSubscription,
  type UpstreamSubscription,
} from '../../upstream/subscription/upstream-subscription.ts'
import { type IndexListener, type IndexSession, openIndexSession } from './account-index-session.ts'

type Needs = { clock: Clock; sockets: Sockets; telemetry: Telemetry }

export type ProgramSubscription = UpstreamSubscription<IndexSession>

/** From dialling to the first clock. */
const HANDSHAKE_MS_MAX = 15_000

/** The largest account has 10 MiB of data, a third more in base64. */
const MESSAGE_CHARS_MAX = 16 * 1024 * 1024

/** Hears of the programs' changes from one upstream, and from the next one when it fails. */
export function subscribeToPrograms(
  needs: Needs,
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
    nextUpstream: (previous) => nextUpstream(service, previous),
    openSession: (connection) =>
      openIndexSession({ ...needs, headSlot }, connection, programs, listener),
  })
}

/** The next one after the last, those in use first; the same again when there is no other. */
function nextUpstream({ pool }: NetworkService, last: Upstream | null): Upstream | null {
  const { upstreams, stateOf } = pool.selection
  const able = upstreams.filter(({ spec, chain }) => spec.ws !== undefined && chain !== 'wrong')
  const used = able.filter((upstream) => stateOf.get(upstream) === 'used')
  const choice = used.length > 0 ? used : able
  const at = last === null ? -1 : choice.indexOf(last)
  return choice[(at + 1) % choice.length] ?? null
}
