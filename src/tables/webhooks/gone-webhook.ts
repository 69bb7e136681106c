import type { Webhook } from '../../core/delivery/webhook.ts'
import { type Database, sql } from '../../ports/database.ts'
import { holdEvents } from '../chain/chain-tail.ts'
import { bumpRevision } from '../sql/revisions.ts'

/** A webhook and the destination that said it is gone for good. */
export type GoneWebhook = Pick<Webhook, 'teamId' | 'id' | 'url'>

/**
 * Pauses a webhook because its destination is gone. One that leads elsewhere by now, or was
 * paused for another reason, which its owner should see, is left alone.
 */
export async function pauseGoneWebhook(
  tx: Database,
  { teamId, id, url }: GoneWebhook,
): Promise<void> {
  const isSame = sql`team_id = ${teamId} AND id = ${id} AND state = 'active' AND url = ${url}`
  // Looked at before, so that many such answers do not move the revision for nothing.
  const same = await tx.query(sql`SELECT id FROM webhooks WHERE ${isSame}`)
  if (same.length === 0) return
  const revision = await bumpRevision(tx, 'webhooks')
  const [paused] = await tx.query<{ network: string }>(sql`
    UPDATE webhooks SET state = 'paused', reason = 'DESTINATION_GONE', revision = ${revision}
    WHERE ${isSame} RETURNING network`)
  if (paused) await holdEvents(tx, paused.network)
}
