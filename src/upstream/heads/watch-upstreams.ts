import type { Sockets } from '../../ports/sockets.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { noteThrottled, type Upstream } from '../node/upstream.ts'
import { followedUpstreams, review, type Selection } from '../pool/selection.ts'
import { gaugeUpstreams } from './gauge-upstreams.ts'
import { type HeadFeed, openHeadFeed } from './head-feed.ts'
import { pollOnce, watchHeads } from './head-watcher.ts'
import { lastPollOf, observe, type PollOutcome, type UpstreamObservation } from './shared-watch.ts'
import { subscribeToHeads } from './subscribe-to-heads.ts'

export type UpstreamWatch = {
  heads: HeadFeed
  pollNow(): void
  /** Resolves after each upstream was asked once, answered or not. */
  firstRound: Promise<void>
  observations(): UpstreamObservation[]
  /** Hears of each poll and head, for processes that do not watch themselves. */
  subscribeToObservations(hear: (seen: UpstreamObservation) => void): () => void
  /** An upstream has asked another process for fewer calls. */
  noteThrottled(upstreamName: string, forMs: number): void
  stop(): void
}

/** Upstreams are judged at least this often, for some of it changes by time alone. */
export const REVIEW_EVERY_MS = 250

/** However many answers hint at a new block, upstreams are polled at most this often. */
const POLL_NOW_EVERY_MS_MIN = 100

export function watchUpstreams(
  telemetry: Telemetry,
  sockets: Sockets,
  selection: Selection,
): UpstreamWatch {
  const { clock, upstreams } = selection
  const listeners = new Set<(seen: UpstreamObservation) => void>()
  const polled = (upstream: Upstream, poll: PollOutcome | null) => {
    if (listeners.size === 0) return
    const seen = observe(upstream, poll, selection.finalizedTag, clock.monotonicMs())
    for (const hear of listeners) hear(seen)
  }
  const feed = openHeadFeed(selection, (upstream) => polled(upstream, null))
  const watching = { telemetry, selection, feed, polled }
  const watcher = watchHeads(watching)
  const unsubscribe = subscribeToHeads(telemetry, sockets, selection, feed)
  const stopReview = clock.every(REVIEW_EVERY_MS, () => review(selection))
  const forgetGauges = gaugeUpstreams(telemetry, selection)
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
    heads: feed,
    pollNow,
    firstRound: watcher.firstRound,
    observations: () =>
      upstreams.map((upstream) => {
        const poll = lastPollOf(upstream)
        return observe(upstream, poll, selection.finalizedTag, clock.monotonicMs())
      }),
    subscribeToObservations(hear) {
      listeners.add(hear)
      return () => void listeners.delete(hear)
    },
    noteThrottled(upstreamName, forMs) {
      const upstream = upstreams.find(({ spec }) => spec.name === upstreamName)
      if (!upstream) return
      noteThrottled(upstream, forMs, clock.monotonicMs())
      polled(upstream, null)
    },
    stop() {
      stopReview()
      watcher.stop()
      unsubscribe()
      forgetGauges()
    },
  }
}
