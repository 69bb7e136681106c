import type { Sockets } from '../../ports/sockets.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { headInBlock } from '../node/node-head.ts'
import type { Selection } from '../pool/selection.ts'
import { openEvmSession } from '../subscription/evm-session.ts'
import {
  openUpstreamSubscription,
  type SubscriptionConnection,
  type SubscriptionSession,
} from '../subscription/upstream-subscription.ts'
import type { OpenHeadFeed } from './head-feed.ts'

/** From dialling to the subscription. */
const HANDSHAKE_MS_MAX = 10_000

/** Many times the longest header of any chain. */
const MESSAGE_CHARS_MAX = 1024 * 1024

/** A connection that announces nothing for this long while the chain moves on is dead. */
const SILENCE_MS_MIN = 30_000
const SILENCE_BLOCKS = 4

/**
 * Subscribes to new heads at each upstream that has a socket; returns how to stop. Polls go on
 * beside it, so that a socket that lies or sleeps delays a head and hides none.
 */
export function subscribeToHeads(
  telemetry: Telemetry,
  sockets: Sockets,
  selection: Selection,
  feed: OpenHeadFeed,
): () => void {
  const { clock, network } = selection
  const able = selection.upstreams.filter(
    ({ spec }) => network.kind === 'evm' && spec.ws !== undefined,
  )
  const subscriptions = able.map((upstream) =>
    openUpstreamSubscription(
      { clock, sockets, telemetry },
      {
        network: network.id,
        logEvent: 'head_socket',
        handshakeMsMax: HANDSHAKE_MS_MAX,
        messageCharsMax: MESSAGE_CHARS_MAX,
        nextUpstream: () => upstream,
        openSession: (connection) => openHeadSession(selection, feed, connection),
      },
    ),
  )
  return () => {
    for (const subscription of subscriptions) subscription.stop()
  }
}

function openHeadSession(
  { clock, network }: Selection,
  feed: OpenHeadFeed,
  connection: SubscriptionConnection,
): SubscriptionSession {
  const { upstream } = connection
  /** The upstream's head when this connection last announced one. */
  let headHash: string | undefined
  let missingSinceMs: number | null = null

  return openEvmSession(connection, {
    chainId: network.chainId,
    params: ['newHeads'],
    established() {
      headHash = upstream.head?.hash
    },
    notified(block) {
      const head = headInBlock(block, clock.nowMs())
      if (!head || head.parentHash === null) return false
      missingSinceMs = null
      feed.note(upstream, head, clock.monotonicMs())
      headHash = upstream.head?.hash
      return true
    },
    // A head that only polls saw is missing here. A chain without new blocks is no silence.
    checkSilence() {
      const nowMs = clock.monotonicMs()
      headHash ??= upstream.head?.hash
      if (upstream.head?.hash === headHash) return
      missingSinceMs ??= nowMs
      const silenceMs = Math.max(SILENCE_MS_MIN, network.blockTimeMs * SILENCE_BLOCKS)
      if (nowMs - missingSinceMs >= silenceMs) connection.end('silent')
    },
  })
}
