import type { Clock } from '../ports/clock.ts'
import type { Database } from '../ports/database.ts'
import { readyOfEvent } from '../tables/delivery-claims.ts'
import { readAhead } from './read-turns.ts'
import type { ResultCache } from './result-cache.ts'
import type { Schedule } from './schedule.ts'
import type { WebhookLines } from './webhook-lines.ts'

type Needs = {
  clock: Clock
  database: Database
  schedule: Schedule
  results: ResultCache
  lines: WebhookLines
}

/** Which event was committed. */
export type EventName = { network: string; sequenceNumber: number }

type EventNews = EventName & { webhookIds: readonly string[] }

export type NewsReader = {
  /** An event was committed and brought something to these webhooks. */
  note(news: EventNews): void
  /** Reads the events that were noted, as they came. */
  take(): Promise<void>
}

/** More events than that are not news any more: then each webhook is looked at for itself. */
const EVENTS_MAX = 64
const ROWS_MAX = 1000

/**
 * Hot path. An event mostly brings one delivery to each of many webhooks, and a look at each
 * of them costs more than the delivery: measured, a quarter of this thread's time. So they are
 * read with one look, and what follows right upon a webhook's last one is taken as it is.
 */
export function openNewsReader(needs: Needs): NewsReader {
  const { lines } = needs
  const waiting: EventNews[] = []
  return {
    note(news) {
      if (waiting.length < EVENTS_MAX) waiting.push(news)
      else lines.remind(news.webhookIds, false)
    },
    async take() {
      for (let news = waiting.shift(); news; news = waiting.shift()) {
        const { webhookIds } = news
        const taken = await takeEvent(needs, news).catch(() => null)
        const others = taken ? webhookIds.filter((id) => !taken.has(id)) : webhookIds
        lines.remind(others, false)
      }
    },
  }
}

/** The webhooks whose delivery was taken. */
async function takeEvent(needs: Needs, news: EventNews): Promise<Set<string>> {
  const { network, sequenceNumber } = news
  const { clock, database, schedule, results } = needs
  const question = { nowMs: clock.nowMs(), limit: ROWS_MAX }
  const rows = await readyOfEvent(database, network, sequenceNumber, question)
  const taken = new Set<string>()
  for (const row of rows) {
    const line = schedule.lines.get(row.webhookId)
    if (line && readAhead(schedule, line, row)) taken.add(row.webhookId)
  }
  if (taken.size > 1) await results.load(network, sequenceNumber)
  return taken
}
