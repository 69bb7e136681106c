import type { Database } from '../../ports/database.ts'
import { noteChanges } from '../live/delivery-changes.ts'
import { holdDelivery, restartDelivery } from './deliveries.ts'
import type { DeliveryKey } from './delivery.ts'
import { postpone, waitingErrors } from './outbox.ts'

/**
 * Makes an error that still waits to say so due at once, as if it had never been attempted. An
 * attempt under way does not count: it has left before whatever the error is to follow now. The
 * webhooks that had one.
 */
export async function renewErrors(
  tx: Database,
  webhooks: readonly number[],
  { teamId, message, nowMs }: { teamId: string; message: string; nowMs: number },
): Promise<ReadonlySet<number>> {
  const renewed = new Map<number, DeliveryKey>()
  for (const error of await waitingErrors(tx, webhooks, message)) {
    const held = await holdDelivery(tx, error)
    if (held?.state !== 'waiting') continue
    await restartDelivery(tx, error)
    await postpone(tx, [{ ...error, dueAtMs: nowMs }])
    renewed.set(error.webhook, error)
  }
  const changed = [...renewed.values()].map(({ event, webhook }) => ({ event, webhook, teamId }))
  await noteChanges(tx, changed, nowMs)
  return new Set(renewed.keys())
}
