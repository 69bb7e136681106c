import type { Database } from '../../../ports/database.ts'
import { findWebhook } from '../../../tables/webhooks/webhooks.ts'
import type { EventTopic } from '../../contract/contract.ts'
import { EVENT_TOPICS } from '../../contract/live/events.ts'
import type { Handler } from '../calls/handler.ts'
import { noSuchWebhook } from '../webhooks/webhook-calls.ts'
import type { LiveHub } from './live-hub.ts'

export type EventCallNeeds = { database: Database; live: Pick<LiveHub, 'open'> }

export const streamEvents: Handler<'streamEvents', EventCallNeeds> = async (needs, call) => {
  const { parameters, team, stream } = call
  const { topics, webhook_id: webhookId = null, last_event_id: inQuery } = parameters
  if (webhookId !== null && !(await findWebhook(needs.database, team.id, webhookId))) {
    return noSuchWebhook(webhookId)
  }

  const { connection, isStillAllowed } = stream
  const lastEventId = parameters['Last-Event-ID'] || inQuery || null
  const teamId = team.id
  const wanted = topicsOf(topics)
  const asked = { teamId, topics: wanted, webhookId, lastEventId, connection, isStillAllowed }
  return needs.live.open(asked)
}

/** The schema has seen to its form. */
function topicsOf(text: string | undefined): ReadonlySet<EventTopic> {
  const named = text?.split(',') ?? EVENT_TOPICS
  return new Set(EVENT_TOPICS.filter((topic) => named.includes(topic)))
}
