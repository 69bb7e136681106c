import type { PauseReason, Webhook } from '../../core/delivery/webhook.ts'
import { type Database, sql } from '../../ports/database.ts'

/** A webhook as event streams show it; deleted ones are included. */
export type WebhookState = {
  id: string
  state: Webhook['state'] | 'deleted'
  reason: PauseReason | null
  revision: number
}

/** A team's webhooks that were changed after that revision, in that order; at most `limit`. */
export function webhookStatesSince(
  db: Database,
  teamId: string,
  revision: number,
  limit: number,
): Promise<WebhookState[]> {
  return db.query(sql`
    SELECT id, state, reason, revision FROM webhooks
    WHERE team_id = ${teamId} AND revision > ${revision} ORDER BY revision, id LIMIT ${limit}`)
}
