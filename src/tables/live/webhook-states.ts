import type { PauseReason, Webhook } from '../../core/delivery/webhook.ts'
import { type Database, sql } from '../../ports/database.ts'

/** A webhook as far as those see it who watch; one that is gone included. */
export type WebhookState = {
  number: number
  id: string
  teamId: string
  state: Webhook['state'] | 'deleted'
  reason: PauseReason | null
  revision: number
}

type StateRow = {
  number: number
  id: string
  team_id: string
  state: string
  reason: string | null
  revision: number
}

/** The webhooks that were changed after that revision, in the order of changes; at most so many. */
export async function webhookStatesSince(
  db: Database,
  revision: number,
  limit: number,
): Promise<WebhookState[]> {
  const rows = await db.query<StateRow>(sql`
    SELECT number, id, team_id, state, reason, revision FROM webhooks
    WHERE revision > ${revision} ORDER BY revision, id LIMIT ${limit}`)
  return rows.map(({ team_id: teamId, state, reason, ...row }) => ({
    ...row,
    teamId,
    state: state as WebhookState['state'],
    reason: reason as PauseReason | null,
  }))
}
