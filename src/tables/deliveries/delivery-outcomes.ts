import { hourOf } from '../../core/billing/plan.ts'
import { assert } from '../../core/errors.ts'
import type { Database, SqlValue } from '../../ports/database.ts'
import { undeliveredBytes } from '../usage/team-backlogs.ts'
import { type AttemptFacts, endOf } from './attempt-facts.ts'
import {
  type Counted,
  type OutcomeBatch,
  type Settled,
  type SettleRows,
  type SettleSheet,
  settleOutcomes,
} from './settle-outcomes.ts'
import { arrivalText, SHEET_SIZE } from './sheets/sheet-form.ts'
import type { MovedDelivery } from './sheets/sheets.ts'

/** Where a delivery stands that has no row of its own yet: its place among those of its event. */
export type OpenPlace = { network: string; sequenceNumber: number; position: number }

/** What became of a delivery that was claimed, or is in hand. */
export type AttemptOutcome = {
  id: string
  /** Null when it has a row; then that is compared with all of the next three. */
  open: OpenPlace | null
  /** It only counts while the delivery is claimed under this name, or by nobody when empty. */
  lease: string
  /** And as long as no other attempt was counted, and it carries the same result. */
  attemptsMade: number
  part: number | null
  webhookId: string
  teamId: string
  /** Of its result, by which the team's backlog shrinks; null for an error. */
  dataBytes: number | null
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

const STATE = {
  delivered: 'delivered',
  retry: 'waiting',
  failed: 'failed',
  released: 'waiting',
} as const

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
  const { held, notOpen } = await settle(db, outcomes)
  const ours = new Set(held.map((at) => ids[at] as string))
  if (notOpen.length === 0) return ours

  // Moved to rows of their own since they were taken in hand, or written before.
  const moved = notOpen.map((at) => ({ ...(outcomes[at] as AttemptOutcome), open: null }))
  const rest = await settle(db, moved)
  for (const at of rest.held) ours.add(moved[at]?.id as string)
  return ours
}

async function settle(db: Database, outcomes: readonly AttemptOutcome[]): Promise<Settled> {
  const batch = batchOf(outcomes)
  const done = db.perform ? db.perform('settleOutcomes', batch) : settleOutcomes(db, batch)
  return (await done) as Settled
}

function batchOf(outcomes: readonly AttemptOutcome[]): OutcomeBatch {
  const billPlaces = new Map<string, number>()
  const teamPlaces = new Map<string, number>()
  const bills: OutcomeBatch['bills'][number][] = []
  const delivered: SettleRows = { rows: [], ...noneCounted() }
  const others: SettleRows = { rows: [], ...noneCounted() }
  const sheets = new Map<string, SettleSheet>()
  for (const [at, outcome] of outcomes.entries()) {
    const { next, attempt, bill, open } = outcome
    assert(next.kind !== 'delivered' || attempt !== null, 'nothing arrives without an attempt')
    assert(!bill || next.kind === 'delivered', 'only what was accepted is billed')
    const line = lineOf(outcome)
    const lineBytes = Buffer.byteLength(line)
    let some: Counted
    if (open) {
      const sheet = sheetFor(sheets, open)
      const index = open.position % SHEET_SIZE
      sheet.indexes.push(index)
      sheet.becomes.push(
        next.kind === 'delivered' ? line : movedBy(outcome, index, line, lineBytes),
      )
      some = sheet
    } else {
      const rows = next.kind === 'delivered' ? delivered : others
      rows.rows.push(rowOf(outcome, line, lineBytes))
      some = rows
    }
    some.at.push(at)
    some.lineBytes.push(lineBytes)
    some.billAt.push(bill && attempt ? placeOf(bill, endOf(attempt)) : NO_BILL)
    some.centiCu.push(bill?.centiCu ?? 0)
    some.bytes.push(bill?.bytes ?? 0)
    some.teamAt.push(teamAt(outcome.teamId))
    const { dataBytes } = outcome
    some.backlogBytes.push(dataBytes === null ? 0 : undeliveredBytes(dataBytes))
  }
  return { delivered, others, sheets: [...sheets.values()], bills, teams: [...teamPlaces.keys()] }

  function teamAt(teamId: string): number {
    const known = teamPlaces.get(teamId)
    if (known !== undefined) return known
    teamPlaces.set(teamId, teamPlaces.size)
    return teamPlaces.size - 1
  }

  function placeOf({ teamId, appId, network }: Bill, endedAtMs: number): number {
    const hourMs = hourOf(endedAtMs)
    const key = `${hourMs} ${teamId} ${appId} ${network}`
    const known = billPlaces.get(key)
    if (known !== undefined) return known
    billPlaces.set(key, bills.length)
    return bills.push({ teamId, appId: appId ?? '', network, method: LEDGER_METHOD, hourMs }) - 1
  }
}

/** An arrival on a sheet is told in few words, since it is mostly all that is ever told of it. */
function lineOf({ attempt, open, next, bodyBytes }: AttemptOutcome): string {
  if (!attempt) return ''
  if (!open || next.kind !== 'delivered') return `${JSON.stringify(attempt)}\n`
  return arrivalText(open.position % SHEET_SIZE, attempt, bodyBytes)
}

function noneCounted(): Counted {
  const backlog = { teamAt: [], backlogBytes: [] }
  return { at: [], lineBytes: [], billAt: [], centiCu: [], bytes: [], ...backlog }
}

function sheetFor(
  sheets: Map<string, SettleSheet>,
  { network, sequenceNumber, position }: OpenPlace,
): SettleSheet {
  const sheet = Math.floor(position / SHEET_SIZE)
  const key = `${network} ${sequenceNumber} ${sheet}`
  const known = sheets.get(key)
  if (known) return known
  const place = { network, sequenceNumber, sheet }
  const made: SettleSheet = { ...place, indexes: [], becomes: [], ...noneCounted() }
  sheets.set(key, made)
  return made
}

/** The row of one that was in hand and has not arrived. */
function movedBy(
  { next, attempt, bodyBytes }: AttemptOutcome,
  index: number,
  line: string,
  lineBytes: number,
): MovedDelivery {
  return {
    index,
    state: STATE[next.kind],
    lane: attempt ? 'retry' : 'first',
    dueAtMs: 'dueAtMs' in next ? next.dueAtMs : null,
    doneAtMs: next.kind === 'failed' && attempt ? endOf(attempt) : null,
    attemptsMade: attempt ? 1 : 0,
    attempts: line,
    attemptsBytes: lineBytes,
    bodyBytes: attempt ? bodyBytes : null,
  }
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
