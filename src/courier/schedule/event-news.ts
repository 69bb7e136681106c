import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import type { EventNews } from '../../tables/chain/chain-events.ts'
import type { EventResult, NewDelivery } from '../../tables/deliveries/deliveries.ts'
import type { ReadyDelivery } from '../../tables/deliveries/delivery-claims.ts'
import type { ResultCache } from '../send/result-cache.ts'
import { takeInHand } from './in-hand.ts'
import { type Moves, openMoves } from './move-to-rows.ts'
import { readAhead } from './read-turns.ts'
import type { Line, Schedule } from './schedule.ts'
import type { WebhookLines } from './webhook-lines.ts'

type Needs = {
  clock: Clock
  database: Database
  schedule: Schedule
  results: ResultCache
  lines: WebhookLines
  isStopped(): boolean
  failed(thrown: unknown): void
  /** Something can be sent that could not before. */
  ready(): void
}

export type { EventNews }

/** What is kept of it until it is taken. */
type HeldNews = Omit<EventNews, 'results'> & { results: readonly (EventResult | null)[] }

export type NewsReader = {
  /** An event was committed. */
  note(news: EventNews): void
  /** Takes the events that were noted, as they came. */
  take(): void
  /** Takes what waited for its webhook to be read. */
  placed(): void
}

/** More events than that are not news any more: then each webhook is looked at for itself. */
const EVENTS_MAX = 64

/** Of an event. The largest beyond it are read where they are sent, instead of being held. */
const RESULTS_BYTES_MAX = 2 ** 20

/** So many wait for their webhooks to be read, which takes a moment. */
const UNPLACED_MAX = 10_000

/**
 * Hot path. An event mostly brings one delivery to each of many webhooks, and a look at each
 * of them costs more than the delivery: measured, a quarter of this thread's time. So what
 * follows right upon a webhook's last one is taken as it was committed.
 */
export function openNewsReader(needs: Needs): NewsReader {
  const { schedule, results, lines } = needs
  const moves = openMoves(needs)
  const waiting: HeldNews[] = []
  /** In hand, of webhooks that nothing is known of yet. */
  let unplaced: { news: HeldNews; row: ReadyDelivery }[] = []

  const keepResult = ({ network, sequenceNumber, results: all }: HeldNews, part: number) => {
    const result = all[part]
    if (result) results.keep(network, sequenceNumber, part, result)
  }

  /** Null when it has to wait until its webhook is read. */
  const takeOne = (news: HeldNews, row: ReadyDelivery): boolean | null => {
    if (moves.isMoving(row.webhookId)) return false
    const line = lines.isOutdated(row.webhookId) ? undefined : schedule.lines.get(row.webhookId)
    if (!line) return null
    if (!takeInHand(schedule, line, row)) return false
    keepResult(news, row.part ?? 0)
    return true
  }

  const takeHand = (news: HeldNews) => {
    const refused: ReadyDelivery[] = []
    const unread: string[] = []
    for (const [position, delivery] of news.deliveries.entries()) {
      const row = asRead(delivery, position)
      const taken = takeOne(news, row)
      if (taken === null && unplaced.length < UNPLACED_MAX) {
        unplaced.push({ news, row })
        unread.push(row.webhookId)
      } else if (!taken) refused.push(row)
    }
    if (unread.length > 0) lines.remind(unread, false)
    void moves.move(news, refused)
  }

  return {
    note(news) {
      if (waiting.length < EVENTS_MAX) waiting.push(withoutLargeResults(news))
      else if (news.inHand) void moves.move(news, news.deliveries.map(asRead))
      else {
        lines.remind(
          news.deliveries.map(({ webhookId }) => webhookId),
          false,
        )
      }
    },
    take() {
      for (const news of waiting.splice(0)) {
        if (news.inHand) takeHand(news)
        else takeRows(needs, news, keepResult)
      }
    },
    placed() {
      for (const line of schedule.ordered) void giveRows(needs, moves, line)
      schedule.ordered.clear()
      if (unplaced.length === 0) return
      const some = unplaced
      unplaced = []
      for (const { news, row } of some) {
        // Without a line it is gone, or cannot be signed for: its row waits for better times.
        if (!takeOne(news, row)) void moves.move(news, [row])
      }
    },
  }
}

/** All that is in hand, which stays there until it has them. */
async function giveRows({ schedule, lines, ready }: Needs, moves: Moves, line: Line) {
  const { webhook, inHand } = line
  const rows = [...inHand.rows]
  for (const row of rows) {
    const { network, sequenceNumber } = row
    if (sequenceNumber !== null) await moves.move({ network, sequenceNumber }, [row])
  }
  const left = inHand.rows.length
  inHand.rows = inHand.rows.filter((row) => !rows.includes(row))
  schedule.aheadRows -= left - inHand.rows.length
  lines.remind([webhook.id], false)
  ready()
}

function takeRows(
  { schedule, lines }: Needs,
  news: HeldNews,
  keepResult: (news: HeldNews, part: number) => void,
): void {
  const others: string[] = []
  for (const delivery of news.deliveries) {
    const line = schedule.lines.get(delivery.webhookId)
    if (line && readAhead(schedule, line, asRead(delivery, null))) keepResult(news, delivery.part)
    else others.push(delivery.webhookId)
  }
  lines.remind(others, false)
}

/** The row, as a look at the table would find it. */
function asRead(delivery: NewDelivery, position: number | null): ReadyDelivery {
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
    position,
  }
}

/** The small ones stay, so that large ones of one team cost no other a look at the table. */
function withoutLargeResults(news: EventNews): HeldNews {
  const { results } = news
  const bytes = results.reduce((sum, result) => sum + result.bytes, 0)
  if (bytes <= RESULTS_BYTES_MAX) return news
  let left = RESULTS_BYTES_MAX
  const held: (EventResult | null)[] = results.map(() => null)
  for (const [part, result] of [...results.entries()].sort(([, a], [, b]) => a.bytes - b.bytes)) {
    left -= result.bytes
    if (left < 0) break
    held[part] = result
  }
  return { ...news, results: held }
}
