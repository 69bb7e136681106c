import type { EventNews } from '../tables/chain-events.ts'
import type { NewDelivery } from '../tables/deliveries.ts'
import type { ReadyDelivery } from '../tables/delivery-claims.ts'
import { readAhead } from './read-turns.ts'
import type { ResultCache } from './result-cache.ts'
import type { Schedule } from './schedule.ts'
import type { WebhookLines } from './webhook-lines.ts'

type Needs = { schedule: Schedule; results: ResultCache; lines: WebhookLines }

export type { EventNews }

export type NewsReader = {
  /** An event was committed. */
  note(news: EventNews): void
  /** Takes the events that were noted, as they came. */
  take(): void
}

/** More events than that are not news any more: then each webhook is looked at for itself. */
const EVENTS_MAX = 64

/** Of an event. Larger ones are read where they are sent, instead of being held until then. */
const RESULTS_BYTES_MAX = 2 ** 20

/**
 * Hot path. An event mostly brings one delivery to each of many webhooks, and a look at each
 * of them costs more than the delivery: measured, a quarter of this thread's time. So what
 * follows right upon a webhook's last one is taken as it was committed.
 */
export function openNewsReader(needs: Needs): NewsReader {
  const waiting: EventNews[] = []
  return {
    note(news) {
      const { deliveries } = news
      if (waiting.length < EVENTS_MAX) waiting.push(withoutLargeResults(news))
      else
        needs.lines.remind(
          deliveries.map(({ webhookId }) => webhookId),
          false,
        )
    },
    take() {
      for (const news of waiting.splice(0)) takeEvent(needs, news)
    },
  }
}

function takeEvent({ schedule, results, lines }: Needs, news: EventNews): void {
  const { network, sequenceNumber } = news
  const others: string[] = []
  for (const delivery of news.deliveries) {
    const { webhookId, part } = delivery
    const line = schedule.lines.get(webhookId)
    if (line && readAhead(schedule, line, asRead(delivery))) {
      const result = news.results[part]
      if (result) results.keep(network, sequenceNumber, part, result)
    } else others.push(webhookId)
  }
  lines.remind(others, false)
}

/** The row, as a look at the table would find it. */
function asRead(delivery: NewDelivery): ReadyDelivery {
  return {
    id: delivery.id,
    webhookId: delivery.webhookId,
    teamId: delivery.teamId,
    network: delivery.network,
    kind: 'data',
    sequenceNumber: delivery.sequenceNumber,
    blockNumber: delivery.blockNumber,
    part: delivery.part,
    error: null,
    previousSequence: delivery.previousSequence,
    replay: false,
    createdAtMs: delivery.createdAtMs,
    attemptsMade: 0,
    dataBytes: delivery.dataBytes,
    lease: '',
  }
}

function withoutLargeResults(news: EventNews): EventNews {
  const bytes = news.results.reduce((sum, result) => sum + result.bytes, 0)
  const isSmall = bytes <= RESULTS_BYTES_MAX
  return isSmall ? news : { ...news, results: [] }
}
