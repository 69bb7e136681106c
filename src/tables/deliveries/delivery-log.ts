import { countedIn, deliveryId } from '../../core/delivery/delivery-id.ts'
import { type Database, type Sql, sql, sqlRows } from '../../ports/database.ts'
import { listChunks } from '../sql/statement-chunks.ts'
import { type AttemptFacts, attemptsIn } from './attempt-facts.ts'
import {
  DELIVERY_OF_ENTRY,
  type DeliveryKey,
  type DeliveryState,
  LOG_COLUMNS,
  type LoggedDelivery,
  type LogRow,
  loggedOf,
  stateNumber,
} from './delivery.ts'
import { eventsAtHeight, eventsCounted } from './events.ts'
import { findResult, type StoredResult } from './results.ts'

export type LogQuestion = {
  webhookId?: string | undefined
  status?: DeliveryState | undefined
  block?: number | undefined
  /** The last delivery of the page before. */
  after?: DeliveryKey | undefined
  limit: number
}

export type DeliveryWithAttempts = LoggedDelivery & {
  result: StoredResult | null
  /** Oldest first. */
  attempts: AttemptFacts[]
}

type FoundRow = LogRow & { attempts: string }

type TeamWebhook = { number: number; id: string; network: string }

/** Where a webhook's part of a page begins: its newest delivery that may be on it. */
type Head = { webhook: number; event: number }

/** In a team of a thousand webhooks a height has a thousand deliveries, and few events. */
const ONE_HEIGHT_MAX = 10_000

const FOR_EVER = Number.MAX_SAFE_INTEGER

/**
 * A page of a team's deliveries, newest first: by event, and within one by webhook. First the
 * newest of each webhook below the cursor is looked up, and then only those webhooks are read
 * that have a place on the page, each in one statement.
 */
export async function listDeliveryPage(
  db: Database,
  teamId: string,
  question: LogQuestion,
): Promise<LoggedDelivery[]> {
  const { block, limit } = question
  if (block !== undefined) return pageOfBlock(db, teamId, block, question)

  let page: LogRow[] = []
  for (const { webhook, event } of await heads(db, teamId, question)) {
    const lowest = page[limit - 1]?.event ?? 0
    if (event < lowest) break
    page.push(...(await pageOfWebhook(db, webhook, lowest, question)))
    page = page.sort(newestFirst).slice(0, limit)
  }
  return page.map(loggedOf)
}

/** The webhooks that may have a place on the page, those with the newest deliveries first. */
function heads(
  db: Database,
  teamId: string,
  { webhookId, status, after, limit }: LogQuestion,
): Promise<Head[]> {
  const one = webhookId === undefined ? sql`` : sql`AND webhooks.id = ${webhookId}`
  const newest = sourcesOf(status).map(
    ({ table, where }) => sql`
      SELECT MAX(event) AS event FROM ${table}
      WHERE webhook = webhooks.number AND ${where} AND event <= ${lastEvent(after)}`,
  )
  return db.query<Head>(sql`
    SELECT webhook, event FROM (
      SELECT webhooks.number AS webhook, (
        SELECT MAX(event) FROM (${unionAll(newest)}) AS sources) AS event
      FROM webhooks WHERE team_id = ${teamId} ${one}) AS heads
    WHERE event IS NOT NULL ORDER BY event DESC, webhook DESC LIMIT ${limit}`)
}

/** The newest deliveries of a webhook, down to that event. */
function pageOfWebhook(
  db: Database,
  webhook: number,
  lowest: number,
  { status, after, limit }: LogQuestion,
): Promise<LogRow[]> {
  const last = lastOf(after, webhook)
  const newest = sourcesOf(status).map(
    ({ table, where, dueAtMs }) => sql`
      SELECT webhook, event, due_at_ms FROM (
        SELECT webhook, event, ${dueAtMs} AS due_at_ms FROM ${table}
        WHERE webhook = ${webhook} AND ${where} AND event <= ${last} AND event >= ${lowest}
        ORDER BY event DESC LIMIT ${limit}) AS newest`,
  )
  return db.query<LogRow>(sql`
    SELECT ${LOG_COLUMNS}, entries.due_at_ms FROM (
      SELECT webhook, event, due_at_ms FROM (${unionAll(newest)}) AS sources
      ORDER BY event DESC LIMIT ${limit}) AS entries ${DELIVERY_OF_ENTRY}
    ORDER BY entries.event DESC`)
}

