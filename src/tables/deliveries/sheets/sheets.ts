import { deliveryId } from '../../../core/delivery/delivery-id.ts'
import { assert } from '../../../core/errors.ts'
import { type Database, type Sql, type SqlValue, sql } from '../../../ports/database.ts'
import { ATTEMPTS, growLog } from '../log-sizes.ts'
import type { NewDelivery } from '../new-delivery.ts'
import {
  arrivalsOf,
  receiversOf,
  SHEET_SIZE,
  type SheetMark,
  type SheetReceiver,
  type SheetRow,
  spanOf,
} from './sheet-form.ts'

/** An event whose deliveries go on sheets. */
type SheetEvent = { network: string; atMs: number; header: { number: number; hash: string } }

export type SheetKey = { network: string; sequenceNumber: number; sheet: number }

/** What becomes of a delivery as it gets a row of its own. */
export type MovedDelivery = {
  index: number
  state: 'waiting' | 'delivered' | 'failed'
  lane: 'first' | 'retry'
  /** Null: as soon as it was there. */
  dueAtMs: number | null
  doneAtMs: number | null
  attemptsMade: number
  /** Lines of JSON, as the deliveries have them. */
  attempts: string
  attemptsBytes: number
  bodyBytes: number | null
}

/** Sheets that are looked through at once, which takes a few milliseconds. */
const SHEETS_AT_ONCE = 16

export const SHEET_COLUMNS = sql`network, sequence_number, sheet, block_number, block_hash, created_at_ms,
  open, marks, receivers, arrivals`

const INSERT_SHEET = sql`
  INSERT INTO sheets (${SHEET_COLUMNS})
  VALUES (${null}, ${null}, ${null}, ${null}, ${null}, ${null}, ${null}, ${null}, ${null}, '')`

const INSERT_SPAN = sql`
  INSERT INTO log_spans (webhook_id, span, previous_sequence) VALUES (${null}, ${null}, ${null})
  ON CONFLICT (webhook_id, span) DO NOTHING`

const INSERT_MOVED = sql`
  INSERT INTO deliveries
    (kind, lease_until_ms, replay, id, webhook_id, team_id, network, sequence_number,
    block_number, block_hash, part, data_bytes, previous_sequence, created_at_ms, state, lane,
    due_at_ms, done_at_ms, attempts_made, attempts, attempts_bytes, body_bytes)
  VALUES ('data', 0, 0, ${null}, ${null}, ${null}, ${null}, ${null}, ${null}, ${null}, ${null},
    ${null}, ${null}, ${null}, ${null}, ${null}, ${null}, ${null}, ${null}, ${null}, ${null},
    ${null})
  ON CONFLICT (id) DO NOTHING`

/** Puts the new deliveries of an event on sheets, in their order. */
export async function writeSheets(
  tx: Database,
  event: SheetEvent,
  sequenceNumber: number,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  const rows: SqlValue[][] = []
  for (let from = 0; from < deliveries.length; from += SHEET_SIZE) {
    const some = deliveries.slice(from, from + SHEET_SIZE)
    const receivers = JSON.stringify(some.map(receiverOf))
    const { number, hash } = event.header
    const sheet = from / SHEET_SIZE
    const marks = 'o'.repeat(some.length)
    const key = [event.network, sequenceNumber, sheet]
    rows.push([...key, number, hash, event.atMs, some.length, marks, receivers])
  }
  await Promise.all([tx.each(INSERT_SHEET, rows), tx.each(INSERT_SPAN, spansOf(deliveries))])
}

function receiverOf(one: NewDelivery): SheetReceiver {
  return [one.webhookId, one.teamId, one.part, one.dataBytes, one.previousSequence]
}

function spansOf(deliveries: readonly NewDelivery[]): SqlValue[][] {
  const rows: SqlValue[][] = []
  for (const { webhookId, sequenceNumber, previousSequence } of deliveries) {
    const span = spanOf(sequenceNumber)
    const isFirst = previousSequence === null || spanOf(previousSequence) !== span
    if (isFirst) rows.push([webhookId, span, previousSequence])
  }
  return rows
}

