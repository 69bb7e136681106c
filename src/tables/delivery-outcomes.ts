import { hourOf } from '../core/billing/plan.ts'
import { assert } from '../core/errors.ts'
import { type Database, type SqlValue, sql } from '../ports/database.ts'
import type { Lane } from './delivery-claims.ts'
import { ATTEMPTS, growLog } from './log-sizes.ts'
import { addUsage, type UsageRow } from './usage.ts'

/** How one attempt went, for the log. */
export type AttemptFacts = {
  startedAtMs: number
  /** Null when no answer came. */
  status: number | null
  fault: string | null
  ms: { lookup: number; connect: number; answer: number; total: number }
  /** The beginning of the answer. */
  bodyStart: string
  address: string | null
  lane: Lane
}

/** What became of a delivery that was claimed. */
export type AttemptOutcome = {
  id: string
  /** It only counts while the delivery is claimed under this name, or by nobody when empty. */
  lease: string
  /** And as long as no other attempt was counted, and it carries the same result. */
  attemptsMade: number
  part: number | null
  webhookId: string
  /** `released` gives it back unattempted. */
  next:
    | { kind: 'delivered' }
    | { kind: 'retry'; dueAtMs: number }
    | { kind: 'failed' }
    | { kind: 'released'; dueAtMs: number }
  attempt: AttemptFacts | null
  bodyBytes: number
  /** What it costs; only with `delivered`. */
  bill: Bill | null
}

type Bill = {
  teamId: string
  appId: string | null
  network: string
  centiCu: number
  bytes: number
}

/** What the store needs of outcomes: flat, since it may travel to another thread. */
type OutcomeBatch = {
  delivered: SettleRows
  others: SettleRows
  /** In hours and by whom; `billAt` of a row that costs something points here. */
  bills: readonly Omit<UsageRow, 'calls' | 'centiCu' | 'bytes'>[]
}

type SettleRows = {
  /** The places of the outcomes among all. */
  at: number[]
  /** As the statement takes them. */
  rows: SqlValue[][]
  lineBytes: number[]
  billAt: number[]
  centiCu: number[]
  bytes: number[]
}

const STATE = { delivered: 'delivered', retry: 'waiting', failed: 'failed', released: 'waiting' }

/**
 * Compares and sets: only while the delivery is as it was when it was read or claimed. Hot path,
 * run for each of hundreds. One that was cancelled during its attempt has arrived nonetheless.
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
    AND COALESCE(part, -1) = ${null} AND state IN ('waiting', 'cancelled')`

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

/** As SQL compares it: errors have no result. */
const NO_PART = -1
const NO_BILL = -1

/** As accepted deliveries are called in the ledger. */
const LEDGER_METHOD = 'webhook'

/**
 * Writes what became of claimed deliveries, with the bill, in one transaction; the ids of
 * those whose lease still held. For the rest nothing is written or billed: who comes too
 * late, or did not hear that it was written before, changes nothing.
 */
export async function writeOutcomes(
  db: Database,
  outcomes: readonly AttemptOutcome[],
): Promise<Set<string>> {
  const ids = outcomes.map(({ id }) => id)
  assert(new Set(ids).size === ids.length, 'each has one outcome')
  const batch = batchOf(outcomes)
  const done = db.perform ? db.perform('settleOutcomes', batch) : settleOutcomes(db, batch)
  const held = (await done) as number[]
  return new Set(held.map((at) => ids[at] as string))
}

/** The places of those that were as they were expected to be. */
export function settleOutcomes(db: Database, batch: OutcomeBatch): Promise<number[]> {
  const { delivered, others, bills } = batch
  return db.transaction(async (tx) => {
    const [kept, keptOthers] = await Promise.all([
      tx.each(SETTLE_DELIVERED, delivered.rows),
      tx.each(SETTLE_OTHER, others.rows),
    ])
    const held: number[] = []
    let attemptBytes = 0
    const usage = bills.map((bill) => ({ ...bill, calls: 0, centiCu: 0, bytes: 0 }))
    for (const [some, written] of [
      [delivered, kept],
      [others, keptOthers],
    ] as const) {
      for (const [row, count] of written.entries()) {
        if (count === 0) continue
        held.push(some.at[row] ?? 0)
        attemptBytes += some.lineBytes[row] ?? 0
        const entry = usage[some.billAt[row] ?? NO_BILL]
        if (!entry) continue
        entry.calls += 1
        entry.centiCu += some.centiCu[row] ?? 0
        entry.bytes += some.bytes[row] ?? 0
      }
    }
    await Promise.all([
      addUsage(
        tx,
        usage.filter(({ calls }) => calls > 0),
      ),
      growLog(tx, ATTEMPTS, attemptBytes),
    ])
    return held
  })
}

function batchOf(outcomes: readonly AttemptOutcome[]): OutcomeBatch {
  const billPlaces = new Map<string, number>()
  const bills: OutcomeBatch['bills'][number][] = []
  const delivered = noRows()
  const others = noRows()
  for (const [at, outcome] of outcomes.entries()) {
    const { next, attempt, bill } = outcome
    assert(next.kind !== 'delivered' || attempt !== null, 'nothing arrives without an attempt')
    assert(!bill || next.kind === 'delivered', 'only what was accepted is billed')
    const line = attempt ? `${JSON.stringify(attempt)}\n` : ''
    const lineBytes = Buffer.byteLength(line)
    const some = next.kind === 'delivered' ? delivered : others
    some.at.push(at)
    some.rows.push(rowOf(outcome, line, lineBytes))
    some.lineBytes.push(lineBytes)
    some.billAt.push(bill && attempt ? placeOf(bill, endOf(attempt)) : NO_BILL)
    some.centiCu.push(bill?.centiCu ?? 0)
    some.bytes.push(bill?.bytes ?? 0)
  }
  return { delivered, others, bills }

  function placeOf({ teamId, appId, network }: Bill, endedAtMs: number): number {
    const hourMs = hourOf(endedAtMs)
    const key = `${hourMs} ${teamId} ${appId} ${network}`
    const known = billPlaces.get(key)
    if (known !== undefined) return known
    billPlaces.set(key, bills.length)
    return bills.push({ teamId, appId: appId ?? '', network, method: LEDGER_METHOD, hourMs }) - 1
  }
}

function noRows(): SettleRows {
  return { at: [], rows: [], lineBytes: [], billAt: [], centiCu: [], bytes: [] }
}

/** In the order of the statement. */
function rowOf(outcome: AttemptOutcome, line: string, lineBytes: number): SqlValue[] {
  const { id, lease, attemptsMade, next, attempt, bodyBytes } = outcome
  const part = outcome.part ?? NO_PART
  if (next.kind === 'delivered' && attempt) {
    return [endOf(attempt), line, lineBytes, bodyBytes, id, lease, attemptsMade, part]
  }
  const attempted = attempt ? 1 : 0
  const dueAtMs = 'dueAtMs' in next ? next.dueAtMs : null
  const doneAtMs = next.kind === 'failed' && attempt ? endOf(attempt) : null
  const change = [STATE[next.kind], attempted, dueAtMs, attempted, doneAtMs, line, lineBytes]
  return [...change, attempt ? bodyBytes : null, id, lease, attemptsMade, part]
}

function endOf({ startedAtMs, ms }: AttemptFacts): number {
  return startedAtMs + Math.round(ms.total)
}
