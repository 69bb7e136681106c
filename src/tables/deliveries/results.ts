import type { Truncation } from '../../core/query/output/query-result.ts'
import { type Database, sql, sqlRows } from '../../ports/database.ts'
import { listChunks, rowChunks } from '../sql/row-chunks.ts'
import { isOfEvent, keyOf } from './delivery.ts'

export type EventResult = {
  data: string
  bytes: number
  truncation: Truncation | null
  /** Its block was proven by the hash. */
  isVerified?: boolean
}

export type StoredResult = Pick<EventResult, 'data' | 'truncation' | 'isVerified'>

export type StoredPart = StoredResult & { event: number; part: number }

const INSERT = sql`
  INSERT INTO results (key, bytes, truncation, data, verified)
  VALUES (${keyOf(null, null)}, ${null}, ${null}, ${null}, ${null})`

type ResultRow = { data: string; truncation: string | null; verified: number }

/** Stores results of an event; their parts are counted upwards from the first one's. */
export async function insertResults(
  tx: Database,
  event: number,
  results: readonly EventResult[],
  firstPart = 0,
): Promise<void> {
  const rows = results.map(({ data, bytes, truncation, isVerified }, at) => [
    event,
    firstPart + at,
    bytes,
    truncation && JSON.stringify(truncation),
    data,
    isVerified ? 1 : 0,
  ])
  await Promise.all(rowChunks(rows).map((chunk) => tx.each(INSERT, chunk)))
}

/** These parts of an event, as far as the log holds them; none of the others. */
export async function resultsOf(
  db: Database,
  event: number,
  parts: readonly number[],
): Promise<StoredPart[]> {
  const found: StoredPart[] = []
  for (const chunk of listChunks(parts)) {
    const rows = await db.query<ResultRow & { part: number }>(sql`
      SELECT key % 16777216 AS part, data, truncation, verified FROM results
      WHERE ${isOfEvent('results', event)} AND key % 16777216 IN ${sqlRows([chunk])}`)
    for (const { part, ...stored } of rows) found.push({ event, part, ...resultOf(stored) })
  }
  return found
}

/** The result that a delivery carries; null when the log does not hold it any more. */
export async function findResult(
  db: Database,
  event: number,
  part: number,
): Promise<StoredResult | null> {
  const [found] = await db.query<ResultRow>(sql`
    SELECT data, truncation, verified FROM results WHERE key = ${keyOf(event, part)}`)
  return found ? resultOf(found) : null
}

/** Removes the results of an event that none of its deliveries carries; their bytes. */
export async function dropResults(tx: Database, event: number): Promise<number> {
  const dropped = await tx.query<{ bytes: number }>(sql`
    DELETE FROM results WHERE ${isOfEvent('results', event)}
      AND key - ${keyOf(event, 0)} NOT IN (
        SELECT part FROM deliveries
        WHERE ${isOfEvent('deliveries', event)} AND part IS NOT NULL)
    RETURNING bytes`)
  return dropped.reduce((sum, { bytes }) => sum + bytes, 0)
}

function resultOf({ data, truncation, verified }: ResultRow): StoredResult {
  const result = { data, truncation: truncation && JSON.parse(truncation) }
  return verified === 1 ? { ...result, isVerified: true } : result
}