export async function readSheet(tx: Database, key: SheetKey): Promise<SheetRow | null> {
  const [row] = await tx.query<SheetRow>(sql`
    SELECT ${SHEET_COLUMNS} FROM sheets WHERE ${isSheet(key)}`)
  return row ?? null
}

/** As much of a sheet as has to be known to change its letters. */
type MarkedSheet = Pick<SheetRow, 'network' | 'sequence_number' | 'sheet' | 'marks'>

export async function readMarks(tx: Database, key: SheetKey): Promise<MarkedSheet | null> {
  const [row] = await tx.query<MarkedSheet>(sql`
    SELECT network, sequence_number, sheet, marks FROM sheets WHERE ${isSheet(key)}`)
  return row ?? null
}

/** What became of deliveries on a sheet: the letters of some of them, and lines of arrivals. */
export async function markSheet(
  tx: Database,
  row: MarkedSheet,
  changed: readonly { index: number; mark: SheetMark }[],
  arrivals = '',
): Promise<void> {
  const marks = row.marks.split('')
  for (const { index, mark } of changed) marks[index] = mark
  const text = marks.join('')
  const open = marks.filter((mark) => mark === 'o').length
  const { network, sequence_number: sequenceNumber, sheet } = row
  await tx.query(sql`
    UPDATE sheets SET marks = ${text}, open = ${open}, arrivals = arrivals || ${arrivals}
    WHERE ${isSheet({ network, sequenceNumber, sheet })}`)
}

/** Gives deliveries of a sheet rows of their own; their letters are still to be changed. */
export async function insertMoved(
  tx: Database,
  row: SheetRow,
  moved: readonly MovedDelivery[],
): Promise<void> {
  const receivers = receiversOf(row)
  const { network, sequence_number, block_number, block_hash, created_at_ms } = row
  await tx.each(
    INSERT_MOVED,
    moved.map((one) => {
      const receiver = receivers[one.index]
      assert(receiver !== undefined, 'a sheet has as many receivers as letters')
      const [webhookId, teamId, part, dataBytes, previousSequence] = receiver
      const id = deliveryId(webhookId, sequence_number)
      const what = [id, webhookId, teamId, network, sequence_number, block_number, block_hash]
      const more = [part, dataBytes, previousSequence, created_at_ms, one.state, one.lane]
      const dueAtMs = one.dueAtMs ?? created_at_ms
      const times = [dueAtMs, one.doneAtMs, one.attemptsMade, one.attempts]
      return [...what, ...more, ...times, one.attemptsBytes, one.bodyBytes]
    }),
  )
}

/** Which open deliveries are moved. */
export type OpenOnes = { webhookId: string } | { createdUpToMs: number }

/**
 * Gives open deliveries rows of their own, where they wait for their first attempt. Whoever has
 * them in hand may go on: what becomes of them is written to the row then. The webhooks whose
 * deliveries were moved; `more` says that there may be others, never of one webhook: those are
 * moved at once.
 */
export async function moveOpen(
  tx: Database,
  which: OpenOnes,
): Promise<{ webhookIds: string[]; more: boolean }> {
  const only =
    'webhookId' in which
      ? sql`receivers LIKE ${`%"${which.webhookId}"%`}`
      : sql`created_at_ms <= ${which.createdUpToMs}`
  const webhookIds = new Set<string>()
  let last: SheetRow | undefined
  do {
    // Those of others may stay open there, so that what was looked through is found again.
    const beyond = last ? sql`AND ${isAfter(last)}` : sql``
    const rows: SheetRow[] = await tx.query<SheetRow>(sql`
      SELECT ${SHEET_COLUMNS} FROM sheets WHERE open > 0 AND ${only} ${beyond}
      ORDER BY created_at_ms, network, sequence_number, sheet LIMIT ${SHEETS_AT_ONCE}`)
    for (const row of rows) {
      const indexes: number[] = []
      for (const [index, [webhookId]] of receiversOf(row).entries()) {
        if (row.marks[index] !== 'o') continue
        if ('webhookId' in which && webhookId !== which.webhookId) continue
        indexes.push(index)
        webhookIds.add(webhookId)
      }
      await moveFrom(tx, row, indexes)
    }
    last = rows.length === SHEETS_AT_ONCE ? rows.at(-1) : undefined
  } while (last && 'webhookId' in which)
  return { webhookIds: [...webhookIds], more: last !== undefined }
}

