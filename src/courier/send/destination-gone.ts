import type { Database } from '../../ports/database.ts'
import { findWebhook, pauseGoneWebhook } from '../../tables/webhooks/webhooks.ts'

/**
 * A destination answered that it is gone for good: its webhook is paused. Not when it leads
 * elsewhere by now or was paused for another reason, which its owner should see.
 */
export async function pauseGone(
  database: Database,
  gone: { teamId: string; id: string; url: string },
): Promise<void> {
  // Looked at before, so that many such answers do not move the revision for nothing.
  const found = await findWebhook(database, gone.teamId, gone.id)
  if (found?.webhook.state !== 'active' || found.webhook.url !== gone.url) return
  await pauseGoneWebhook(database, gone)
}
