import { Rejection } from '../../../core/errors.ts'
import type { DeliveryKey } from '../../../tables/deliveries/delivery.ts'
import type { DeliverySearch } from '../../../tables/deliveries/log/search-deliveries.ts'
import type { Contract } from '../../contract/contract.ts'
import type { Values } from '../../contract/operation.ts'
import { momentMs } from '../calls/moment-ms.ts'

/** The search that a call asks for. */
export function deliverySearch(
  asked: Values<Contract['listDeliveries']['parameters']>,
): DeliverySearch | Rejection {
  const { webhook_id: webhookId, status, block, attempts_min, rerun, cursor, limit } = asked
  const fromMs = asked.after === undefined ? undefined : momentMs(asked.after)
  const beforeMs = asked.before === undefined ? undefined : momentMs(asked.before)
  if (Number.isNaN(fromMs)) return new Rejection('validation', 'after is not a moment in time.')
  if (Number.isNaN(beforeMs)) return new Rejection('validation', 'before is not a moment in time.')
  return {
    webhookId,
    status,
    block,
    attemptsMin: attempts_min,
    isRerun: rerun === undefined ? undefined : rerun === 'true',
    fromMs,
    beforeMs,
    after: cursor === undefined ? undefined : cursorOf(cursor),
    limit,
  }
}

/** The schema has seen to its form. */
function cursorOf(text: string): DeliveryKey {
  const [event, webhook] = text.split('-')
  return { event: Number(event), webhook: Number(webhook) }
}
