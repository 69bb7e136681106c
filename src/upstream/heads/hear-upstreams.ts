import type { Telemetry } from '../../ports/telemetry.ts'
import {
  adoptHead,
  notePolled,
  notePollFailed,
  noteThrottled,
  type Upstream,
} from '../node/upstream.ts'
import { review, type Selection } from '../pool/selection.ts'
import { openHeadFeed } from './head-feed.ts'
import type { SharedWatch, UpstreamObservation } from './shared-watch.ts'
import { gaugeUpstreams, REVIEW_EVERY_MS, type UpstreamWatch } from './watch-upstreams.ts'

/** The same as to watch the upstreams, by the eyes of the process that does. */
export function hearUpstreams(
  telemetry: Telemetry,
  shared: SharedWatch,
  selection: Selection,
): UpstreamWatch {
  const { clock, network, upstreams } = selection
  const feed = openHeadFeed(selection, () => {})
  const unheard = new Set(upstreams)
  /** Until when each is to be spared, as far as the others know. */
  const told = new Map<Upstream, number>()
  const firstRound = Promise.withResolvers<void>()

  const hear = (seen: UpstreamObservation) => {
    const upstream = upstreams.find(({ spec }) => spec.name === seen.name)
    if (!upstream) return
    const nowMs = clock.monotonicMs()
    upstream.chain = seen.chain
    selection.finalizedTag = seen.finalizedTag
    notePoll(upstream, seen.poll, nowMs)
    if (seen.throttledForMs > 0) noteThrottled(upstream, seen.throttledForMs, nowMs)
    told.set(upstream, upstream.throttledUntilMs)
    if (seen.head) {
      const { reportedAgoMs, advancedAgoMs, ...head } = seen.head
      feed.note(upstream, head, nowMs - reportedAgoMs)
      adoptHead(upstream, nowMs - advancedAgoMs)
    }
    review(selection)
    unheard.delete(upstream)
    if (unheard.size === 0) firstRound.resolve()
  }

  // An upstream that asks one process for fewer calls means all of them.
  const tellThrottles = () => {
    const nowMs = clock.monotonicMs()
    for (const upstream of upstreams) {
      const { throttledUntilMs, spec } = upstream
      if (throttledUntilMs <= Math.max(nowMs, told.get(upstream) ?? 0)) continue
      told.set(upstream, throttledUntilMs)
      shared.throttled(network.id, spec.name, Math.ceil(throttledUntilMs - nowMs))
    }
  }

  const stops = [
    shared.subscribe(network.id, hear),
    clock.every(REVIEW_EVERY_MS, () => {
      review(selection)
      tellThrottles()
    }),
    gaugeUpstreams(telemetry, selection),
  ]
  return {
    heads: feed,
    pollNow: () => shared.pollNow(network.id),
    firstRound: firstRound.promise,
    observations: () => [],
    subscribeToObservations: () => () => {},
    noteThrottled: () => {},
    stop() {
      for (const stop of stops) stop()
    },
  }
}

function notePoll(upstream: Upstream, poll: UpstreamObservation['poll'], nowMs: number): void {
  if (poll === null) return
  if ('tookMs' in poll) notePolled(upstream, poll.tookMs, nowMs)
  else notePollFailed(upstream, poll, nowMs)
}
