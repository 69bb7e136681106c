import type { Database } from '../ports/database.ts'
import { changeWebhook, findWebhook } from '../tables/webhooks.ts'

/**
 * A destination answered that it is gone for good: its webhook is paused. Not when it leads
 * elsewhere by now or was paused for another reason, which its owner should see.
 */
export async function pauseGone(
  database: Database,
  { teamId, id, url }: { teamId: string; id: string; url: string },
): Promise<void> {
  const found = await findWebhook(database, teamId, id)
  if (found?.webhook.state !== 'active' || found.webhook.url !== url) return
  const standing = { state: 'paused', reason: 'DESTINATION_GONE' } as const
  await changeWebhook(database, teamId, id, { standing })
}
