import { deliveryId } from '../../../core/delivery/delivery-id.ts'
import { type Database, type Sql, sql } from '../../../ports/database.ts'
import type { LastAttempt } from '../attempt-facts.ts'
import { type DeliveryKey, type DeliveryState, keyOf, stateOf } from '../delivery.ts'
import { lastListed } from '../done-deliveries.ts'
import { firstEventAt } from './first-event-at.ts'
import { ATTEMPTS_END, lastAttemptsOf } from './logged-delivery.ts'
import { newestFirst, SOURCES } from './page-entries.ts'

export type WebhookStats = {
  webhookId: string
  delivered: number
  failed: number
  waiting: number
  /** Deliveries with more than one attempt, among the newest. */
  retried: number
  /** All that were created since then are counted. */
  fromMs: number
  /** Oldest first. */
  recent: readonly RecentDelivery[]
}

type RecentDelivery = {
  id: string
  state: DeliveryState
  attemptsMade: number
  isRerun: boolean
  createdAtMs: number
  blockNumber: number | null
  lastAttempt: LastAttempt | null
}

type CountRow = Record<'number' | 'delivered' | 'failed' | 'waiting' | 'retried', number> & {
  id: string
}

type UnlistedRow = { webhook: number; delivered: number; retried: number }

type RecentRow = DeliveryKey &
  Omit<RecentDelivery, 'id' | 'state' | 'isRerun' | 'lastAttempt'> &
  Record<'state' | 'isRerun' | 'sequenceNumber', number> & { attemptsEnd: string }

const DAY_MS = 24 * 3_600_000

/** Deliveries of a webhook that are counted: a day of a block every nine seconds. */
const COUNTED_MAX = 10_000

const SAMPLED_MAX = 100

const RECENT_MAX = 48

/** Ten times the slots a team has. */
const WEBHOOKS_MAX = 1_000

const OF_TEAM = (teamId: string) => sql`
  webhooks.team_id = ${teamId} AND webhooks.state <> 'deleted'`

/**
 * All webhooks of a team at once, oldest first. They are counted by the lists, which have an entry
 * of a few bytes for each delivery; of the deliveries themselves only the newest are read.
 */
export async function webhookStats(
  db: Database,
  teamId: string,
  nowMs: number,
): Promise<WebhookStats[]> {
  const dayFrom = await firstEventAt(db, nowMs - DAY_MS)
  const listed = await lastListed(db)
  const counted = await countListed(db, teamId, dayFrom)
  const unlisted = await countUnlisted(db, teamId, Math.max(listed + 1, dayFrom))
  const recent = await recentRows(db, teamId, listed + 1, counted.length)
  const lasts = await lastAttemptsOf(db, recent)
  const lastOf = new Map(recent.map((row, at) => [row, lasts[at] ?? null]))
  const byWebhook = Map.groupBy(recent, ({ webhook }) => webhook)
  const stats: WebhookStats[] = []
  for (const { number, id, delivered, failed, waiting, retried } of counted) {
    const more = unlisted.get(number)
    const from = delivered < COUNTED_MAX ? null : await windowOf(db, number, dayFrom)
    const newest = (byWebhook.get(number) ?? []).slice(0, RECENT_MAX).reverse()
    stats.push({
      webhookId: id,
      delivered: delivered + (more?.delivered ?? 0),
      failed: from?.failed ?? failed,
      waiting,
      retried: retried + (more?.retried ?? 0),
      fromMs: from?.createdAtMs ?? nowMs - DAY_MS,
      recent: newest.map((row) => recentOf(id, row, lastOf.get(row) ?? null)),
    })
  }
  return stats
}

function countListed(db: Database, teamId: string, from: number): Promise<CountRow[]> {
  const counted = (of: Sql) => sql`(
    SELECT CAST(COUNT(*) AS BIGINT) FROM (${of} LIMIT ${COUNTED_MAX}) AS entries)`
  const done = (state: Sql) => sql`
    SELECT event FROM done_deliveries
    WHERE webhook = webhooks.number AND state = ${state} AND event >= ${from}`
  const retried = sql`(
    SELECT CAST(COUNT(*) AS BIGINT) FROM (
      ${done(sql`1`)} ORDER BY event DESC LIMIT ${SAMPLED_MAX}) AS newest
    JOIN deliveries ON deliveries.key = newest.event * 16777216 + webhooks.number
    WHERE deliveries.attempts_made > 1)`
  return db.query<CountRow>(sql`
    SELECT number, id, ${counted(done(sql`1`))} AS delivered, ${counted(done(sql`2`))} AS failed,
      ${counted(sql`SELECT 1 FROM outbox WHERE webhook = webhooks.number`)} AS waiting,
      ${retried} AS retried
    FROM webhooks WHERE ${OF_TEAM(teamId)}
    ORDER BY created_at_ms, id LIMIT ${WEBHOOKS_MAX}`)
}

