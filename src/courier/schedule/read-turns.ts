import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import {
  hasNewWaiting,
  type ReadyDelivery,
  readyDeliveries,
} from '../../tables/deliveries/delivery-claims.ts'
import type { Parcel } from '../send/parcel.ts'
import { beforeHand, leaveHand, mayTakeInHand } from './in-hand.ts'
import { endTurn, type Turn, takeBytes } from './pick-turns.ts'
import { enlist, forgetAhead, type Line, type Schedule } from './schedule.ts'

type Needs = {
  clock: Clock
  database: Database
  schedule: Schedule
  /** This webhook may not be what it was: it is read anew before the next turns are given. */
  outdated(webhookId: string): void
}

/** What is in hand is still there, and is taken out when it is sent. */
type Found = { rows: ReadyDelivery[]; mayHaveMore: boolean; isInHand: boolean }

/** What an envelope takes beside the result. */
const ENVELOPE_BYTES = 512

/**
 * So many of a webhook's new deliveries are read at once, though few of them may go now: one
 * look for 32 takes hardly longer than one for a single delivery. Claiming is what decides,
 * so a row that is out of date by then does no harm.
 */
const READ_AHEAD_ROWS = 32

/** So many are kept as they were committed; a webhook further behind is read from the table. */
const NEWS_ROWS_MAX = 96

/** Of all webhooks together. */
const AHEAD_ROWS_MAX = 20_000

/** Turns rows that are due into parcels, as far as places and bytes go. Bodies are to come. */
export async function readTurns(
  needs: Needs,
  turns: readonly Turn[],
): Promise<{ parcels: Parcel[]; isStarved: boolean }> {
  const nowMs = needs.clock.nowMs()
  const parcels: Parcel[] = []
  let isStarved = false
  const { found, failure } = await foundFor(needs, turns, nowMs)
  for (const [at, turn] of turns.entries()) {
    const one = found[at]
    // Something went back to the table while we looked, and must not be overtaken.
    const isLate = turn.lane === 'first' && turn.setbacks !== turn.line.setbacks
    if (failure || isLate || !one) giveBack(needs.schedule, turn)
    else if (mayBePaused(turn, one)) {
      giveBack(needs.schedule, turn)
      needs.outdated(turn.line.webhook.id)
    } else if (!takeRows(needs.schedule, turn, one, parcels)) isStarved = true
  }
  if (failure) throw failure.reason
  return { parcels, isStarved }
}

/** Mostly all of it is at hand, and a promise for each would cost as much as to send it. */
async function foundFor(
  needs: Needs,
  turns: readonly Turn[],
  nowMs: number,
): Promise<{ found: (Found | null)[]; failure: PromiseRejectedResult | null }> {
  const found: (Found | null)[] = []
  const looks: Promise<void>[] = []
  for (const [at, turn] of turns.entries()) {
    found[at] = takeAtHand(needs.schedule, turn)
    if (found[at]) continue
    looks.push(
      readTurn(needs, turn, nowMs).then((one) => {
        found[at] = one
      }),
    )
  }
  if (looks.length === 0) return { found, failure: null }
  // All of them, since one that comes after we gave up would take rows for nobody.
  const looked = await Promise.allSettled(looks)
  return { found, failure: looked.find((one) => one.status === 'rejected') ?? null }
}

/**
 * An error comes with a pause, of which we may not have heard yet. Then something else could
 * still go out after it.
 */
function mayBePaused({ line, lane }: Turn, { rows }: Found): boolean {
  if (lane !== 'errors') return false
  const isNews = rows.length > 0 && !line.knowsOfError && line.webhook.state === 'active'
  line.knowsOfError = isNews
  return isNews
}

function giveBack(schedule: Schedule, turn: Turn): void {
  forgetAhead(schedule, turn.line)
  endTurn(schedule, turn, 0, true)
}

/** True when the row is the next of its line; then it goes out without another look. */
export function readAhead(schedule: Schedule, line: Line, row: ReadyDelivery): boolean {
  const { ahead, tail, webhook } = line
  const isNext = tail !== null && row.previousSequence === tail && !line.held.has(row.id)
  const hasRoom = schedule.aheadRows < AHEAD_ROWS_MAX && ahead.rows.length < NEWS_ROWS_MAX
  if (!isNext || !hasRoom || webhook.ordered || webhook.state !== 'active') return false
  ahead.rows.push(row)
  schedule.aheadRows += 1
  line.tail = row.sequenceNumber
  line.wants.first = true
  enlist(schedule, line)
  return true
}

