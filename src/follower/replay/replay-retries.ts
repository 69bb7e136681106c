import { backoffMs } from '../../core/async/backoff.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Replay } from '../../tables/webhooks/replays.ts'

export type ReplayRetries = ReturnType<typeof openReplayRetries>

type Retry = {
  dueAtMs: number
  blockNumber: number
  /** Failures of that block in a row. */
  failures: number
  /** The failures among them in which a node did answer. */
  answeredFailures: number
}

const BACKOFF = { minMs: 1_000, maxMs: 60_000 }

/** Some ten minutes, with the back-off above. */
const ANSWERED_FAILURES_MAX = 14

const STALE_MS = 10 * BACKOFF.maxMs

export function openReplayRetries(clock: Clock) {
  const retries = new Map<string, Retry>()
  return {
    isDue: (replayId: string) => (retries.get(replayId)?.dueAtMs ?? 0) <= clock.monotonicMs(),
    /** Waits without a failure; failures from before still count. */
    postpone({ id, nextBlock }: Replay, waitMs: number) {
      const before = retries.get(id) ?? { blockNumber: nextBlock, failures: 0, answeredFailures: 0 }
      retries.set(id, { ...before, dueAtMs: clock.monotonicMs() + waitMs })
    },
    /** False if the block failed too often. Transient failures (no node answered) do not count. */
    recordFailure({ id, nextBlock }: Replay, isTransient: boolean) {
      const before = retries.get(id)
      const same = before?.blockNumber === nextBlock ? before : null
      const failures = (same?.failures ?? 0) + 1
      const answeredFailures = isTransient ? 0 : (same?.answeredFailures ?? 0) + 1
      if (answeredFailures >= ANSWERED_FAILURES_MAX) return false
      const dueAtMs = clock.monotonicMs() + backoffMs(BACKOFF, failures)
      retries.set(id, { dueAtMs, blockNumber: nextBlock, failures, answeredFailures })
      return true
    },
    /** Ends all waits without a failure: what they wait for may have come. */
    endWaits() {
      for (const [id, { failures }] of retries) if (failures === 0) retries.delete(id)
    },
    forget: (replayId: string) => void retries.delete(replayId),
    /** Forgets replays that have not been seen for long: they ended elsewhere. */
    forgetStale() {
      const nowMs = clock.monotonicMs()
      for (const [id, { dueAtMs }] of retries) if (dueAtMs + STALE_MS < nowMs) retries.delete(id)
    },
  }
}
