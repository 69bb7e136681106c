import { type Database, type SqlValue, sql } from '../../ports/database.ts'
import { growBacklogs } from '../usage/team-backlogs.ts'
import { addUsage, type UsageRow } from '../usage/usage.ts'
import { ATTEMPTS, growLog } from './log-sizes.ts'
import {
  insertMoved,
  type MovedDelivery,
  markSheet,
  readMarks,
  readSheet,
} from './sheets/sheets.ts'

/** What the store needs of outcomes: flat, since it may travel to another thread. */
export type OutcomeBatch = {
  delivered: SettleRows
  others: SettleRows
  /** Of deliveries that have no row yet, by their sheets. */
  sheets: readonly SettleSheet[]
  /** Whom those that arrived were for; `teamAt` points here. */
  teams: readonly string[]
  /** In hours and by whom; `billAt` of one that costs something points here. */
  bills: readonly Omit<UsageRow, 'calls' | 'centiCu' | 'bytes'>[]
}

/** What is counted of each outcome that is written. */
export type Counted = {
  /** The places of the outcomes among all. */
  at: number[]
  lineBytes: number[]
  billAt: number[]
  centiCu: number[]
  bytes: number[]
  teamAt: number[]
  /** What the team has got rid of. */
  backlogBytes: number[]
}

/** `rows` as the statement takes them. */
export type SettleRows = Counted & { rows: SqlValue[][] }

export type SettleSheet = Counted & {
  network: string
  sequenceNumber: number
  sheet: number
  indexes: number[]
  /** The line of one that arrived, or the row that another gets. */
  becomes: (string | MovedDelivery)[]
}

export type Settled = {
  /** The places of those that were as they were expected to be. */
  held: number[]
  /** Of those that were expected on a sheet, and have a row or are gone. */
  notOpen: number[]
}

type Sums = Settled & { attemptBytes: number; usage: UsageRow[]; backlogBytes: number[] }

const NO_BILL = -1

/**
 * Compares and sets: only while the delivery is as it was when it was read or claimed. Hot path,
 * run for each of hundreds.
 * Attempts beyond 64 KiB, dozens of them, were asked for by hand: then the first are forgotten.
 */
const SETTLE_DELIVERED = sql`
  UPDATE deliveries SET state = 'delivered',
    lane = CASE WHEN lane = 'first' THEN 'retry' ELSE lane END,
    done_at_ms = ${null}, attempts_made = attempts_made + 1,
    attempts = CASE WHEN LENGTH(attempts) < 65536 THEN attempts ELSE '' END || ${null},
    attempts_bytes = attempts_bytes + ${null}, body_bytes = ${null},
    lease = NULL, lease_until_ms = 0
  WHERE id = ${null} AND COALESCE(lease, '') = ${null} AND attempts_made = ${null}
    AND COALESCE(part, -1) = ${null} AND state =`

const SETTLE_WAITING = sql`${SETTLE_DELIVERED} 'waiting'`

/** One that was cancelled during its attempt has arrived nonetheless. */
const SETTLE_CANCELLED = sql`${SETTLE_DELIVERED} 'cancelled'`

const SETTLE_OTHER = sql`
  UPDATE deliveries SET state = CASE WHEN state = 'waiting' THEN ${null} ELSE state END,
    lane = CASE WHEN ${null} = 1 AND lane = 'first' THEN 'retry' ELSE lane END,
    due_at_ms = COALESCE(${null}, due_at_ms), attempts_made = attempts_made + ${null},
    done_at_ms = COALESCE(${null}, done_at_ms),
    attempts = CASE WHEN LENGTH(attempts) < 65536 THEN attempts ELSE '' END || ${null},
    attempts_bytes = attempts_bytes + ${null}, body_bytes = COALESCE(${null}, body_bytes),
    lease = NULL, lease_until_ms = 0
  WHERE id = ${null} AND COALESCE(lease, '') = ${null} AND attempts_made = ${null}
    AND COALESCE(part, -1) = ${null} AND state IN ('waiting', 'cancelled')`

