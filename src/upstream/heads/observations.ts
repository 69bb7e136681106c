import type { Signals } from '../../ports/signals.ts'
import type { NodeHead } from '../node/node-head.ts'
import {
  adoptHead,
  notePolled,
  notePollFailed,
  noteThrottled,
  type Upstream,
} from '../node/upstream.ts'
import { review, type Selection } from '../pool/selection.ts'
import type { OpenHeadFeed } from './head-feed.ts'

export type PollOutcome =
  | { tookMs: number }
  | { reason: string; throttled: boolean; retryAfterMs: number }

/**
 * One upstream as the process that polls it saw it, for those that do not. Facts, not verdicts:
 * each process judges by these and by its own calls. Times are ages, since the clocks of two
 * processes need not agree.
 */
type Observation = {
  name: string
  chain: Upstream['chain']
  /** Null when it was not polled since the last observation. */
  poll: PollOutcome | null
  head: (NodeHead & { reportedAgoMs: number; advancedAgoMs: number }) | null
  finalizedTag: number | null
}

/** Asks the process that watches the upstreams for all it knows, and for a poll. */
export function requestPoll(signals: Signals, { network }: Selection): void {
  void signals.publish(pollTopic(network.id), '', 'machine')
}

/**
 * Reports on a network's upstreams to the other processes of this machine. `pollNow` is called
 * when another process asks for a poll.
 */
export function openObservationReports(
  signals: Signals,
  selection: Selection,
  pollNow: () => void,
) {
  const { clock, network, upstreams } = selection
  let unsent = new Map<Upstream, PollOutcome | null>()
  let cancelSending = () => {}

  const send = () => {
    const nowMs = clock.monotonicMs()
    const all = [...unsent].map(([upstream, poll]) => observe(selection, upstream, poll, nowMs))
    unsent = new Map()
    void signals.publish(observedTopic(network.id), JSON.stringify(all), 'machine')
  }
  /** Reports a poll, or a head, together with the others of the same turn. */
  const add = (upstream: Upstream, poll: PollOutcome | null) => {
    if (unsent.size === 0) cancelSending = clock.after(0, send)
    unsent.set(upstream, poll ?? unsent.get(upstream) ?? null)
  }
  const stops = [
    signals.subscribe(pollTopic(network.id), () => {
      for (const upstream of upstreams) add(upstream, lastPollOf(upstream))
      pollNow()
    }),
    // A network that may not be polled now is watched all the same.
    clock.every(network.headPollMs, () => {
      for (const upstream of upstreams) add(upstream, null)
    }),
  ]
  return {
    add,
    stop(): void {
      cancelSending()
      for (const stop of stops) stop()
    },
  }
}

/** Judges upstreams by what the process that watches them reports. */
export function receiveObservations(
  signals: Signals,
  selection: Selection,
  feed: OpenHeadFeed,
  received: (upstream: Upstream) => void,
): () => void {
  const { clock, network, upstreams } = selection
  return signals.subscribe(observedTopic(network.id), (text) => {
    const nowMs = clock.monotonicMs()
    for (const observed of JSON.parse(text) as Observation[]) {
      const upstream = upstreams.find(({ spec }) => spec.name === observed.name)
      if (!upstream) continue
      upstream.chain = observed.chain
      selection.finalizedTag = observed.finalizedTag
      notePoll(upstream, observed.poll, nowMs)
      if (observed.head) {
        const { reportedAgoMs, advancedAgoMs, ...head } = observed.head
        feed.note(upstream, head, nowMs - reportedAgoMs)
        adoptHead(upstream, nowMs - advancedAgoMs)
      }
      received(upstream)
    }
    review(selection)
  })
}

/**
 * An upstream that asks one process for fewer calls means all of its machine. Returns how to
 * report new ones, to be called at each look, and how to stop.
 */
export function shareThrottles(signals: Signals, { clock, network, upstreams }: Selection) {
  const topic = `throttled ${network.id}`
  /** Until when each is to be spared, as far as the others know. */
  const known = new Map<Upstream, number>()
  const stop = signals.subscribe(topic, (text) => {
    const [name, forMs] = JSON.parse(text) as [string, number]
    const upstream = upstreams.find(({ spec }) => spec.name === name)
    if (!upstream) return
    noteThrottled(upstream, forMs, clock.monotonicMs())
    known.set(upstream, upstream.throttledUntilMs)
  })
  const report = () => {
    const nowMs = clock.monotonicMs()
    for (const upstream of upstreams) {
      const { throttledUntilMs, spec } = upstream
      if (throttledUntilMs <= Math.max(nowMs, known.get(upstream) ?? 0)) continue
      known.set(upstream, throttledUntilMs)
      const forMs = Math.ceil(throttledUntilMs - nowMs)
      void signals.publish(topic, JSON.stringify([spec.name, forMs]), 'machine')
    }
  }
  return { report, stop }
}

function observedTopic(networkId: string): string {
  return `observed ${networkId}`
}

function pollTopic(networkId: string): string {
  return `poll ${networkId}`
}

function observe(
  { finalizedTag }: Selection,
  { spec, chain, head }: Upstream,
  poll: PollOutcome | null,
  nowMs: number,
): Observation {
  return {
    name: spec.name,
    chain,
    poll,
    head: head && {
      number: head.number,
      hash: head.hash,
      parentHash: head.parentHash,
      blockAgeMs: head.blockAgeMs,
      reportedAgoMs: nowMs - head.reportedAtMs,
      advancedAgoMs: nowMs - head.advancedAtMs,
    },
    finalizedTag,
  }
}

/** The last poll as far as it is remembered, for a process that starts later. */
function lastPollOf({ activeHealth, lastFault }: Upstream): PollOutcome | null {
  const { pollsFailedInARow, pollLatencyMs } = activeHealth
  if (pollsFailedInARow === 0) return pollLatencyMs === 0 ? null : { tookMs: pollLatencyMs }
  return { reason: lastFault, throttled: false, retryAfterMs: 0 }
}

function notePoll(upstream: Upstream, poll: PollOutcome | null, nowMs: number): void {
  if (poll === null) return
  if ('tookMs' in poll) notePolled(upstream, poll.tookMs, nowMs)
  else notePollFailed(upstream, poll, nowMs)
}
