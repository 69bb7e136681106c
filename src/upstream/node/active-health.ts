import type { UpstreamView } from '../pool/upstream-choice.ts'

/**
 * The outcome of our own polls and of the follower's reads at one upstream. It is kept apart
 * from the outcome of calls, because callers choose those: whatever they make of a node, the
 * follower goes by it as long as this is good.
 */
export type ActiveHealth = ReturnType<typeof newActiveHealth>

/** This many in a row are proof that an upstream does not answer us. */
const FAILURES_IN_A_ROW_MAX = 4

/** How long others are preferred to an upstream that did not give what we asked for. */
const READ_BACKOFF_MS = 5000

export function newActiveHealth() {
  return {
    pollsFailedInARow: 0,
    pollLatencyMs: 0,
    /** The answer to a poll asked for no more of them until then. */
    pollsPausedUntilMs: 0,
    /** A header that we asked for did not come; until then others are preferred to it. */
    headersFailUntilMs: 0,
    headersFailedInARow: 0,
    /** A block did not come, which may be too much for a node that does well otherwise. */
    blocksFailUntilMs: 0,
  }
}

export function arePollsPaused({ pollsPausedUntilMs }: ActiveHealth, nowMs: number): boolean {
  return pollsPausedUntilMs > nowMs
}

export function noteHeaderRead(health: ActiveHealth, came: boolean, nowMs: number): void {
  health.headersFailUntilMs = came ? 0 : nowMs + READ_BACKOFF_MS
  health.headersFailedInARow = came ? 0 : health.headersFailedInARow + 1
}

export function noteBlockRead(health: ActiveHealth, came: boolean, nowMs: number): void {
  health.blocksFailUntilMs = came ? 0 : nowMs + READ_BACKOFF_MS
}

export function givesHeaders(health: ActiveHealth, nowMs: number): boolean {
  return health.headersFailUntilMs <= nowMs
}

/** True when it can be expected to answer us. One failure is no reason to doubt that. */
export function answersUs(health: ActiveHealth, nowMs: number): boolean {
  const fewFail = health.headersFailedInARow < FAILURES_IN_A_ROW_MAX
  return pollsAreGood(health) && (fewFail || givesHeaders(health, nowMs))
}

/** The view that `core` judges for the follower: calls have no say in it. */
export function activeView(health: ActiveHealth, view: UpstreamView): UpstreamView {
  return {
    ...view,
    breaker: pollsAreGood(health) ? 'closed' : 'open',
    throttled: false,
    // The reserve is for us.
    credits: view.credits === 'none' ? 'none' : 'left',
    samples: 0,
    errorRate: 0,
    latencyMs: health.pollLatencyMs,
  }
}

function pollsAreGood(health: ActiveHealth): boolean {
  return health.pollsFailedInARow < FAILURES_IN_A_ROW_MAX
}