/** Writes what became of deliveries, and the bill, in one transaction. */
export function settleOutcomes(db: Database, batch: OutcomeBatch): Promise<Settled> {
  const { delivered, others, sheets, bills, teams } = batch
  return db.transaction(async (tx) => {
    const usage = bills.map((bill) => ({ ...bill, calls: 0, centiCu: 0, bytes: 0 }))
    const backlogBytes = teams.map(() => 0)
    const sums: Sums = { held: [], notOpen: [], attemptBytes: 0, usage, backlogBytes }
    const [kept, keptOthers] = await Promise.all([
      tx.each(SETTLE_WAITING, delivered.rows),
      tx.each(SETTLE_OTHER, others.rows),
    ])
    for (const [row, written] of kept.entries()) if (written > 0) arrive(sums, delivered, row)
    await settleCancelled(tx, delivered, kept, sums)
    for (const [row, written] of keptOthers.entries()) if (written > 0) count(sums, others, row)
    for (const sheet of sheets) await settleSheet(tx, sheet, sums)
    await Promise.all([
      addUsage(
        tx,
        usage.filter(({ calls }) => calls > 0),
      ),
      growLog(tx, ATTEMPTS, sums.attemptBytes),
      growBacklogs(tx, new Map(teams.map((team, at) => [team, -(backlogBytes[at] ?? 0)]))),
    ])
    return { held: sums.held, notOpen: sums.notOpen }
  })
}

/**
 * Only what is open counts: what has been moved meanwhile is compared with its row, and what
 * was written before is not written again.
 */
async function settleSheet(tx: Database, sheet: SettleSheet, sums: Sums): Promise<void> {
  const isMoving = sheet.becomes.some((one) => typeof one !== 'string')
  const row = isMoving ? await readSheet(tx, sheet) : null
  const marked = isMoving ? row : await readMarks(tx, sheet)
  const changed: { index: number; mark: 'a' | 'm' }[] = []
  const moved: MovedDelivery[] = []
  let arrivals = ''
  for (const [place, become] of sheet.becomes.entries()) {
    const index = sheet.indexes[place] ?? 0
    if (marked?.marks[index] !== 'o') {
      sums.notOpen.push(sheet.at[place] ?? 0)
      continue
    }
    if (typeof become === 'string') {
      arrive(sums, sheet, place)
      arrivals += become
    } else {
      count(sums, sheet, place)
      moved.push(become)
    }
    changed.push({ index, mark: typeof become === 'string' ? 'a' : 'm' })
  }
  if (row && moved.length > 0) await insertMoved(tx, row, moved)
  if (marked && changed.length > 0) await markSheet(tx, marked, changed, arrivals)
}

/** These were taken out of the backlog when they were cancelled. */
async function settleCancelled(
  tx: Database,
  delivered: SettleRows,
  kept: readonly number[],
  sums: Sums,
): Promise<void> {
  const missed = kept.flatMap((written, row) => (written > 0 ? [] : [row]))
  if (missed.length === 0) return
  const rows = missed.map((row) => delivered.rows[row] ?? [])
  for (const [at, written] of (await tx.each(SETTLE_CANCELLED, rows)).entries()) {
    if (written > 0) count(sums, delivered, missed[at] ?? 0)
  }
}

function arrive(sums: Sums, of: Counted, place: number): void {
  count(sums, of, place)
  const team = of.teamAt[place] ?? 0
  sums.backlogBytes[team] = (sums.backlogBytes[team] ?? 0) + (of.backlogBytes[place] ?? 0)
}

function count(sums: Sums, of: Counted, place: number): void {
  sums.held.push(of.at[place] ?? 0)
  sums.attemptBytes += of.lineBytes[place] ?? 0
  const entry = sums.usage[of.billAt[place] ?? NO_BILL]
  if (!entry) return
  entry.calls += 1
  entry.centiCu += of.centiCu[place] ?? 0
  entry.bytes += of.bytes[place] ?? 0
}
