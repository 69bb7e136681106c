import { findWebhook } from '../../../tables/webhooks/webhooks.ts'
import { EVENT_TOPICS } from '../../contract/events.ts'
import { noSuch } from '../acting-team.ts'
import type { Handler } from '../calls/handler.ts'

export const streamEvents: Handler<'streamEvents'> = async (api, call) => {
  const { parameters, team, stream } = call
  const { topics, webhook_id: webhookId = null, last_event_id: inQuery } = parameters
  if (webhookId !== null && !(await findWebhook(api.database, team.id, webhookId))) {
    return noSuch(`webhook ${webhookId}`)
  }

  const named = topics?.split(',')
  const wanted = new Set(EVENT_TOPICS.filter((topic) => named?.includes(topic) ?? true))
  const lastEventId = parameters['Last-Event-ID'] || inQuery || null
  return api.live.open({ teamId: team.id, topics: wanted, webhookId, lastEventId, ...stream })
}
