import { EVENT_CALLS, EVENT_TOPICS, EVENTS } from './events.ts'
import { STATS_CALLS, WEBHOOK_STATS } from './webhook-stats.ts'

/** The calls that show what goes on. */
export const LIVE_CALLS = { ...EVENT_CALLS, ...STATS_CALLS }

/** The shapes that clients of these calls know. */
export const LIVE_SHAPES = { topics: EVENT_TOPICS, events: EVENTS, webhookStats: WEBHOOK_STATS }
