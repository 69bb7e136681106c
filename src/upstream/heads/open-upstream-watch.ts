import type { Network } from '../../core/network.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Sockets } from '../../ports/sockets.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { Upstream } from '../node/upstream.ts'
import { hearUpstreams } from './hear-upstreams.ts'
import type { SharedWatch } from './shared-watch.ts'
import { type UpstreamWatch, watchUpstreams } from './watch-upstreams.ts'

export type WatchNeeds = {
  clock: Clock
  sockets: Sockets
  telemetry: Telemetry
  /** Another process watches the upstreams for us; absent: we do it ourselves. */
  shared?: SharedWatch
}

export function openUpstreamWatch(
  needs: WatchNeeds,
  network: Network,
  upstreams: readonly Upstream[],
): UpstreamWatch {
  const { shared } = needs
  if (shared) return hearUpstreams({ ...needs, shared }, network, upstreams)
  return watchUpstreams(needs, network, upstreams)
}
