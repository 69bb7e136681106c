import type { UpstreamView } from '../../core/rpc/upstream-choice.ts'

/**
 * What came of our own polls and of the follower's reads at one upstream. It is kept apart
 * from what came of calls, because callers choose those: whatever they make of a node, the
 * follower hears it as long as this book is good.
 */
export type ActiveHealth = {
  pollsFailedInARow: number
  pollLatencyMs: number
  /** A header that we asked for did not come; until then others are heard rather than it. */
  headersFailUntilMs: number
  headersFailedInARow: number
  /** The same of a block, which may be too much for a node that does well otherwise. */
  blocksFailUntilMs: number
}

/** So many in a row are proof that it does not answer us. */
const FAILURES_IN_A_ROW_MAX = 4

/** For so long others are preferred to one that did not give what we asked for. */
const READ_REST_MS = 5000

export function newActiveHealth(): ActiveHealth {
  return {
    pollsFailedInARow: 0,
    pollLatencyMs: 0,
    headersFailUntilMs: 0,
    headersFailedInARow: 0,
    blocksFailUntilMs: 0,
  }
}

/** A header that we asked for came, or did not. */
export function noteHeaderRead(own: ActiveHealth, came: boolean, nowMs: number): void {
  own.headersFailUntilMs = came ? 0 : nowMs + READ_REST_MS
  own.headersFailedInARow = came ? 0 : own.headersFailedInARow + 1
}

/** A block that we asked for came, or did not. */
export function noteBlockRead(own: ActiveHealth, came: boolean, nowMs: number): void {
  own.blocksFailUntilMs = came ? 0 : nowMs + READ_REST_MS
}

/** It gives us headers, as far as is known. */
export function givesHeaders(own: ActiveHealth, nowMs: number): boolean {
  return own.headersFailUntilMs <= nowMs
}

/** It can be expected to answer what we ask of it. One failure is no reason to doubt that. */
export function answersUs(own: ActiveHealth, nowMs: number): boolean {
  const headersCome = own.headersFailedInARow < FAILURES_IN_A_ROW_MAX || givesHeaders(own, nowMs)
  return pollsAreGood(own) && headersCome
}

/** What `core` judges it by for the follower: calls have no say in it. */
export function activeView(own: ActiveHealth, view: UpstreamView): UpstreamView {
  return {
    ...view,
    breaker: pollsAreGood(own) ? 'closed' : 'open',
    throttled: false,
    samples: 0,
    errorRate: 0,
    latencyMs: own.pollLatencyMs,
  }
}

function pollsAreGood(own: ActiveHealth): boolean {
  return own.pollsFailedInARow < FAILURES_IN_A_ROW_MAX
}
