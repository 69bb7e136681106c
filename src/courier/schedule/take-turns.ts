import type { Database } from '../../ports/database.ts'
import type { ClaimedDelivery } from '../../tables/deliveries/delivery-claims.ts'
import { type DeliverNeeds, release } from '../send/deliver.ts'
import type { GroupCommit } from '../send/group-commit.ts'
import { makeBodies } from '../send/make-bodies.ts'
import type { Outbox } from '../send/outbox.ts'
import type { Parcel } from '../send/parcel.ts'
import type { ResultCache } from '../send/result-cache.ts'
import { returnToHand } from './in-hand.ts'
import { leavePlace, type Turn } from './pick-turns.ts'
import { readTurns } from './read-turns.ts'
import { forgetAhead } from './schedule.ts'

export type TurnNeeds = DeliverNeeds & {
  database: Database
  results: ResultCache
  claim: GroupCommit['claim']
  outbox: Outbox
  isAlone: boolean
  /** This webhook is read anew before the next turns are given. */
  outdated(webhookId: string): void
}

/**
 * What came of the turns: something is `taken` and will be sent, there was `nothing`, or no
 * room for more before something on its way has ended.
 */
type Taken = { kind: 'taken'; sent: Promise<void> } | { kind: 'nothing' } | { kind: 'starved' }

/** Reads what the turns allow; `sent` claims all of it at once and sends it in order. */
export async function takeTurns(needs: TurnNeeds, turns: readonly Turn[]): Promise<Taken> {
  const { parcels, isStarved } = await readTurns(needs, turns)
  if (parcels.length === 0) return { kind: isStarved ? 'starved' : 'nothing' }

  try {
    // Before anything is claimed: where our own store fails, no attempt was made.
    await makeBodies(needs.results, parcels)
  } catch (thrown) {
    for (const parcel of parcels) putBack(needs, parcel)
    throw thrown
  }
  return {
    kind: 'taken',
    sent: needs.isAlone ? sendOwn(needs, parcels) : claimAndSend(needs, parcels),
  }
}

/**
 * Hot path. Where nobody else sends, what was read is ours: one commit less to wait for, and
 * after a crash no lease that has to lapse. What was changed since shows when its outcome is
 * compared with the row.
 */
async function sendOwn({ outbox }: TurnNeeds, parcels: readonly Parcel[]): Promise<void> {
  for (const parcel of parcels) {
    parcel.lease = parcel.row.lease
    parcel.leaseUntilMs = Number.POSITIVE_INFINITY
    outbox.put(parcel)
  }
}

async function claimAndSend(needs: TurnNeeds, parcels: readonly Parcel[]): Promise<void> {
  const claimed = await needs.claim(parcels.map(({ row }) => row.id))
  for (const parcel of parcels) {
    parcel.lease = claimed.lease ?? ''
    const now = claimed.ours?.get(parcel.row.id)
    const isAsRead = now !== undefined && isSame(parcel, now)
    // An outcome is compared with the row, and so is giving it back.
    if (now && !isAsRead) parcel.row = { ...parcel.row, ...now }
    if (claimed.ours && isAsRead) {
      parcel.leaseUntilMs = claimed.untilMs
      needs.outbox.put(parcel)
    } else if (now || (claimed.ours === null && claimed.lease !== null)) release(needs, parcel)
    else putBack(needs, parcel)
  }
  if (claimed.ours === null) throw claimed.failure
}

/** Somebody else may have tried, resent or replayed it since it was read. */
function isSame({ row }: Parcel, now: ClaimedDelivery): boolean {
  const { attemptsMade, part, replay } = now
  return row.attemptsMade === attemptsMade && row.part === part && row.replay === replay
}

/** It is not sent. What else was read of its webhook may be out of date too. */
function putBack({ schedule }: TurnNeeds, parcel: Parcel): void {
  const { line, lane, row } = parcel
  line.held.delete(row.id)
  forgetAhead(schedule, line)
  if (lane === 'errors') line.wants.errors = true
  else if (lane === 'retry') line.wants.retry = true
  else {
    if (row.position !== null) returnToHand(schedule, line, row)
    line.wants.first = true
    // Newer ones may have been read or claimed by now, and must not go out before it.
    line.setbacks += 1
  }
  leavePlace(schedule, parcel)
}
