import type { Network } from '../../core/network.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Sockets } from '../../ports/sockets.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { Upstream } from '../node/upstream.ts'
import { followedUpstreams, openSelection, type Selection } from '../pool/selection.ts'
import { gaugeUpstreams } from './gauge-upstreams.ts'
import { type HeadFeed, openHeadFeed } from './head-feed.ts'
import { pollOnce, watchHeads } from './head-watcher.ts'
import { subscribeToHeads } from './subscribe-to-heads.ts'

type Needs = { clock: Clock; sockets: Sockets; telemetry: Telemetry }

type UpstreamWatch = {
  selection: Selection
  heads: HeadFeed
  /** Asks the upstreams for their heads at once. */
  pollNow(): void
  /** Resolves after each upstream was asked once, answered or not. */
  firstRound: Promise<void>
  stop(): void
}

/** However many answers hint at a new block, upstreams are polled at most this often. */
const POLL_NOW_EVERY_MS_MIN = 100

/** Keeps an eye on the upstreams of one network: who is used, and where each stands. */
export function watchUpstreams(
  needs: Needs,
  network: Network,
  upstreams: readonly Upstream[],
): UpstreamWatch {
  const { clock } = needs
  const selection = openSelection(clock, network, upstreams)
  const feed = openHeadFeed(selection)
  const watching = { ...needs, network, selection, feed }
  const watcher = watchHeads(watching)
  const unsubscribe = subscribeToHeads(watching, upstreams)
  const forgetGauges = gaugeUpstreams(needs.telemetry, selection)
  let isPausing = false
  let isWanted = false

  const pollNow = () => {
    isWanted = isPausing
    if (isPausing) return
    isPausing = true
    clock.after(POLL_NOW_EVERY_MS_MIN, () => {
      isPausing = false
      if (isWanted) pollNow()
    })
    for (const upstream of followedUpstreams(selection)) void pollOnce(watching, upstream)
  }

  return {
    selection,
    heads: feed,
    pollNow,
    firstRound: watcher.firstRound,
    stop() {
      watcher.stop()
      unsubscribe()
      forgetGauges()
    },
  }
}
