import type { World } from '../../ports/world.ts'
import {
  type WaitingWebhook,
  webhooksDueBetween,
  webhooksWaiting,
} from '../../tables/deliveries/outbox.ts'

type Swept = {
  /** They have a retry or an error that became due. */
  due: readonly number[]
  waiting: readonly WaitingWebhook[]
  /** Waiting deliveries may be retries or errors that were missed when they became due. */
  isThorough: boolean
  /** The last page of a round: all webhooks with anything waiting have been looked at. */
  endsRound: boolean
  /** The page is a round by itself, so the next sweep looks at the same webhooks. */
  isWholeRound: boolean
}

/**
 * A commit may come later than the moment it names, and clocks of processes differ. What is
 * even later is found by a thorough round.
 */
const OVERLAP_MS = 2000

/** All webhooks with anything waiting are looked at round after round, a page at a time. */
const PAGE = 1000

/** To look for retries of all that wait, most of which are not due, is not cheap. */
const THOROUGH_EVERY_MS = 10_000

/** Finds webhooks with something to send, even if no hint named them. */
export function openSweep({ clock, database }: World) {
  let sweptMs = clock.nowMs()
  /** The last webhook of the round under way; null when the next one begins. */
  let after: number | null = null
  let isThorough = true
  let thoroughMs = Number.NEGATIVE_INFINITY

  return {
    async next(): Promise<Swept> {
      const nowMs = clock.nowMs()
      // The clock may have been set back.
      const fromMs = Math.min(sweptMs, nowMs) - OVERLAP_MS
      const due = await webhooksDueBetween(database, fromMs, nowMs)
      sweptMs = nowMs
      if (after === null) {
        isThorough = clock.monotonicMs() - thoroughMs >= THOROUGH_EVERY_MS
        if (isThorough) thoroughMs = clock.monotonicMs()
      }
      const beginsRound = after === null
      after ??= 0
      const waiting = await webhooksWaiting(database, after, PAGE)
      const endsRound = waiting.length < PAGE
      // It may have been restarted meanwhile.
      if (after !== null) after = endsRound ? null : (waiting.at(-1)?.webhook ?? null)
      return { due, waiting, isThorough, endsRound, isWholeRound: beginsRound && endsRound }
    },
    restart(): void {
      after = null
      thoroughMs = Number.NEGATIVE_INFINITY
    },
  }
}
