import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import type { Signals } from '../../ports/signals.ts'
import type { AttemptOutcome } from '../../tables/deliveries/settle-deliveries.ts'
import { findWebhook, pauseGoneWebhook } from '../../tables/webhooks/webhooks.ts'
import type { ScheduledWebhook } from '../schedule/schedule.ts'
import { pauseNow } from '../schedule/webhook-queue.ts'
import type { SendAttempt } from './attempt-outcome.ts'

type Needs = {
  clock: Clock
  database: Database
  signals: Signals
  /** The webhook is paused, unless that failed; then the outcome is committed. */
  paused(webhook: ScheduledWebhook, outcome: AttemptOutcome): void
  failed(thrown: unknown): void
}

/** Pauses webhooks whose destination answered that it is gone for good. */
export type GoneDestinations = {
  pause(attempt: SendAttempt, outcome: AttemptOutcome): void
  /** Ends when all of them are paused. */
  rest(): Promise<void>
}

/** When the webhook could not be paused, its destination is not asked again at once. */
const GONE_AGAIN_MS = 60_000

export function openGoneDestinations(needs: Needs): GoneDestinations {
  const pausing = new Set<Promise<void>>()

  const pause = async ({ webhook, settings }: SendAttempt, outcome: AttemptOutcome) => {
    // Nothing more goes there, not even until that is committed.
    pauseNow(webhook.queue)
    try {
      await pauseIfSame(needs.database, settings.webhook)
      needs.signals.publish('webhooks', '')
    } catch (thrown) {
      needs.failed(thrown)
      outcome.next = { kind: 'retry', dueAtMs: needs.clock.nowMs() + GONE_AGAIN_MS }
    }
    needs.paused(webhook, outcome)
  }

  return {
    pause(attempt, outcome) {
      const done = pause(attempt, outcome).finally(() => pausing.delete(done))
      pausing.add(done)
    },
    async rest() {
      await Promise.all(pausing)
    },
  }
}

/**
 * Leaves a webhook alone that leads elsewhere by now, or was paused for another reason, which its
 * owner should see.
 */
async function pauseIfSame(
  database: Database,
  gone: { teamId: string; id: string; url: string },
): Promise<void> {
  // Looked at before, so that many such answers do not move the revision for nothing.
  const found = await findWebhook(database, gone.teamId, gone.id)
  if (found?.webhook.state !== 'active' || found.webhook.url !== gone.url) return
  await pauseGoneWebhook(database, gone)
}
