import { type Database, type Sql, sql } from '../../../ports/database.ts'
import { type DeliveryKey, type DeliveryState, keyOf } from '../delivery.ts'
import { lastListed } from '../done-deliveries.ts'

export type LogQuestion = {
  webhookId?: string | undefined
  status?: DeliveryState | undefined
  block?: number | undefined
  /** The last delivery of the page before. */
  after?: DeliveryKey | undefined
  eventMin?: number | undefined
  limit: number
}

const FOR_EVER = Number.MAX_SAFE_INTEGER

/**
 * The deliveries on a page of the log, newest first. First the newest of each webhook below the
 * cursor is looked up in the lists, then those webhooks are read that have a place on the page,
 * and at last what is delivered and not listed. In this order, which is that of a delivery's way,
 * one that goes from one to the other meanwhile is found twice, and never missed.
 */
export async function pageEntries(
  db: Database,
  teamId: string,
  question: LogQuestion,
): Promise<DeliveryKey[]> {
  const { limit, status, eventMin = 0 } = question
  const listed = await lastListed(db)
  const webhooks = await heads(db, teamId, question)
  // As many webhooks have one that is as new as that.
  let lowest = Math.max(webhooks[limit - 1]?.event ?? 0, eventMin)
  let page: DeliveryKey[] = []
  for (const { webhook, event } of webhooks) {
    if (event < lowest) break
    const more = await entriesOf(db, webhook, lowest, question)
    // Most webhooks of a large team add little to a page that is full.
    page = [...page, ...more].sort(newestFirst).slice(0, limit)
    lowest = Math.max(lowest, page[limit - 1]?.event ?? 0)
  }
  if (status !== undefined && status !== 'delivered') return page
  const unlisted = await unlistedEntries(db, teamId, listed, question)
  // A sort keeps the order of equals: of one that was found twice the later finding counts.
  const all = [...unlisted, ...page].sort(newestFirst)
  return all.filter((one, at) => !isSameDelivery(one, all[at - 1])).slice(0, limit)
}

/** The newest of a team that were delivered, of events after that one. */
function unlistedEntries(
  db: Database,
  teamId: string,
  lastEvent: number,
  { webhookId, after, eventMin = 0, limit }: LogQuestion,
): Promise<DeliveryKey[]> {
  const first = keyOf(Math.max(lastEvent + 1, eventMin), 0)
  const below = after ? sql`AND key < ${keyOf(after.event, after.webhook)}` : sql``
  const one = webhookId === undefined ? sql`` : sql`AND id = ${webhookId}`
  return db.query<DeliveryKey>(sql`
    SELECT key / 16777216 AS event, key % 16777216 AS webhook FROM deliveries
    WHERE key >= ${first} ${below} AND state = 1
      AND key % 16777216 IN (SELECT number FROM webhooks WHERE team_id = ${teamId} ${one})
    ORDER BY key DESC LIMIT ${limit}`)
}

/** The webhooks that may have a place on the page, those with the newest deliveries first. */
function heads(
  db: Database,
  teamId: string,
  { webhookId, status, after, eventMin = 0, limit }: LogQuestion,
): Promise<DeliveryKey[]> {
  const one = webhookId === undefined ? sql`` : sql`AND webhooks.id = ${webhookId}`
  const newest = sourcesOf(status).map(
    ({ table, where }) => sql`
      SELECT MAX(event) AS event FROM ${table}
      WHERE webhook = webhooks.number AND ${where} AND event <= ${lastEvent(after)}
        AND event >= ${eventMin}`,
  )
  return db.query<DeliveryKey>(sql`
    SELECT webhook, event FROM (
      SELECT webhooks.number AS webhook, (
        SELECT MAX(event) FROM (${unionAll(newest)}) AS sources) AS event
      FROM webhooks WHERE team_id = ${teamId} ${one}) AS heads
    WHERE event IS NOT NULL ORDER BY event DESC, webhook DESC LIMIT ${limit}`)
}

/**
 * The newest deliveries of a webhook in the lists, down to that event. One statement, so that none
 * is missed that goes from one list to another meanwhile.
 */
function entriesOf(
  db: Database,
  webhook: number,
  lowest: number,
  { status, after, limit }: LogQuestion,
): Promise<DeliveryKey[]> {
  const { parts } = ENTRIES[status ?? 'all']
  const ofSource = [webhook, lastOf(after, webhook), lowest, limit]
  const values = sourcesOf(status).flatMap(() => ofSource)
  return db.query<DeliveryKey>({ parts, values: [...values, limit] })
}

export function newestFirst(a: DeliveryKey, b: DeliveryKey): number {
  return b.event - a.event || b.webhook - a.webhook
}

function isSameDelivery(one: DeliveryKey, other: DeliveryKey | undefined): boolean {
  return one.event === other?.event && one.webhook === other.webhook
}

type Source = { table: Sql; where: Sql }

const waiting = (where: Sql): Source => ({ table: sql`outbox`, where })

const done = (where: Sql): Source => ({ table: sql`done_deliveries`, where })

/** Each of these has a webhook's deliveries in the order of events. */
export const SOURCES: Readonly<Record<DeliveryState, readonly Source[]>> = {
  waiting: [waiting(sql`lane = 0`), waiting(sql`lane = 1`), waiting(sql`lane = 2`)],
  delivered: [done(sql`state = 1`)],
  failed: [done(sql`state = 2`)],
  cancelled: [done(sql`state = 3`)],
}

/** Made once, since a page may need one for each of a thousand webhooks. */
const ENTRIES: Readonly<Record<DeliveryState | 'all', Sql>> = {
  waiting: entriesIn(SOURCES.waiting),
  delivered: entriesIn(SOURCES.delivered),
  failed: entriesIn(SOURCES.failed),
  cancelled: entriesIn(SOURCES.cancelled),
  all: entriesIn(Object.values(SOURCES).flat()),
}

function entriesIn(sources: readonly Source[]): Sql {
  const newest = sources.map(
    ({ table, where }) => sql`
      SELECT webhook, event FROM (
        SELECT webhook, event FROM ${table}
        WHERE webhook = ${null} AND ${where} AND event <= ${null} AND event >= ${null}
        ORDER BY event DESC LIMIT ${null}) AS newest`,
  )
  return sql`
    SELECT webhook, event FROM (${unionAll(newest)}) AS sources ORDER BY event DESC LIMIT ${null}`
}

function sourcesOf(status: DeliveryState | undefined): readonly Source[] {
  return status === undefined ? Object.values(SOURCES).flat() : SOURCES[status]
}

function unionAll(selects: readonly Sql[]): Sql {
  return selects.reduce((all, some) => sql`${all} UNION ALL ${some}`)
}

/** The last event of a webhook that is beyond the cursor. */
export function lastOf(after: DeliveryKey | undefined, webhook: number): number {
  if (!after) return FOR_EVER
  return webhook < after.webhook ? after.event : after.event - 1
}

function lastEvent(after: DeliveryKey | undefined): Sql {
  if (!after) return sql`${FOR_EVER}`
  const { event, webhook } = after
  return sql`CASE WHEN webhooks.number < ${webhook} THEN CAST(${event} AS BIGINT)
    ELSE CAST(${event - 1} AS BIGINT) END`
}
