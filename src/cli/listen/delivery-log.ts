import type { AnswerOf } from '@headgate/client'
import { readPages } from '../calls/read-pages.ts'

export type ListedDelivery = AnswerOf<'listDeliveries'>['data'][number]

/** Pages of the log: newest first, created at `after` or later, of one webhook or all. */
export type ReadLogPages = (asked: {
  webhook_id?: string
  after?: string
  limit: number
}) => AsyncIterable<{ data: readonly ListedDelivery[] }>

export type DeliveryLog = ReturnType<typeof openDeliveryLog>

type LogOptions = {
  /** Only those of these webhooks; none: all of the team. */
  webhooks: readonly string[]
  /** Deliveries created since then come up; null: all of them. */
  sinceMs: number | null
}

const PAGE_MAX = 1000

/** Deliveries of one reading, so that a log of years ends somewhere. */
const READ_MAX = 100 * PAGE_MAX

/**
 * On many machines a delivery may show up after one that was created later; so much of the past is
 * read again each time.
 */
const OVERLAP_MS = 15_000

/** Deliveries of the overlap that are remembered, so that none comes up twice. */
const REMEMBERED_MAX = 50_000

/** Reads the log of deliveries, each time from where it was: each delivery comes up once. */
export function openDeliveryLog(read: ReadLogPages, { webhooks, sinceMs }: LogOptions) {
  const sources = webhooks.length === 0 ? [{}] : webhooks.map((id) => ({ webhook_id: id }))
  /** When each was done, by its id; the oldest are forgotten first. */
  const seen = new Map<string, number | null>()
  let fromMs = sinceMs

  const remember = ({ id, time_done, time_created }: ListedDelivery) => {
    seen.delete(id)
    seen.set(id, time_done)
    const [oldest] = seen.size > REMEMBERED_MAX ? seen.keys() : []
    if (oldest !== undefined) seen.delete(oldest)
    fromMs = Math.max(fromMs ?? 0, time_created - OVERLAP_MS, sinceMs ?? 0)
  }
  const unseen = async () => {
    const asked = { limit: PAGE_MAX, ...(fromMs !== null && { after: String(fromMs) }) }
    const found: ListedDelivery[] = []
    for (const source of sources) {
      found.push(...(await readPages(read({ ...asked, ...source }), READ_MAX)))
    }
    const fresh = found.filter(({ id }) => !seen.has(id))
    // Newest first as they came: so the last one is the oldest.
    return fresh.toReversed()
  }
  return {
    /** Goes to the end of the log without reporting the deliveries that are there. */
    async skip() {
      const newestOfEach = sources.map((source) => readPages(read({ ...source, limit: 1 }), 1))
      const newest = (await Promise.all(newestOfEach)).flat()
      if (newest.length === 0) return
      fromMs = Math.max(...newest.map(({ time_created }) => time_created)) - OVERLAP_MS
      for (const one of await unseen()) remember(one)
    },
    /** Deliveries that have not come up yet, oldest first. */
    async news() {
      const fresh = await unseen()
      for (const one of fresh) remember(one)
      return fresh
    },
    /** True if the delivery has not come up, and all deliveries of its time do. */
    isDue: ({ id, time_created }: ListedDelivery) => !seen.has(id) && time_created >= (fromMs ?? 0),
    /** True if a delivery that was done is being sent again, by a resend or a replay. */
    isAgain(delivery: ListedDelivery) {
      const before = seen.get(delivery.id)
      const isKnown = before !== undefined
      if (isKnown) seen.set(delivery.id, delivery.time_done)
      // One from before we listened is told of only when it is sent again, or when it is retried.
      const isBegun = delivery.status === 'waiting' && delivery.attempts_made === 0
      if (!isKnown) return isBegun && delivery.time_created < (fromMs ?? 0)
      return before !== null && before !== delivery.time_done
    },
  }
}
