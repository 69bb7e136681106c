import { type Database, sql, sqlRows } from '../../../ports/database.ts'
import { rowsOfChunks } from '../../sql/row-chunks.ts'
import { DELIVERY_OF_ENTRY, type DeliveryKey, stateNumber } from '../delivery.ts'
import { EVENT_MAX } from '../done-deliveries.ts'
import { listDeliveryPage } from './delivery-page.ts'
import { firstEventAt } from './first-event-at.ts'
import {
  entriesOf,
  LOG_COLUMNS,
  type LoggedDelivery,
  type LogRow,
  loggedOf,
  readLogged,
} from './logged-delivery.ts'
import { type LogQuestion, lastOf, newestFirst, pageEntries } from './page-entries.ts'

export type DeliverySearch = Omit<LogQuestion, 'eventMin'> & {
  /** Created then or later. */
  fromMs?: number | undefined
  /** Created before then. */
  beforeMs?: number | undefined
  attemptsMin?: number | undefined
  isRerun?: boolean | undefined
}

/** Newest first; `next` is where the search goes on, null when it is over. */
export type SearchedPage = { deliveries: LoggedDelivery[]; next: DeliveryKey | null }

/** Nothing leads to deliveries by their attempts: so many are looked at for one page. */
const LOOKED_AT_MAX = 5_000
const LOOK_AT_ONCE = 1_000

/** Events that ran a height again are few, and each may have a delivery for each webhook. */
const RERUNS_MAX = 200
const RERUNS_AT_ONCE = 20

export async function searchDeliveries(
  db: Database,
  teamId: string,
  search: DeliverySearch,
): Promise<SearchedPage> {
  const { isRerun, attemptsMin, block, limit } = search
  const question = await withinTimes(db, search)
  const isMeant = (one: LoggedDelivery) =>
    one.attemptsMade >= (attemptsMin ?? 0) && (isRerun ?? one.isRerun) === one.isRerun
  if (block === undefined && isRerun === true) {
    return rerunPage(db, teamId, question, isMeant)
  }
  if (attemptsMin !== undefined || isRerun !== undefined) {
    return siftedPage(question, isMeant, (after, count) => {
      const here = { ...question, after, limit: count }
      if (block !== undefined || attemptsMin === undefined) return plainLook(db, teamId, here)
      return lookForAttempts(db, teamId, here, attemptsMin)
    })
  }
  // One more than asked for tells whether there is another page.
  const found = await listDeliveryPage(db, teamId, { ...question, limit: limit + 1 })
  return cutPage(found, limit, null)
}

async function withinTimes(db: Database, search: DeliverySearch): Promise<LogQuestion> {
  const { fromMs, beforeMs, after, webhookId, status, block, limit } = search
  const eventMin = fromMs === undefined ? undefined : await firstEventAt(db, fromMs)
  const question = { webhookId, status, block, after, eventMin, limit }
  if (beforeMs === undefined) return question
  const end = { event: await firstEventAt(db, beforeMs), webhook: 0 }
  return after && after.event < end.event ? question : { ...question, after: end }
}

/** A part of the log that was looked at: what may be meant, and the last delivery of it. */
type Look = { some: readonly LoggedDelivery[]; last: DeliveryKey | undefined; count: number }

async function siftedPage(
  question: LogQuestion,
  isMeant: (one: LoggedDelivery) => boolean,
  lookAt: (after: DeliveryKey | undefined, count: number) => Promise<Look>,
): Promise<SearchedPage> {
  const { limit } = question
  const found: LoggedDelivery[] = []
  let after = question.after
  for (let lookedAt = 0; lookedAt < LOOKED_AT_MAX; ) {
    const { some, last, count } = await lookAt(after, LOOK_AT_ONCE)
    if (last === undefined) return cutPage(found, limit, null)
    found.push(...some.filter(isMeant))
    lookedAt += count
    after = last
    if (found.length > limit) break
  }
  return cutPage(found, limit, after ? { event: after.event, webhook: after.webhook } : null)
}

async function plainLook(db: Database, teamId: string, question: LogQuestion): Promise<Look> {
  const some = await listDeliveryPage(db, teamId, question)
  return { some, last: some.at(-1), count: some.length }
}

/** Most were accepted at once: only their attempts are counted, and nothing more is read. */
async function lookForAttempts(
  db: Database,
  teamId: string,
  question: LogQuestion,
  attemptsMin: number,
): Promise<Look> {
  const { status } = question
  const entries = await pageEntries(db, teamId, question)
  const keys = await rowsOfChunks(entriesOf(entries), (some) =>
    db.query<DeliveryKey>(sql`
      WITH ${some}
      SELECT entries.event, entries.webhook FROM entries
        JOIN deliveries ON deliveries.key = entries.event * 16777216 + entries.webhook
      WHERE deliveries.attempts_made >= ${attemptsMin}`),
  )
  const some = await readLogged(db, keys)
  const isInState = (one: LoggedDelivery) => status === undefined || one.state === status
  const sorted = some.filter(isInState).sort(newestFirst)
  return { some: sorted, last: entries.at(-1), count: entries.length }
}

async function rerunPage(
  db: Database,
  teamId: string,
  question: LogQuestion,
  isMeant: (one: LoggedDelivery) => boolean,
): Promise<SearchedPage> {
  const { after, status, limit } = question
  const found: LoggedDelivery[] = []
  let last = after?.event ?? EVENT_MAX
  for (let events = 0; events < RERUNS_MAX; events += RERUNS_AT_ONCE) {
    const some = await rerunEvents(db, last, question.eventMin ?? 0)
    const rows = (await rowsOf(db, teamId, some, question.webhookId)).filter((row) => {
      const isInState = status === undefined || row.state === stateNumber(status)
      return isInState && row.event <= lastOf(after, row.webhook)
    })
    found.push(...(await loggedOf(db, rows.sort(newestFirst))).filter(isMeant))
    if (some.length < RERUNS_AT_ONCE) return cutPage(found, limit, null)
    last = (some.at(-1) ?? 0) - 1
    if (found.length > limit) break
  }
  return cutPage(found, limit, { event: last + 1, webhook: 0 })
}

async function rerunEvents(db: Database, last: number, first: number): Promise<number[]> {
  const rows = await db.query<{ event: number }>(sql`
    SELECT event FROM events WHERE rerun = 1 AND event <= ${last} AND event >= ${first}
    ORDER BY event DESC LIMIT ${RERUNS_AT_ONCE}`)
  return rows.map(({ event }) => event)
}

async function rowsOf(
  db: Database,
  teamId: string,
  events: readonly number[],
  webhookId: string | undefined,
): Promise<LogRow[]> {
  if (events.length === 0) return []
  const one = webhookId === undefined ? sql`` : sql`AND webhooks.id = ${webhookId}`
  return db.query<LogRow>(sql`
    SELECT ${LOG_COLUMNS} FROM (
      SELECT events.event AS event, webhooks.number AS webhook
      FROM events JOIN webhooks ON webhooks.network = events.network
      WHERE events.event IN ${sqlRows([events])} AND webhooks.team_id = ${teamId} ${one}
    ) AS entries ${DELIVERY_OF_ENTRY}`)
}

function cutPage(
  found: readonly LoggedDelivery[],
  limit: number,
  next: DeliveryKey | null,
): SearchedPage {
  const deliveries = found.slice(0, limit)
  const last = deliveries.at(-1)
  const isCut = found.length > limit && last !== undefined
  return { deliveries, next: isCut ? { event: last.event, webhook: last.webhook } : next }
}
