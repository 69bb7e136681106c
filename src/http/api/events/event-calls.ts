import type { Database } from '../../../ports/database.ts'
import { findWebhook } from '../../../tables/webhooks/webhooks.ts'
import { EVENT_TOPICS } from '../../contract/live/events.ts'
import type { Handler } from '../calls/handler.ts'
import { noSuchWebhook } from '../webhooks/webhook-calls.ts'
import type { EventHub } from './event-hub.ts'

export type EventCallNeeds = { database: Database; live: EventHub }

export const streamEvents: Handler<'streamEvents', EventCallNeeds> = async (needs, call) => {
  const { parameters, team, stream } = call
  const { topics, webhook_id: webhookId = null, last_event_id: inQuery } = parameters
  if (webhookId !== null && !(await findWebhook(needs.database, team.id, webhookId))) {
    return noSuchWebhook(webhookId)
  }

  const named = topics?.split(',')
  const wanted = new Set(EVENT_TOPICS.filter((topic) => named?.includes(topic) ?? true))
  const lastEventId = parameters['Last-Event-ID'] || inQuery || null
  return needs.live.open({ teamId: team.id, topics: wanted, webhookId, lastEventId, ...stream })
}
