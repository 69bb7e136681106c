import { countedIn, deliveryId } from '../../core/delivery/delivery-id.ts'
import { type Database, type Sql, sql, sqlRows } from '../../ports/database.ts'
import { listChunks, rowChunks } from '../sql/row-chunks.ts'
import { typedRows } from '../sql/typed-rows.ts'
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

/** Where a delivery stands in the log, and when it is due if it waits. */
type LogEntry = DeliveryKey & { due_at_ms: number | null }

/** In a team of a thousand webhooks a height has a thousand deliveries, and few events. */
const ONE_HEIGHT_MAX = 10_000

const FOR_EVER = Number.MAX_SAFE_INTEGER

/** A delivery changes its state a few times in days: twice in a row within a page is odd. */
const TRIES_MAX = 3

/**
 * A page of a team's deliveries, newest first: by event, and within one by webhook. First the
 * newest of each webhook below the cursor is looked up, then those webhooks are read that have a
 * place on the page, and at last the deliveries that are on it.
 */
export async function listDeliveryPage(
  db: Database,
  teamId: string,
  question: LogQuestion,
): Promise<LoggedDelivery[]> {
  const { block, status } = question
  if (block !== undefined) return pageOfBlock(db, teamId, block, question)

  for (let tries = 1; ; tries++) {
    const entries = await pageEntries(db, teamId, question)
    const page = await readEntries(db, entries)
    const isSame = ({ state }: LogRow) => status === undefined || state === stateNumber(status)
    // A delivery that changed between the statements is looked for again in its new place.
    const isWhole = page.length === entries.length && page.every(isSame)
    if (isWhole || tries === TRIES_MAX) return page.filter(isSame).map(loggedOf)
  }
}

async function pageEntries(
  db: Database,
  teamId: string,
  question: LogQuestion,
): Promise<LogEntry[]> {
  const { limit } = question
  const webhooks = await heads(db, teamId, question)
  // As many webhooks have one that is as new as that.
  let lowest = webhooks[limit - 1]?.event ?? 0
  let page: LogEntry[] = []
  for (const { webhook, event } of webhooks) {
    if (event < lowest) break
    const more = await entriesOf(db, webhook, lowest, question)
    // Most webhooks of a large team add little to a page that is full.
    page = [...page, ...more].sort(newestFirst).slice(0, limit)
    lowest = Math.max(lowest, page[limit - 1]?.event ?? 0)
  }
  return page
}

/** The webhooks that may have a place on the page, those with the newest deliveries first. */
function heads(
  db: Database,
  teamId: string,
  { webhookId, status, after, limit }: LogQuestion,
): Promise<DeliveryKey[]> {
  const one = webhookId === undefined ? sql`` : sql`AND webhooks.id = ${webhookId}`
  const newest = sourcesOf(status).map(
    ({ table, where }) => sql`
      SELECT MAX(event) AS event FROM ${table}
      WHERE webhook = webhooks.number AND ${where} AND event <= ${lastEvent(after)}`,
  )
  return db.query<DeliveryKey>(sql`
    SELECT webhook, event FROM (
      SELECT webhooks.number AS webhook, (
        SELECT MAX(event) FROM (${unionAll(newest)}) AS sources) AS event
      FROM webhooks WHERE team_id = ${teamId} ${one}) AS heads
    WHERE event IS NOT NULL ORDER BY event DESC, webhook DESC LIMIT ${limit}`)
}

/**
 * The newest deliveries of a webhook, down to that event. One statement, so that none is missed
 * that goes from one table to another meanwhile.
 */
function entriesOf(
  db: Database,
  webhook: number,
  lowest: number,
  { status, after, limit }: LogQuestion,
): Promise<LogEntry[]> {
  const { parts } = ENTRIES[status ?? 'all']
  const ofSource = [webhook, lastOf(after, webhook), lowest, limit]
  const values = sourcesOf(status).flatMap(() => ofSource)
  return db.query<LogEntry>({ parts, values: [...values, limit] })
}

async function readEntries(db: Database, entries: readonly LogEntry[]): Promise<LogRow[]> {
  const rows: LogRow[] = []
  const keys = entries.map(({ event, webhook, due_at_ms }) => [event, webhook, due_at_ms])
  for (const chunk of rowChunks(keys)) {
    const some = await db.query<LogRow>(sql`
      WITH entries (event, webhook, due_at_ms) AS (
        VALUES ${typedRows(['BIGINT', 'BIGINT', 'BIGINT'], chunk)})
      SELECT ${LOG_COLUMNS}, entries.due_at_ms FROM entries ${DELIVERY_OF_ENTRY}`)
    rows.push(...some)
  }
  return rows.sort(newestFirst)
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

function newestFirst(a: DeliveryKey, b: DeliveryKey): number {
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

const waiting = (where: Sql): Source => {
  return { table: sql`outbox`, where, dueAtMs: sql`due_at_ms` }
}

const done = (where: Sql): Source => {
  return { table: sql`done_deliveries`, where, dueAtMs: sql`NULL` }
}

/** Each of these has a webhook's deliveries in the order of events. */
const SOURCES: Readonly<Record<DeliveryState, readonly Source[]>> = {
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
    ({ table, where, dueAtMs }) => sql`
      SELECT webhook, event, due_at_ms FROM (
        SELECT webhook, event, ${dueAtMs} AS due_at_ms FROM ${table}
        WHERE webhook = ${null} AND ${where} AND event <= ${null} AND event >= ${null}
        ORDER BY event DESC LIMIT ${null}) AS newest`,
  )
  return sql`
    SELECT webhook, event, due_at_ms FROM (${unionAll(newest)}) AS sources
    ORDER BY event DESC LIMIT ${null}`
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
