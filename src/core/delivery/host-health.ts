export type HostOutcome = {
  /** Null when no answer came. */
  status: number | null
  fault: string | null
  startedAtMs: number
}

/** The health of one destination host. Changed in place by `noteOutcome` alone. */
export type HostHealth = {
  /** How many attempts may be under way at once. */
  limit: number
  /** Successes since the limit last moved. */
  successes: number
  halvedAtMs: number
  unansweredInRow: number
  /** Attempts and failures of the last half minute, by slices of it. */
  slices: Slice[]
  /** While set, nothing goes to the host until then; after it, one attempt at a time. */
  opensAtMs: number | null
  probeWaitMs: number
}

type Slice = { number: number; attempts: number; failures: number }
type Meaning = 'success' | 'answered' | 'failure' | 'unanswered' | 'overload' | 'timeout'

const LIMIT_FIRST = 4
const LIMIT_MAX = 64
const SUCCESSES_PER_STEP = 20

const SLICE_MS = 5000
const SLICES_MAX = 6
const ATTEMPTS_MIN = 10
const FAILED_SHARE = 0.5
const UNANSWERED_MAX = 5

const PROBE_WAIT_MS = 5000
const PROBE_WAIT_MS_MAX = 300_000

const OVERLOADED = new Set([429, 502, 503, 504])

/** Faults that speak of the host. Others, such as a refused address, are our own doing. */
const HOST_FAULTS = new Set(['dns', 'connect', 'tls', 'reset', 'protocol'])

export function newHostHealth(): HostHealth {
  return {
    limit: LIMIT_FIRST,
    successes: 0,
    halvedAtMs: 0,
    unansweredInRow: 0,
    slices: [],
    opensAtMs: null,
    probeWaitMs: PROBE_WAIT_MS,
  }
}

export function noteOutcome(health: HostHealth, outcome: HostOutcome, nowMs: number): void {
  const meaning = meaningOf(outcome)
  if (meaning === null) return
  if (health.opensAtMs !== null) {
    // Attempts from before the host was given up say nothing about how it is now.
    if (outcome.startedAtMs >= health.opensAtMs) noteProbe(health, meaning, nowMs)
    return
  }
  moveLimit(health, meaning, outcome.startedAtMs, nowMs)
  const noAnswer = meaning === 'unanswered' || meaning === 'timeout'
  health.unansweredInRow = noAnswer ? health.unansweredInRow + 1 : 0
  countInSlice(health, isBad(meaning), nowMs)
  if (isBad(meaning) && isGivenUp(health)) openBreaker(health, PROBE_WAIT_MS, nowMs)
}

export function limitNow(health: HostHealth, nowMs: number): number {
  if (health.opensAtMs === null) return health.limit
  return nowMs < health.opensAtMs ? 0 : 1
}

/**
 * Null for what must never count against a host. A host that answers 404 to one webhook is
 * well: to give it up would hold up every other webhook on it.
 */
function meaningOf({ status, fault }: HostOutcome): Meaning | null {
  if (fault === 'timeout') return 'timeout'
  if (fault !== null) return HOST_FAULTS.has(fault) ? 'unanswered' : null
  if (status === null) return null
  if (status >= 200 && status <= 299) return 'success'
  if (OVERLOADED.has(status)) return 'overload'
  return status >= 500 ? 'failure' : 'answered'
}

function isBad(meaning: Meaning): boolean {
  return meaning !== 'success' && meaning !== 'answered'
}

function moveLimit(health: HostHealth, meaning: Meaning, startedAtMs: number, nowMs: number): void {
  if (meaning === 'success') {
    health.successes += 1
    if (health.successes < SUCCESSES_PER_STEP) return
    health.successes = 0
    health.limit = Math.min(LIMIT_MAX, health.limit + 1)
    return
  }
  if (meaning !== 'overload' && meaning !== 'timeout') return
  // One moment of overload fails many attempts at once, and halves the limit once.
  if (startedAtMs < health.halvedAtMs) return
  health.successes = 0
  health.halvedAtMs = nowMs
  health.limit = Math.max(1, Math.floor(health.limit / 2))
}

function countInSlice(health: HostHealth, failed: boolean, nowMs: number): void {
  const number = Math.floor(nowMs / SLICE_MS)
  let slice = health.slices.at(-1)
  // A clock that is set back counts on in the newest slice, so that there are never more.
  if (slice === undefined || slice.number < number) {
    slice = { number, attempts: 0, failures: 0 }
    health.slices = health.slices.filter((one) => one.number > number - SLICES_MAX)
    health.slices.push(slice)
  }
  slice.attempts += 1
  if (failed) slice.failures += 1
}

function isGivenUp(health: HostHealth): boolean {
  if (health.unansweredInRow >= UNANSWERED_MAX) return true
  let attempts = 0
  let failures = 0
  for (const slice of health.slices) {
    attempts += slice.attempts
    failures += slice.failures
  }
  return attempts >= ATTEMPTS_MIN && failures >= attempts * FAILED_SHARE
}

function noteProbe(health: HostHealth, meaning: Meaning, nowMs: number): void {
  if (isBad(meaning)) {
    openBreaker(health, Math.min(PROBE_WAIT_MS_MAX, health.probeWaitMs * 2), nowMs)
    return
  }
  health.opensAtMs = null
  health.probeWaitMs = PROBE_WAIT_MS
}

function openBreaker(health: HostHealth, waitMs: number, nowMs: number): void {
  health.opensAtMs = nowMs + waitMs
  health.probeWaitMs = waitMs
  // The history is forgotten, so that a host that comes back begins anew and gently.
  health.limit = Math.min(health.limit, LIMIT_FIRST)
  health.successes = 0
  health.unansweredInRow = 0
  health.slices = []
}
