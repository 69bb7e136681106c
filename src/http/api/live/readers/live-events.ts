import type { LoggedDelivery } from '../../../../tables/deliveries/log/logged-delivery.ts'
import type { WebhookState } from '../../../../tables/live/webhook-states.ts'
import type { Replay } from '../../../../tables/webhooks/replays.ts'
import type { EventTopic, WireEvents } from '../../../contract/contract.ts'
import { wireReplay } from '../../webhooks/replay-calls.ts'
import { wireDelivery } from '../../webhooks/wire-delivery.ts'

/** Something that changed, as all streams of a team are told. */
export type LiveEvent = {
  topic: EventTopic
  name: keyof WireEvents
  /** The webhook of a delivery. */
  webhookId: string | null
  /** JSON. */
  data: string
}

export function headEvent(head: WireEvents['head']): LiveEvent {
  return { topic: 'heads', name: 'head', webhookId: null, data: JSON.stringify(head) }
}

export function deliveryEvent(delivery: LoggedDelivery): LiveEvent {
  const data: WireEvents['delivery'] = wireDelivery(delivery)
  const { webhookId } = delivery
  return { topic: 'deliveries', name: 'delivery', webhookId, data: JSON.stringify(data) }
}

export function webhookEvent({ id, state, reason }: WebhookState): LiveEvent {
  const isActive = state === 'active'
  const data: WireEvents['webhook'] = {
    id,
    state,
    is_active: isActive,
    deactivation_reason: reason,
  }
  return { topic: 'webhooks', name: 'webhook', webhookId: null, data: JSON.stringify(data) }
}

export function replayEvent(replay: Replay): LiveEvent {
  const data: WireEvents['replay'] = wireReplay(replay)
  return { topic: 'replays', name: 'replay', webhookId: null, data: JSON.stringify(data) }
}

/** The summary is JSON already. */
export function usageEvent(data: string): LiveEvent {
  return { topic: 'usage', name: 'usage', webhookId: null, data }
}

/** More has changed than is told. */
export function gapEvent(topic: EventTopic): LiveEvent {
  const data: WireEvents['gap'] = { topics: [topic], reason: 'too_much' }
  return { topic, name: 'gap', webhookId: null, data: JSON.stringify(data) }
}
