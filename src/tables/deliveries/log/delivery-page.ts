import { countedIn, deliveryId } from '../../../core/delivery/delivery-id.ts'
import { type Database, sql } from '../../../ports/database.ts'
import { type AttemptFacts, attemptsIn } from '../attempt-facts.ts'
import { DELIVERY_OF_ENTRY, stateNumber } from '../delivery.ts'
import { eventsAtHeight, eventsCounted } from '../events.ts'
import { findResult, type StoredResult } from '../results.ts'
import {
  LOG_COLUMNS,
  type LoggedDelivery,
  type LogRow,
  lastOfAll,
  loggedOf,
  oneLogged,
  readLogRows,
} from './logged-delivery.ts'
import { type LogQuestion, lastOf, newestFirst, pageEntries } from './page-entries.ts'

export type { LoggedDelivery }

export type DeliveryWithAttempts = LoggedDelivery & {
  result: StoredResult | null
  /** Oldest first. */
  attempts: AttemptFacts[]
}

type FoundRow = LogRow & { attempts: string }

type TeamWebhook = { number: number; id: string; network: string }

/** In a team of a thousand webhooks a height has a thousand deliveries, and few events. */
const ONE_HEIGHT_MAX = 10_000

/** A delivery changes its state a few times in days: twice in a row within a page is odd. */
const TRIES_MAX = 3

/** A page of a team's deliveries, newest first: by event, and within one by webhook. */
export async function listDeliveryPage(
  db: Database,
  teamId: string,
  question: LogQuestion,
): Promise<LoggedDelivery[]> {
  const { block, status } = question
  if (block !== undefined) return pageOfBlock(db, teamId, block, question)

  for (let tries = 1; ; tries++) {
    const entries = await pageEntries(db, teamId, question)
    const page = (await readLogRows(db, entries)).sort(newestFirst)
    const isSame = ({ state }: LogRow) => status === undefined || state === stateNumber(status)
    // A delivery that changed between the statements is looked for again in its new place.
    const isWhole = page.length === entries.length && page.every(isSame)
    if (isWhole || tries === TRIES_MAX) return loggedOf(db, page.filter(isSame))
  }
}

/** Few at one height, so that these are read first and sorted out afterwards. */
async function pageOfBlock(
  db: Database,
  teamId: string,
  block: number,
  { webhookId, status, after, eventMin = 0, limit }: LogQuestion,
): Promise<LoggedDelivery[]> {
  const webhooks = await webhooksOf(db, teamId, webhookId)
  const rows: LogRow[] = []
  for (const [network, some] of Map.groupBy(webhooks, (one) => one.network)) {
    const numbers = some.map(({ number }) => number)
    for (const { event, webhook } of await eventsAtHeight(db, network, block, ONE_HEIGHT_MAX)) {
      const among = webhook === null ? numbers : numbers.filter((number) => number === webhook)
      const keys = among.map((number) => ({ event, webhook: number }))
      rows.push(...(await readLogRows(db, keys)))
    }
  }
  const meant = rows.filter((row) => {
    const isInState = status === undefined || row.state === stateNumber(status)
    return isInState && row.event <= lastOf(after, row.webhook) && row.event >= eventMin
  })
  return loggedOf(db, meant.sort(newestFirst).slice(0, limit))
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
  return { ...foundOf(row), result, attempts: attemptsIn(row.attempts) }
}

export async function findDelivery(
  db: Database,
  teamId: string,
  id: string,
): Promise<LoggedDelivery | null> {
  const row = await findRow(db, teamId, id)
  return row && foundOf(row)
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
      const [row] = found ? await readFound(db, event, found.number) : []
      if (row) return row
    }
  }
  return null
}

function foundOf({ attempts, ...row }: FoundRow): LoggedDelivery {
  return oneLogged(row, lastOfAll(attempts))
}

function readFound(db: Database, event: number, webhook: number): Promise<FoundRow[]> {
  return db.query<FoundRow>(sql`
    SELECT ${LOG_COLUMNS}, deliveries.attempts
    FROM (
      SELECT CAST(${event} AS BIGINT) AS event, CAST(${webhook} AS BIGINT) AS webhook
    ) AS entries ${DELIVERY_OF_ENTRY}`)
}

function webhooksOf(db: Database, teamId: string, webhookId?: string): Promise<TeamWebhook[]> {
  const one = webhookId === undefined ? sql`` : sql`AND id = ${webhookId}`
  return db.query<TeamWebhook>(sql`
    SELECT number, id, network FROM webhooks WHERE team_id = ${teamId} ${one}`)
}
