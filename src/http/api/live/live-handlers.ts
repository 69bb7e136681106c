import { type EventCallNeeds, streamEvents } from './event-calls.ts'
import { getWebhookStats, type StatsCallNeeds } from './stats-calls.ts'

export type LiveCallNeeds = EventCallNeeds & StatsCallNeeds

/** How deliveries go, now and of late. */
export const LIVE_HANDLERS = { getWebhookStats, streamEvents }
