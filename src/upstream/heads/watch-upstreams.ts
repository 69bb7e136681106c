import type { Sockets } from '../../ports/sockets.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { rates } from '../node/rolling-counts.ts'
import { noteThrottled, type Upstream } from '../node/upstream.ts'
import { followedUpstreams, review, type Selection } from '../pool/selection.ts'
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

export function gaugeUpstreams(telemetry: Telemetry, selection: Selection): () => void {
  const network = selection.network.id
  const forget = [
    telemetry.gauge('headgate_network_head', { network }, () => selection.head?.number ?? 0),
  ]
  for (const upstream of selection.upstreams) {
    const labels = { network, upstream: upstream.spec.name }
    const { spend } = upstream
    if (spend) {
      const read = () => spend.account.creditsSpent()
      forget.push(telemetry.gauge('headgate_upstream_month_credits', labels, read))
    }
    const used = () => (selection.stateOf.get(upstream) === 'used' ? 1 : 0)
    forget.push(
      telemetry.gauge('headgate_upstream_used', labels, used),
      telemetry.gauge('headgate_upstream_head', labels, () => upstream.head?.number ?? 0),
      telemetry.gauge('headgate_upstream_in_flight', labels, () => upstream.inFlight),
      telemetry.gauge('headgate_upstream_latency_seconds', labels, () => upstream.latencyMs / 1000),
      telemetry.gauge('headgate_upstream_error_ratio', labels, () => rates(upstream).errorRate),
    )
  }
  return () => {
    for (const stop of forget) stop()
  }
}
