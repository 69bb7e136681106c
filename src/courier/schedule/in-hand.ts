import type { ReadyDelivery } from '../../tables/deliveries/delivery-claims.ts'
import { enlist, type Line, type Schedule } from './schedule.ts'

/** So many of a webhook are kept in hand; what is beyond gets rows and is read from there. */
const IN_HAND_MAX = 96

/** Of all webhooks together. */
const ALL_IN_HAND_MAX = 20_000

/**
 * Takes a new delivery that stands on a sheet. False when it must get a row: then so must all
 * that follow it until those in hand are sent, for they come in order.
 */
export function takeInHand(schedule: Schedule, line: Line, row: ReadyDelivery): boolean {
  const { inHand, webhook } = line
  const last = inHand.rows.at(-1)
  const isNext = last === undefined || last.sequenceNumber === row.previousSequence
  const hasRoom = inHand.rows.length < IN_HAND_MAX && schedule.aheadRows < ALL_IN_HAND_MAX
  // Strictly one after the other, retries among them, is what the table is for.
  if (!isNext || !hasRoom || webhook.ordered) return false
  inHand.rows.push(row)
  schedule.aheadRows += 1
  line.wants.first = true
  enlist(schedule, line)
  return true
}

/** There is something, and nothing in the table has to go out before it, as far as we know. */
export function mayTakeInHand({ inHand, reminders }: Line): boolean {
  return inHand.rows.length > 0 && inHand.clearAt === reminders
}

/** The first of those in hand are on their way. */
export function leaveHand(schedule: Schedule, line: Line, count: number): void {
  const { inHand } = line
  schedule.aheadRows -= inHand.rows.splice(0, count).length
  // What had no room here has rows, and is older than what comes next.
  if (inHand.rows.length === 0 && inHand.hasNewerRows) inHand.clearAt = null
}

/** One that was on its way and is not sent after all, before those that come after it. */
export function returnToHand(schedule: Schedule, line: Line, row: ReadyDelivery): void {
  const { rows } = line.inHand
  const number = row.sequenceNumber ?? 0
  const next = rows.findIndex(({ sequenceNumber }) => (sequenceNumber ?? 0) > number)
  rows.splice(next < 0 ? rows.length : next, 0, row)
  schedule.aheadRows += 1
}

/**
 * Of the rows that a look at the table found, those that go out before what is in hand. It may
 * have got a row meanwhile, and is not taken twice.
 */
export function beforeHand(
  line: Line,
  found: readonly ReadyDelivery[],
  remindersBefore: number,
): ReadyDelivery[] {
  const { inHand } = line
  const [first] = inHand.rows
  const own = new Set(inHand.rows.map(({ id }) => id))
  const others = found.filter(({ id }) => !own.has(id))
  const before = first
    ? others.filter((row) => (row.sequenceNumber ?? 0) < (first.sequenceNumber ?? 0))
    : others
  inHand.hasNewerRows = before.length < others.length
  inHand.clearAt = before.length === 0 ? remindersBefore : null
  return before
}
