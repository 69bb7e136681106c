import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import { webhooksDueBetween, webhooksWaiting } from '../../tables/deliveries/outbox.ts'

type Needs = { clock: Clock; database: Database }

/** Finds the webhooks that have something to send, whoever forgot to remind us of them. */
export type Sweep = {
  next(): Promise<{
    /** They have a retry or an error that became due. */
    due: readonly number[]
    /** They have anything in the outbox. */
    waiting: readonly number[]
  }>
  /** Begins anew with the first webhook. */
  restart(): void
}

/**
 * A commit may come later than the moment it names, and clocks of processes differ. What is
 * even later is found by the look at everything.
 */
const OVERLAP_MS = 2000

/** All webhooks with anything waiting are looked at again and again, a page at a time. */
const PAGE = 1000

export function openSweep({ clock, database }: Needs): Sweep {
  let sweptMs = clock.nowMs()
  /** The last webhook of the round under way; 0 between two rounds. */
  let after = 0

  return {
    async next() {
      const nowMs = clock.nowMs()
      // The clock may have been set back.
      const fromMs = Math.min(sweptMs, nowMs) - OVERLAP_MS
      const due = await webhooksDueBetween(database, fromMs, nowMs)
      sweptMs = nowMs
      const before = after
      const waiting = await webhooksWaiting(database, before, PAGE)
      // Unless it was restarted meanwhile.
      if (after === before) after = waiting.length < PAGE ? 0 : (waiting.at(-1) ?? 0)
      return { due, waiting }
    },
    restart() {
      after = 0
    },
  }
}
