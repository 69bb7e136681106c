import type { Database } from '../../ports/database.ts'
import { logBytesOf } from '../usage/log-bytes.ts'
import { cancelRows, uncancelledSum } from './deliveries.ts'
import { listAllCancelled } from './done-deliveries.ts'
import { dequeueAll } from './outbox.ts'
import { noteCancelledLate } from './retention.ts'
import { growBacklog } from './team-backlogs.ts'

/**
 * Cancels all that waits for a webhook or has failed: it is not sent any more, not even when asked
 * for. A delivery under way that is accepted has arrived nonetheless.
 */
export async function cancelDeliveries(
  tx: Database,
  { webhook, teamId }: { webhook: number; teamId: string },
): Promise<void> {
  const { count, bytes } = await uncancelledSum(tx, webhook)
  await growBacklog(tx, teamId, -logBytesOf([{ bytes }], count))
  await cancelRows(tx, webhook)
  await listAllCancelled(tx, webhook)
  await dequeueAll(tx, { webhook })
  await noteCancelledLate(tx, webhook)
}