async function readTurn(needs: Needs, turn: Turn, nowMs: number): Promise<Found> {
  if (turn.lane !== 'first') return look(needs, turn, turn.places, nowMs)
  await readFirst(needs, turn, nowMs)
  const { ahead, inHand, reminders } = turn.line
  const isMore = ahead.mayHaveMore || ahead.reminders !== reminders || inHand.rows.length > 0
  return takeAtHand(needs.schedule, turn) ?? { rows: [], mayHaveMore: isMore, isInHand: false }
}

/** Null where the table has to be asked. */
function takeAtHand(schedule: Schedule, { line, lane, places }: Turn): Found | null {
  if (lane !== 'first') return null
  const { ahead, inHand, reminders } = line
  if (ahead.rows.length > 0) {
    const rows = ahead.rows.splice(0, places)
    schedule.aheadRows -= rows.length
    const isMore = ahead.rows.length > 0 || ahead.mayHaveMore || inHand.rows.length > 0
    return { rows, mayHaveMore: isMore || ahead.reminders !== reminders, isInHand: false }
  }
  if (!mayTakeInHand(line)) return null
  const rows = inHand.rows.slice(0, places)
  const isMore = inHand.rows.length > places || inHand.hasNewerRows
  return { rows, mayHaveMore: isMore, isInHand: true }
}

/** Reads what the table has of a line's new ones, as far as it goes out before those in hand. */
async function readFirst(needs: Needs, turn: Turn, nowMs: number): Promise<void> {
  const { schedule } = needs
  const { line, places } = turn
  const { reminders, inHand } = line
  const wanted = schedule.aheadRows < AHEAD_ROWS_MAX ? READ_AHEAD_ROWS : places
  // Some of those in hand may have got rows, and are found too.
  const found = await look(needs, turn, wanted + inHand.rows.length, nowMs)
  const mayBePaused = found.isEmpty && inHand.rows.length > 0
  if (mayBePaused && (await hasNewWaiting(needs.database, line.webhook.id))) {
    // It was paused, of which we have not heard: what is in hand comes after what is in the table.
    inHand.clearAt = null
    needs.outdated(line.webhook.id)
    return
  }
  const rows = beforeHand(line, found.rows, reminders)
  Object.assign(line.ahead, { rows, mayHaveMore: found.mayHaveMore, reminders })
  schedule.aheadRows += rows.length
  line.tail = rows.at(-1)?.sequenceNumber ?? line.tail
}

/** `isEmpty` when the table had none at all, not even one that we hold. */
async function look(
  needs: Needs,
  turn: Turn,
  wanted: number,
  nowMs: number,
): Promise<Found & { isEmpty: boolean }> {
  const { webhook, held } = turn.line
  // Those in hand come back until the store knows that they are ours, and again when their
  // leases have lapsed before their outcomes could be committed.
  const limit = wanted + held.size
  const all = await readyDeliveries(needs.database, webhook.id, { nowMs, limit, lane: turn.lane })
  const rows = all.filter(({ id }) => !held.has(id)).slice(0, wanted)
  const mayHaveMore = rows.length > 0 && all.length === limit
  return { rows, mayHaveMore, isInHand: false, isEmpty: all.length === 0 }
}

/** False when the bodies on their way leave no room for more. */
function takeRows(schedule: Schedule, turn: Turn, found: Found, parcels: Parcel[]): boolean {
  const { line, host, lane, doubtful, setbacks } = turn
  const { url } = line.webhook
  let taken = 0
  let passed = 0
  let hasRoom = true
  for (const row of found.rows) {
    // A replay moves a delivery to another lane, and both may have read it.
    if (line.held.has(row.id)) {
      passed += 1
      continue
    }
    const bytes = row.dataBytes + ENVELOPE_BYTES
    hasRoom = takeBytes(schedule, turn, bytes)
    if (!hasRoom) break
    line.held.add(row.id)
    taken += 1
    parcels.push({
      line,
      host,
      bytes,
      isRetry: lane === 'retry',
      doubtful,
      row,
      lane,
      url,
      setbacks,
      body: null,
      bodyBytes: 0,
      lease: '',
      leaseUntilMs: 0,
    })
  }
  if (found.isInHand) leaveHand(schedule, line, taken + passed)
  if (!hasRoom) forgetAhead(schedule, line)
  endTurn(schedule, turn, taken, !hasRoom || found.mayHaveMore)
  return hasRoom
}
