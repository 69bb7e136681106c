import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import { waitingWebhooks, webhooksDueBetween } from '../../tables/deliveries/delivery-claims.ts'
import { moveOldOpen } from '../../tables/deliveries/sheets/move-old-open.ts'

type Needs = { clock: Clock; database: Database; isAlone: boolean }

/** Finds the webhooks that have something to send, whoever forgot to remind us of them. */
export type Sweep = {
  /** Before all else: gives rows to what a process before this one had in hand. */
  begin(): Promise<void>
  next(): Promise<string[]>
}

/**
 * A commit may come later than the moment it names, and clocks of processes differ. What is
 * even later is found by the look at everything.
 */
const OVERLAP_MS = 2000

/**
 * All webhooks with anything waiting are looked at again and again, a page at a time: for what
 * is new and nobody told us of, and for lapsed leases.
 */
const ROUND_PAGE = 1000

/** What is in hand for so long gets rows: its destination is slow, or we have lost sight of it. */
const IN_HAND_MS_MAX = 10_000
const FOR_EVER_MS = Number.MAX_SAFE_INTEGER

export function openSweep({ clock, database, isAlone }: Needs): Sweep {
  let sweptMs = clock.nowMs()
  /** The last webhook of the round under way; null between two rounds. */
  let after: string | null = null

  const look = async (): Promise<string[]> => {
    const page = await waitingWebhooks(database, after, ROUND_PAGE)
    after = page.length < ROUND_PAGE ? null : (page.at(-1) ?? null)
    return page
  }

  return {
    async begin() {
      if (isAlone) await moveOldOpen(database, FOR_EVER_MS)
    },
    async next() {
      const nowMs = clock.nowMs()
      // The clock may have been set back.
      const fromMs = Math.min(sweptMs, nowMs) - OVERLAP_MS
      const moved = isAlone ? await moveOldOpen(database, nowMs - IN_HAND_MS_MAX) : []
      const due = await webhooksDueBetween(database, fromMs, nowMs)
      sweptMs = nowMs
      return [...moved, ...due, ...(await look())]
    },
  }
}
