import type { Clock } from '../../ports/clock.ts'
import type { Signals } from '../../ports/signals.ts'
import type { Sockets } from '../../ports/sockets.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { rates } from '../node/rolling-counts.ts'
import type { Upstream } from '../node/upstream.ts'
import { followedUpstreams, review, type Selection } from '../pool/selection.ts'
import { type HeadFeed, type OpenHeadFeed, openHeadFeed } from './head-feed.ts'
import { pollOnce, watchHeads } from './head-watcher.ts'
import {
  openObservationReports,
  type PollOutcome,
  receiveObservations,
  requestPoll,
  shareThrottles,
} from './observations.ts'
import { subscribeToHeads } from './subscribe-to-heads.ts'

export type UpstreamWatch = {
  heads: HeadFeed
  pollNow(): void
  /** Resolves after each upstream was asked once, answered or not. */
  firstRound: Promise<void>
  stop(): void
}

type World = { clock: Clock; telemetry: Telemetry; signals: Signals; sockets: Sockets }

type Polls = Pick<UpstreamWatch, 'pollNow' | 'firstRound' | 'stop'>

/** Upstreams are judged at least this often, for some of it changes by time alone. */
const REVIEW_EVERY_MS = 250

/** However many answers hint at a new block, upstreams are polled at most this often. */
const POLL_NOW_EVERY_MS_MIN = 100

/** A process that receives no observations for this long polls for itself. */
const SILENT_POLLS_MAX = 3
const SILENT_MS_MIN = 1000

/** Polls the upstreams, and reports to the processes of this machine that do not. */
export function watchUpstreams(world: World, selection: Selection): UpstreamWatch {
  const { clock, signals } = world
  const reports = openObservationReports(signals, selection, () => polls.pollNow())
  const feed = openHeadFeed(selection, (upstream) => reports.add(upstream, null))
  const polls = startPolls(world, selection, feed, reports.add)
  const throttles = shareThrottles(signals, selection)
  const stopReview = clock.every(REVIEW_EVERY_MS, () => {
    review(selection)
    throttles.report()
  })
  const stops = [
    stopReview,
    throttles.stop,
    polls.stop,
    reports.stop,
    gaugeUpstreams(world.telemetry, selection),
  ]
  return {
    heads: feed,
    pollNow: polls.pollNow,
    firstRound: polls.firstRound,
    stop() {
      for (const stop of stops) stop()
    },
  }
}

/** The same in a process that receives what another one of its machine observes. */
export function observeUpstreams(world: World, selection: Selection): UpstreamWatch {
  const { clock, signals } = world
  const { network, upstreams } = selection
  const feed = openHeadFeed(selection, () => {})
  const silentMsMax = Math.max(SILENT_MS_MIN, SILENT_POLLS_MAX * network.headPollMs)
  const unseen = new Set(upstreams)
  const firstRound = Promise.withResolvers<void>()
  let receivedAtMs = clock.monotonicMs()
  /** Our own, while no other process watches. */
  let polls: Polls | null = null

  const stopReceiving = receiveObservations(signals, selection, feed, (upstream) => {
    receivedAtMs = clock.monotonicMs()
    polls?.stop()
    polls = null
    unseen.delete(upstream)
    if (unseen.size === 0) firstRound.resolve()
  })
  const throttles = shareThrottles(signals, selection)
  const stopReview = clock.every(REVIEW_EVERY_MS, () => {
    review(selection)
    throttles.report()
    if (clock.monotonicMs() - receivedAtMs > silentMsMax) {
      polls ??= startPolls(world, selection, feed, () => {})
    }
  })
  requestPoll(signals, selection)
  const stops = [
    stopReview,
    stopReceiving,
    throttles.stop,
    () => polls?.stop(),
    gaugeUpstreams(world.telemetry, selection),
  ]
  return {
    heads: feed,
    pollNow: () => (polls ? polls.pollNow() : requestPoll(signals, selection)),
    firstRound: firstRound.promise,
    stop() {
      for (const stop of stops) stop()
    },
  }
}

function startPolls(
  { clock, telemetry, sockets }: World,
  selection: Selection,
  feed: OpenHeadFeed,
  polled: (upstream: Upstream, poll: PollOutcome | null) => void,
): Polls {
  const watching = { telemetry, selection, feed, polled }
  const watcher = watchHeads(watching)
  const unsubscribe = subscribeToHeads(telemetry, sockets, selection, feed)
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
    pollNow,
    firstRound: watcher.firstRound,
    stop() {
      watcher.stop()
      unsubscribe()
    },
  }
}

function gaugeUpstreams(telemetry: Telemetry, selection: Selection): () => void {
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
