import type { Database } from '../../ports/database.ts'
import { holdWebhook } from '../webhooks/courier-webhooks.ts'
import { holdDelivery, restartDelivery } from './deliveries.ts'
import { unlistDone } from './done-deliveries.ts'
import { findDelivery } from './log/delivery-page.ts'
import { enqueue, LANE } from './outbox.ts'
import { growBacklog, undeliveredBytes } from './team-backlogs.ts'

/**
 * Makes a delivery that is done due at once, its attempts starting anew. 'waiting' when it is
 * due anyway, 'gone' when its webhook was deleted: then nothing happens.
 */
export function resendDelivery(
  db: Database,
  teamId: string,
  id: string,
  nowMs: number,
): Promise<'resent' | 'waiting' | 'gone' | 'not_found'> {
  return db.transaction(async (tx) => {
    const found = await findDelivery(tx, teamId, id)
    if (!found) return 'not_found'
    if ((await holdWebhook(tx, found.webhookId)) === null) return 'gone'

    const { event, webhook, kind } = found
    const known = await holdDelivery(tx, found)
    if (!known) return 'not_found'
    const { state } = known
    if (state === 'waiting') return 'waiting'

    await restartDelivery(tx, found)
    await unlistDone(tx, [{ event, webhook, state }])
    const lane = kind === 'error' ? LANE.error : LANE.retry
    await enqueue(tx, { event, webhook, lane }, nowMs)
    // One that failed was counted all the time.
    const isUncounted = kind === 'data' && state !== 'failed'
    if (isUncounted) await growBacklog(tx, teamId, undeliveredBytes(known.dataBytes))
    return 'resent'
  })
}
