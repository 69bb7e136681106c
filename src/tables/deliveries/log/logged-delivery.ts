import { type Database, type Sql, sql } from '../../../ports/database.ts'
import { rowChunks, rowsOfChunks } from '../../sql/row-chunks.ts'
import { typedRows } from '../../sql/typed-rows.ts'
import { attemptsIn, type LastAttempt, LINE_END_CHARS, lastAttemptIn } from '../attempt-facts.ts'
import {
  DELIVERY_COLUMNS,
  DELIVERY_OF_ENTRY,
  type Delivery,
  type DeliveryKey,
  type DeliveryRow,
  type DeliveryState,
  deliveryOf,
  stateOf,
} from '../delivery.ts'

export type LoggedDelivery = Delivery & {
  state: DeliveryState
  /** When its next attempt is due; null when it does not wait. */
  dueAtMs: number | null
  /** When it was delivered, given up or cancelled; null while it waits. */
  doneAtMs: number | null
  /** Bytes of the body; null before the first attempt. */
  bodyBytes: number | null
  /** Its event ran a height again that a reorganisation replaced. */
  isRerun: boolean
  /** Its block is not canonical any more. */
  isSuperseded: boolean
  /** Null before the first. */
  lastAttempt: LastAttempt | null
}

export type LogRow = DeliveryRow &
  Pick<LoggedDelivery, 'dueAtMs' | 'doneAtMs' | 'bodyBytes'> & {
    state: number
    isRerun: number
    canonicalSequence: number | null
    attemptsEnd: string
  }

/** The end of a delivery's attempts, which tells the last of them. */
export const ATTEMPTS_END: Sql = {
  parts: [
    `SUBSTR(deliveries.attempts, CASE WHEN LENGTH(deliveries.attempts) > ${LINE_END_CHARS}
      THEN LENGTH(deliveries.attempts) - ${LINE_END_CHARS - 1} ELSE 1 END)`,
  ],
  values: [],
}

/** The columns of a `LogRow`, where a delivery is joined to its entry. */
export const LOG_COLUMNS = sql`
  ${DELIVERY_COLUMNS}, deliveries.state, deliveries.done_at_ms AS "doneAtMs",
  deliveries.body_bytes AS "bodyBytes", events.rerun AS "isRerun",
  ${ATTEMPTS_END} AS "attemptsEnd", (
    SELECT chain_spans.sequence_number + events.block_number - chain_spans.from_number
    FROM chain_spans
    WHERE chain_spans.network = events.network AND chain_spans.from_number <= events.block_number
    ORDER BY chain_spans.from_number DESC LIMIT 1) AS "canonicalSequence", (
    SELECT MAX(due_at_ms) FROM outbox WHERE outbox.webhook = entries.webhook
      AND outbox.lane IN (0, 1, 2) AND outbox.event = entries.event) AS "dueAtMs"`

/** The deliveries of rows, in their order. */
export async function loggedOf(db: Database, rows: readonly LogRow[]): Promise<LoggedDelivery[]> {
  const lasts = await lastAttemptsOf(db, rows)
  return rows.map((row, at) => oneLogged(row, lasts[at] ?? null))
}

/** The last attempt of each delivery; null before the first. */
export async function lastAttemptsOf(
  db: Database,
  rows: readonly (DeliveryKey & Pick<LogRow, 'attemptsEnd'>)[],
): Promise<(LastAttempt | null)[]> {
  const lasts = rows.map(({ attemptsEnd }) => lastAttemptIn(attemptsEnd))
  const untold = rows.filter((_, at) => lasts[at] === undefined)
  const old = untold.length === 0 ? null : await readLastAttempts(db, untold)
  return rows.map((row, at) => lasts[at] ?? old?.get(nameOf(row)) ?? null)
}

export function oneLogged(row: LogRow, lastAttempt: LastAttempt | null): LoggedDelivery {
  const { state, isRerun, canonicalSequence, attemptsEnd, ...rest } = row
  return {
    ...rest,
    ...deliveryOf(rest),
    state: stateOf(state),
    isRerun: isRerun === 1,
    isSuperseded: rest.error === null && (canonicalSequence ?? 0) > rest.sequenceNumber,
    lastAttempt,
  }
}

/** These deliveries as they stand in the log, as far as they are there, in no order. */
export function readLogRows(db: Database, keys: readonly DeliveryKey[]): Promise<LogRow[]> {
  return rowsOfChunks(entriesOf(keys), (entries) =>
    db.query<LogRow>(sql`
      WITH ${entries} SELECT ${LOG_COLUMNS} FROM entries ${DELIVERY_OF_ENTRY}`),
  )
}

export async function readLogged(
  db: Database,
  keys: readonly DeliveryKey[],
): Promise<LoggedDelivery[]> {
  return loggedOf(db, await readLogRows(db, keys))
}

/** Reads the attempts as a whole: their ends are of a version that does not tell there. */
async function readLastAttempts(
  db: Database,
  keys: readonly DeliveryKey[],
): Promise<Map<string, LastAttempt | null>> {
  const rows = await rowsOfChunks(entriesOf(keys), (entries) =>
    db.query<DeliveryKey & { attempts: string }>(sql`
      WITH ${entries}
      SELECT entries.event, entries.webhook, deliveries.attempts FROM entries
        JOIN deliveries ON deliveries.key = entries.event * 16777216 + entries.webhook`),
  )
  return new Map(rows.map((row) => [nameOf(row), lastOfAll(row.attempts)]))
}

/** Deliveries as `entries`, for a WITH; as many at a time as fit into one statement. */
export function entriesOf(keys: readonly DeliveryKey[]): Sql[] {
  const chunks = rowChunks(keys.map(({ event, webhook }) => [event, webhook]))
  return chunks.map(
    (chunk) => sql`entries (event, webhook) AS (VALUES ${typedRows(['BIGINT', 'BIGINT'], chunk)})`,
  )
}

/** The last attempt, of whichever version; null when there was none. */
export function lastOfAll(attempts: string): LastAttempt | null {
  const last = attemptsIn(attempts).at(-1)
  return last ? { status: last.status, fault: last.fault, tookMs: last.ms.total } : null
}

function nameOf({ event, webhook }: DeliveryKey): string {
  return `${event}-${webhook}`
}
