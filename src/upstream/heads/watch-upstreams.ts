import type { Network } from '../../core/network.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Sockets } from '../../ports/sockets.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { Upstream } from '../node/upstream.ts'
import { heardUpstreams, openSelection, type Selection } from '../pool/selection.ts'
import { gaugeUpstreams } from './gauge-upstreams.ts'
import { type HeadFeed, openHeadFeed } from './head-feed.ts'
import { subscribeToHeads } from './head-subscriptions.ts'
import { pollOnce, watchHeads } from './head-watcher.ts'

type Needs = { clock: Clock; sockets: Sockets; telemetry: Telemetry }

type UpstreamWatch = {
  selection: Selection
  heads: HeadFeed
  /** Asks the upstreams for their heads at once. */
  poke(): void
  /** Resolves after each upstream was asked once, answered or not. */
  firstRound: Promise<void>
  stop(): void
}

/** However many answers hint at a new block, upstreams are asked at most so often. */
const POKE_EVERY_MS_MIN = 100

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
  let resting = false
  let wanted = false

  const poke = () => {
    wanted = resting
    if (resting) return
    resting = true
    clock.after(POKE_EVERY_MS_MIN, () => {
      resting = false
      if (wanted) poke()
    })
    for (const upstream of heardUpstreams(selection)) void pollOnce(watching, upstream)
  }

  return {
    selection,
    heads: feed,
    poke,
    firstRound: watcher.firstRound,
    stop() {
      watcher.stop()
      unsubscribe()
      forgetGauges()
    },
  }
}
