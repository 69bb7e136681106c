import { type Database, type SqlValue, sql } from '../../../ports/database.ts'
import type { ResultKey } from '../drop-results.ts'
import { arrivalsOf, receiversOf, type SheetRow, spanOf } from './sheet-form.ts'

/** What may go from the log. */
export type DoneDeliveries = {
  network: string
  /** When the last of them was done with. */
  doneAtMs: number
  deliveries: number
  attemptsBytes: number
  /** Others may still refer to them. */
  results: (ResultKey & { bytes: number })[]
}

/** An event of which nothing on its sheets is open; what has rows of its own does not count. */
export type DoneEvent = DoneDeliveries & {
  sequenceNumber: number
  /** The webhooks whose span of the log begins with it. */
  spansOf: string[]
}

/** The oldest events with sheets, those of a network one after the other. */
export type DoneEvents = {
  /** The one that was done with first; null when there is no more. */
  peek(): DoneEvent | null
  /** Goes on to the one after it. */
  take(event: DoneEvent): Promise<void>
}

type HeadRow = { sequence_number: number; created_at_ms: number; open: number }

type ReadRow = Pick<SheetRow, 'marks' | 'receivers' | 'arrivals'>

const DELETE_SHEETS = sql`DELETE FROM sheets WHERE network = ${null} AND sequence_number = ${null}`

const DELETE_SPAN = sql`DELETE FROM log_spans WHERE webhook_id = ${null} AND span = ${null}`

/**
 * Never beyond one that is open or not old enough: each delivery leads to the one before it, so
 * that none may be missing in between. The courier does not hold any for long.
 */
export async function openDoneEvents(
  tx: Database,
  isOldEnough: (createdAtMs: number) => boolean,
): Promise<DoneEvents> {
  const heads = new Map<string, DoneEvent>()
  const move = async (network: string, after: number) => {
    const next = await readDone(tx, network, after, isOldEnough)
    if (next) heads.set(network, next)
    else heads.delete(network)
  }
  const networks = await tx.query<{ network: string }>(sql`SELECT network FROM chains`)
  for (const { network } of networks) await move(network, 0)

  return {
    peek() {
      let oldest: DoneEvent | null = null
      for (const head of heads.values()) {
        if (oldest === null || head.doneAtMs < oldest.doneAtMs) oldest = head
      }
      return oldest
    },
    take: ({ network, sequenceNumber }) => move(network, sequenceNumber),
  }
}

/** With their places in the log; the results are still to be dropped. */
export async function removeSheets(tx: Database, events: readonly DoneEvent[]): Promise<void> {
  const keys = events.map(({ network, sequenceNumber }) => [network, sequenceNumber])
  const spans = events.flatMap(({ sequenceNumber, spansOf }) =>
    spansOf.map((webhookId): SqlValue[] => [webhookId, spanOf(sequenceNumber)]),
  )
  await tx.each(DELETE_SHEETS, keys)
  await tx.each(DELETE_SPAN, spans)
}

async function readDone(
  tx: Database,
  network: string,
  after: number,
  isOldEnough: (createdAtMs: number) => boolean,
): Promise<DoneEvent | null> {
  const [head] = await tx.query<HeadRow>(sql`
    SELECT sequence_number, created_at_ms, CAST(SUM(open) AS BIGINT) AS open FROM sheets
    WHERE network = ${network} AND sequence_number = (
      SELECT MIN(sequence_number) FROM sheets
      WHERE network = ${network} AND sequence_number > ${after})
    GROUP BY sequence_number, created_at_ms`)
  if (!head || head.open > 0 || !isOldEnough(head.created_at_ms)) return null

  const { sequence_number: sequenceNumber, created_at_ms: createdAtMs } = head
  const isIt = sql`network = ${network} AND sequence_number = ${sequenceNumber}`
  const sheets = await tx.query<ReadRow>(sql`
    SELECT marks, receivers, arrivals FROM sheets WHERE ${isIt}`)
  const results = await tx.query<{ part: number; bytes: number }>(sql`
    SELECT part, bytes FROM results WHERE ${isIt}`)
  const done: DoneEvent = {
    network,
    sequenceNumber,
    doneAtMs: createdAtMs,
    deliveries: 0,
    attemptsBytes: 0,
    results: results.map((result) => ({ network, sequenceNumber, ...result })),
    spansOf: [],
  }
  for (const sheet of sheets) addSheet(done, sheet)
  return done
}

function addSheet(done: DoneEvent, sheet: ReadRow): void {
  for (const { doneAtMs } of arrivalsOf(sheet).values()) {
    done.doneAtMs = Math.max(done.doneAtMs, doneAtMs)
  }
  done.deliveries += sheet.marks.split('a').length - 1
  done.attemptsBytes += Buffer.byteLength(sheet.arrivals)
  for (const [webhookId, , , , previous] of receiversOf(sheet)) {
    const isFirst = previous === null || spanOf(previous) !== spanOf(done.sequenceNumber)
    if (isFirst) done.spansOf.push(webhookId)
  }
}
