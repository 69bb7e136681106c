import type { Network } from '../../core/network.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Sockets } from '../../ports/sockets.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { Upstream } from '../node/upstream.ts'
import { withoutCredentials } from '../node/without-credentials.ts'
import type { OpenHeadFeed } from './head-feed.ts'
import { openHeadLine } from './head-line.ts'

type Needs = {
  clock: Clock
  sockets: Sockets
  telemetry: Telemetry
  network: Network
  feed: OpenHeadFeed
}

const RECONNECT_MS_MIN = 500
const RECONNECT_MS_MAX = 30_000

/**
 * Hears of new heads from each upstream that has a socket; returns how to stop. Polls go on
 * beside it, so that a socket that lies or sleeps delays a head and hides none.
 */
export function watchHeadSockets(needs: Needs, upstreams: readonly Upstream[]): () => void {
  const { network } = needs
  const stops = upstreams.flatMap((upstream) => {
    const { ws } = upstream.spec
    return network.kind === 'evm' && ws !== undefined ? [keepLine(needs, upstream, ws)] : []
  })
  return () => stops.forEach((stop) => void stop())
}

/** Keeps one upstream's line open, calling back later and later while it fails. */
function keepLine(needs: Needs, upstream: Upstream, address: string): () => void {
  const { clock, telemetry, network } = needs
  const request = withoutCredentials(address, upstream.spec.headers ?? {})
  let waitMs = RECONNECT_MS_MIN
  let stopped = false
  let told = ''
  let giveUp = () => {}

  /** A line that stays as it was is not worth a line in the log at every attempt. */
  const tell = (state: 'open' | 'lost', reason: string | null) => {
    if (told === state) return
    told = state
    const fields = { network: network.id, upstream: upstream.spec.name, state, reason }
    telemetry.log(state === 'open' ? 'info' : 'warn', 'head_socket', fields)
  }

  const connect = () => {
    const line = openHeadLine(needs, upstream, request, {
      subscribed: () => tell('open', null),
      ended(reason, proven) {
        if (stopped) return
        tell('lost', reason)
        if (proven) waitMs = RECONNECT_MS_MIN
        giveUp = clock.after(waitMs, connect)
        waitMs = Math.min(RECONNECT_MS_MAX, waitMs * 2)
      },
    })
    giveUp = line.close
  }

  connect()
  return () => {
    stopped = true
    giveUp()
  }
}