function isAfter(last: SheetRow): Sql {
  return sql`created_at_ms >= ${last.created_at_ms}
    AND (created_at_ms, network, sequence_number, sheet)
      > (${last.created_at_ms}, ${last.network}, ${last.sequence_number}, ${last.sheet})`
}

/** Gives some open deliveries of one event rows of their own. */
export async function moveSome(
  tx: Database,
  { network, sequenceNumber }: Omit<SheetKey, 'sheet'>,
  positions: readonly number[],
): Promise<void> {
  const sheets = Map.groupBy(positions, (position) => Math.floor(position / SHEET_SIZE))
  for (const [sheet, some] of sheets) {
    const row = await readSheet(tx, { network, sequenceNumber, sheet })
    if (!row) continue
    const indexes = some.map((position) => position % SHEET_SIZE)
    const open = indexes.filter((index) => row.marks[index] === 'o')
    await moveFrom(tx, row, open)
  }
}

async function moveFrom(tx: Database, row: SheetRow, indexes: readonly number[]): Promise<void> {
  if (indexes.length === 0) return
  await insertMoved(tx, row, indexes.map(waitingAt))
  await markSheet(
    tx,
    row,
    indexes.map((index) => ({ index, mark: 'm' })),
  )
}

/**
 * The delivery of an event to a webhook gets a row of its own, as it is: waiting, or delivered
 * with its attempt. Nothing happens where it has one, or where there is no such delivery.
 */
export async function moveOne(
  tx: Database,
  webhookId: string,
  { network, sequenceNumber }: Omit<SheetKey, 'sheet'>,
): Promise<void> {
  const rows = await tx.query<SheetRow>(sql`
    SELECT ${SHEET_COLUMNS} FROM sheets
    WHERE network = ${network} AND sequence_number = ${sequenceNumber}
      AND receivers LIKE ${`%"${webhookId}"%`}`)
  for (const row of rows) {
    const index = receiversOf(row).findIndex(([id]) => id === webhookId)
    const mark = row.marks[index]
    if (mark === 'o') await moveFrom(tx, row, [index])
    if (mark !== 'a') continue
    const arrived = arrivedAt(row, index)
    await insertMoved(tx, row, [arrived])
    await markSheet(tx, row, [{ index, mark: 'm' }])
    // Its line on the sheet stays there, and so the log has both.
    await growLog(tx, ATTEMPTS, arrived.attemptsBytes)
  }
}

function waitingAt(index: number): MovedDelivery {
  return {
    index,
    state: 'waiting',
    lane: 'first',
    dueAtMs: null,
    doneAtMs: null,
    attemptsMade: 0,
    attempts: '',
    attemptsBytes: 0,
    bodyBytes: null,
  }
}

function arrivedAt(row: SheetRow, index: number): MovedDelivery {
  const arrival = arrivalsOf(row).get(index)
  assert(arrival !== undefined, 'what arrived has its line')
  const { attempt, bodyBytes, doneAtMs } = arrival
  const attempts = `${JSON.stringify(attempt)}\n`
  return {
    index,
    state: 'delivered',
    lane: 'retry',
    dueAtMs: null,
    doneAtMs,
    attemptsMade: 1,
    attempts,
    attemptsBytes: Buffer.byteLength(attempts),
    bodyBytes,
  }
}

function isSheet({ network, sequenceNumber, sheet }: SheetKey): Sql {
  return sql`network = ${network} AND sequence_number = ${sequenceNumber} AND sheet = ${sheet}`
}
