import type { Database } from '../../ports/database.ts'
import { holdDelivery, restartDelivery } from './deliveries.ts'
import { postpone, waitingErrors } from './outbox.ts'

/**
 * Makes an error that still waits to say so due at once, as if it had never been attempted. An
 * attempt under way does not count: it has left before whatever the error is to follow now. The
 * webhooks that had one.
 */
export async function renewErrors(
  tx: Database,
  webhooks: readonly number[],
  { message, nowMs }: { message: string; nowMs: number },
): Promise<ReadonlySet<number>> {
  const renewed = new Set<number>()
  for (const error of await waitingErrors(tx, webhooks, message)) {
    const held = await holdDelivery(tx, error)
    if (held?.state !== 'waiting') continue
    await restartDelivery(tx, error)
    await postpone(tx, [{ ...error, dueAtMs: nowMs }])
    renewed.add(error.webhook)
  }
  return renewed
}