/** Few at one height, so that these are read first and sorted out afterwards. */
async function pageOfBlock(
  db: Database,
  teamId: string,
  block: number,
  { webhookId, status, after, limit }: LogQuestion,
): Promise<LoggedDelivery[]> {
  const webhooks = await webhooksOf(db, teamId, webhookId)
  const rows: LogRow[] = []
  for (const [network, some] of Map.groupBy(webhooks, (one) => one.network)) {
    const numbers = some.map(({ number }) => number)
    for (const { event, webhook } of await eventsAtHeight(db, network, block, ONE_HEIGHT_MAX)) {
      const among = webhook === null ? numbers : numbers.filter((number) => number === webhook)
      for (const chunk of listChunks(among)) rows.push(...(await readRows(db, event, chunk)))
    }
  }
  const meant = rows.filter((row) => {
    const isInState = status === undefined || row.state === stateNumber(status)
    return isInState && row.event <= lastOf(after, row.webhook)
  })
  return meant.sort(newestFirst).slice(0, limit).map(loggedOf)
}

function newestFirst(a: LogRow, b: LogRow): number {
  return b.event - a.event || b.webhook - a.webhook
}

/** Null when the team has no such delivery. */
export async function findDeliveryWithAttempts(
  db: Database,
  teamId: string,
  id: string,
): Promise<DeliveryWithAttempts | null> {
  const row = await findRow(db, teamId, id)
  if (!row) return null
  const { event, part } = row
  const result = part === null ? null : await findResult(db, event, part)
  return { ...loggedOf(row), result, attempts: attemptsIn(row.attempts) }
}

export async function findDelivery(
  db: Database,
  teamId: string,
  id: string,
): Promise<LoggedDelivery | null> {
  const row = await findRow(db, teamId, id)
  return row && loggedOf(row)
}

/**
 * Nothing leads from an id to its delivery, but it tells four digits of its event's number: the
 * few events there may be are tried with the webhooks of the team.
 */
async function findRow(db: Database, teamId: string, id: string): Promise<FoundRow | null> {
  const counted = countedIn(id)
  if (counted === null) return null

  const webhooks = await webhooksOf(db, teamId)
  for (const [network, some] of Map.groupBy(webhooks, (one) => one.network)) {
    for (const { event, sequenceNumber, webhook } of await eventsCounted(db, network, counted)) {
      const among = webhook === null ? some : some.filter(({ number }) => number === webhook)
      const found = among.find((one) => deliveryId(one.id, sequenceNumber) === id)
      const [row] = found ? await readRows(db, event, [found.number]) : []
      if (row) return row
    }
  }
  return null
}

/** Deliveries of one event. */
function readRows(db: Database, event: number, webhooks: readonly number[]): Promise<FoundRow[]> {
  return db.query<FoundRow>(sql`
    SELECT ${LOG_COLUMNS}, deliveries.attempts, (
      SELECT MAX(due_at_ms) FROM outbox WHERE outbox.webhook = entries.webhook
        AND outbox.lane IN (0, 1, 2) AND outbox.event = entries.event) AS due_at_ms
    FROM (
      SELECT CAST(${event} AS BIGINT) AS event, number AS webhook FROM webhooks
      WHERE number IN ${sqlRows([webhooks])}) AS entries ${DELIVERY_OF_ENTRY}`)
}

function webhooksOf(db: Database, teamId: string, webhookId?: string): Promise<TeamWebhook[]> {
  const one = webhookId === undefined ? sql`` : sql`AND id = ${webhookId}`
  return db.query<TeamWebhook>(sql`
    SELECT number, id, network FROM webhooks WHERE team_id = ${teamId} ${one}`)
}

type Source = { table: Sql; where: Sql; dueAtMs: Sql }

const waitingIn = (lane: number): Source => {
  return { table: sql`outbox`, where: sql`lane = ${lane}`, dueAtMs: sql`due_at_ms` }
}

const doneAs = (state: DeliveryState): Source => {
  const where = sql`state = ${stateNumber(state)}`
  return { table: sql`done_deliveries`, where, dueAtMs: sql`NULL` }
}

/** Each of these has a webhook's deliveries in the order of events. */
const SOURCES: Readonly<Record<DeliveryState, readonly Source[]>> = {
  waiting: [waitingIn(0), waitingIn(1), waitingIn(2)],
  delivered: [doneAs('delivered')],
  failed: [doneAs('failed')],
  cancelled: [doneAs('cancelled')],
}

function sourcesOf(status: DeliveryState | undefined): readonly Source[] {
  return status === undefined ? Object.values(SOURCES).flat() : SOURCES[status]
}

function unionAll(selects: readonly Sql[]): Sql {
  return selects.reduce((all, some) => sql`${all} UNION ALL ${some}`)
}

/** The last event of a webhook that is beyond the cursor. */
function lastOf(after: DeliveryKey | undefined, webhook: number): number {
  if (!after) return FOR_EVER
  return webhook < after.webhook ? after.event : after.event - 1
}

/** The same in SQL. */
function lastEvent(after: DeliveryKey | undefined): Sql {
  if (!after) return sql`${FOR_EVER}`
  const { event, webhook } = after
  return sql`CASE WHEN webhooks.number < ${webhook} THEN CAST(${event} AS BIGINT)
    ELSE CAST(${event - 1} AS BIGINT) END`
}
