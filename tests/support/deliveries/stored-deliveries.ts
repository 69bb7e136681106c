import { type Database, sql } from '../../../src/ports/database.ts'

/** A delivery as its row says, with its webhook's team. */
export type StoredDelivery = {
  event: number
  webhook: number
  team_id: string | null
  part: number | null
  state: number
  attempts_made: number
  attempts_bytes: number
  attempts: string
}

/** A delivery in the log without its result and its attempts. */
const DELIVERY_BYTES = 1024

const WAITING = 0
const FAILED = 2

/** Of later events, what is delivered is not listed yet; PostgreSQL lists all of it at once. */
export const LAST_LISTED = sql`COALESCE((SELECT event FROM listing), 549755813886)`

export function storedDeliveries(db: Database): Promise<StoredDelivery[]> {
  return db.query<StoredDelivery>(sql`
    SELECT deliveries.key / 16777216 AS event, deliveries.key % 16777216 AS webhook, team_id, part,
      deliveries.state, attempts_made, attempts_bytes, attempts
    FROM deliveries LEFT JOIN webhooks ON webhooks.number = deliveries.key % 16777216`)
}

/**
 * How tables that tell of deliveries contradict each other: each delivery stands either in the
 * outbox or among those that are done, unless it is delivered and new, and each result belongs to
 * one. Null when they agree.
 */
export async function contradiction(db: Database): Promise<string | null> {
  const entries = new Map<string, number[]>()
  const rows = await db.query<{ event: number; webhook: number; state: number }>(sql`
    SELECT event, webhook, ${WAITING} AS state FROM outbox
    UNION ALL SELECT event, webhook, state FROM done_deliveries
    UNION ALL SELECT key / 16777216, key % 16777216, state FROM deliveries
    WHERE state = 1 AND key / 16777216 > ${LAST_LISTED}`)
  for (const { event, webhook, state } of rows) {
    const key = `${event}/${webhook}`
    entries.set(key, [...(entries.get(key) ?? []), state])
  }
  const used = new Set<string>()
  for (const { event, webhook, part, state } of await storedDeliveries(db)) {
    const key = `${event}/${webhook}`
    if (entries.get(key)?.join() !== `${state}`)
      return `${key} is ${state}, not ${entries.get(key)}`
    entries.delete(key)
    used.add(`${event}/${part}`)
  }
  for (const [key, states] of entries) return `${key} is ${states} and has no row`
  for (const { event, part } of await storedResults(db)) {
    if (!used.has(`${event}/${part}`)) return `the result ${part} of event ${event} is nobody's`
  }
  return null
}

/** What is counted as it goes along and differs from a count of everything; null when none does. */
export async function miscount(db: Database): Promise<string | null> {
  const results = await storedResults(db)
  const bytesOf = new Map(results.map(({ event, part, bytes }) => [`${event}/${part}`, bytes]))
  const undelivered = new Map<string | null, number>()
  let logBytes = results.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { event, webhook, part, state, team_id, ...row } of await storedDeliveries(db)) {
    logBytes += DELIVERY_BYTES + row.attempts_bytes
    if (Buffer.byteLength(row.attempts) > row.attempts_bytes) return `${event}/${webhook} has more`
    if (part === null || (state !== WAITING && state !== FAILED)) continue
    const bytes = DELIVERY_BYTES + (bytesOf.get(`${event}/${part}`) ?? 0)
    undelivered.set(team_id, (undelivered.get(team_id) ?? 0) + bytes)
  }
  const [size] = await db.query<{ bytes: number | null }>(sql`
    SELECT CAST(SUM(bytes) AS BIGINT) AS bytes FROM log_sizes`)
  if ((size?.bytes ?? 0) !== logBytes) return `the log of ${logBytes} is said to be ${size?.bytes}`
  const backlogs = await db.query<{ team_id: string; bytes: number }>(sql`
    SELECT team_id, CAST(SUM(bytes) AS BIGINT) AS bytes FROM team_backlogs
    GROUP BY team_id`)
  for (const { team_id, bytes } of backlogs) {
    const counted = undelivered.get(team_id) ?? 0
    if (bytes !== counted) return `${team_id} has ${counted} undelivered, not ${bytes}`
    undelivered.delete(team_id)
  }
  const [uncounted] = undelivered.keys()
  return uncounted === undefined ? null : `what ${uncounted} has undelivered is not counted`
}

function storedResults(db: Database) {
  return db.query<{ event: number; part: number; bytes: number }>(sql`
    SELECT key / 16777216 AS event, key % 16777216 AS part, bytes FROM results`)
}