async function countUnlisted(
  db: Database,
  teamId: string,
  first: number,
): Promise<Map<number, UnlistedRow>> {
  const rows = await db.query<UnlistedRow>(sql`
    SELECT key % 16777216 AS webhook, CAST(COUNT(*) AS BIGINT) AS delivered,
      CAST(SUM(CASE WHEN attempts_made > 1 THEN 1 ELSE 0 END) AS BIGINT) AS retried
    FROM deliveries
    WHERE key >= ${keyOf(first, 0)} AND deliveries.state = 1
      AND key % 16777216 IN (SELECT number FROM webhooks WHERE ${OF_TEAM(teamId)})
    GROUP BY key % 16777216`)
  return new Map(rows.map((row) => [row.webhook, row]))
}

/** The newest deliveries of each webhook and a few more, newest first. */
async function recentRows(
  db: Database,
  teamId: string,
  unlistedFrom: number,
  webhooks: number,
): Promise<RecentRow[]> {
  // There are never more; PostgreSQL would reckon with far more, and read whole tables.
  const rowsMax = RECENT_MAX * webhooks
  const rows = await readRecent(db, newestUnlisted(teamId, unlistedFrom))
  for (const list of LISTS) rows.push(...(await readRecent(db, newestIn(teamId, list, rowsMax))))
  return rows.sort(newestFirst)
}

/** The lists that have a webhook's deliveries; nothing is cancelled before it is deleted. */
const LISTS = [...SOURCES.waiting, ...SOURCES.delivered, ...SOURCES.failed]

/** The newest of each webhook in a list: first how far it goes back, so that no more is read. */
function newestIn(teamId: string, { table, where }: (typeof LISTS)[number], rowsMax: number): Sql {
  return sql`
    bounds AS MATERIALIZED (
      SELECT number, COALESCE((
        SELECT event FROM ${table} WHERE webhook = webhooks.number AND ${where}
        ORDER BY event DESC LIMIT 1 OFFSET ${RECENT_MAX - 1}), 0) AS lowest
      FROM webhooks WHERE ${OF_TEAM(teamId)}),
    entries AS MATERIALIZED (
      SELECT event, webhook FROM bounds JOIN ${table}
        ON webhook = bounds.number AND ${where} AND event >= bounds.lowest
      LIMIT ${rowsMax})`
}

function newestUnlisted(teamId: string, first: number): Sql {
  return sql`
    entries AS MATERIALIZED (
      SELECT key / 16777216 AS event, key % 16777216 AS webhook FROM (
        SELECT key, ROW_NUMBER() OVER (PARTITION BY key % 16777216 ORDER BY key DESC) AS place
        FROM deliveries
        WHERE key >= ${keyOf(first, 0)} AND deliveries.state = 1
          AND key % 16777216 IN (SELECT number FROM webhooks WHERE ${OF_TEAM(teamId)})
      ) AS placed WHERE place <= ${RECENT_MAX})`
}

function readRecent(db: Database, entries: Sql): Promise<RecentRow[]> {
  return db.query<RecentRow>(sql`
    WITH ${entries}
    SELECT entries.event, entries.webhook, deliveries.state,
      deliveries.attempts_made AS "attemptsMade", events.rerun AS "isRerun",
      events.sequence_number AS "sequenceNumber", events.created_at_ms AS "createdAtMs",
      events.block_number AS "blockNumber", ${ATTEMPTS_END} AS "attemptsEnd"
    FROM entries
      JOIN deliveries ON deliveries.key = entries.event * 16777216 + entries.webhook
      JOIN events ON events.event = entries.event`)
}

/** Where the counted ones of a webhook begin that has more in a day, and what failed since. */
async function windowOf(
  db: Database,
  webhook: number,
  dayFrom: number,
): Promise<{ createdAtMs: number; failed: number } | null> {
  const [first] = await db.query<{ event: number; created_at_ms: number }>(sql`
    SELECT events.event, events.created_at_ms FROM (
      SELECT event FROM done_deliveries
      WHERE webhook = ${webhook} AND state = 1 AND event >= ${dayFrom}
      ORDER BY event DESC LIMIT 1 OFFSET ${COUNTED_MAX - 1}) AS first
    JOIN events ON events.event = first.event`)
  if (!first) return null
  const [counted] = await db.query<{ failed: number }>(sql`
    SELECT CAST(COUNT(*) AS BIGINT) AS failed FROM (
      SELECT 1 FROM done_deliveries
      WHERE webhook = ${webhook} AND state = 2 AND event >= ${first.event}
      LIMIT ${COUNTED_MAX}) AS entries`)
  return { createdAtMs: first.created_at_ms, failed: counted?.failed ?? 0 }
}

function recentOf(
  webhookId: string,
  { event, webhook, sequenceNumber, attemptsEnd, ...row }: RecentRow,
  lastAttempt: LastAttempt | null,
): RecentDelivery {
  const id = deliveryId(webhookId, sequenceNumber)
  return { ...row, id, state: stateOf(row.state), isRerun: row.isRerun === 1, lastAttempt }
}
