import type { WireArrival, WireInbox } from '../contract/contract.ts'

/** An arrival as it is kept: what depends on later ones is found out when it is shown. */
export type KeptArrival = Omit<WireArrival, 'is_superseded' | 'is_gap' | 'status_answered'> & {
  status_answered: number | null
}

/** The rest is found out beside those that came before it. */
export type NewArrival = Omit<KeptArrival, 'is_repeat' | 'is_rerun' | 'attempt'>

export type InboxBehaviour = Pick<WireInbox, 'behaviour' | 'status' | 'delay_ms'>

/** Adds to the arrivals of an inbox, oldest first. Its user bounds them. */
export function addArrival(kept: KeptArrival[], arrival: NewArrival): KeptArrival {
  const { delivery_id } = arrival
  const same = kept.filter((one) => delivery_id !== null && one.delivery_id === delivery_id)
  const added = {
    ...arrival,
    is_repeat: same.length > 0,
    is_rerun: isRerun(kept, arrival),
    attempt: delivery_id === null ? 0 : same.length + 1,
  }
  kept.push(added)
  return added
}

/** Newest first: those before that id, one more than the limit where there are more. */
export function arrivalsBefore(
  kept: readonly KeptArrival[],
  id: number | undefined,
  limit: number,
): WireArrival[] {
  const end = id === undefined ? kept.length : kept.findLastIndex((one) => one.id < id) + 1
  const shown = kept.slice(Math.max(0, end - limit - 1), end).reverse()
  return shown.map((one) => ({
    ...one,
    // The version before may have come after it, or be forgotten by now.
    is_rerun: one.is_rerun || isRerun(kept, one),
    is_superseded: kept.some((other) => isSameHeight(one, other) && isNewer(other, one)),
    is_gap: isGap(kept, one),
  }))
}

export function charsOf({ body, headers }: NewArrival): number {
  const ofHeaders = Object.entries(headers).reduce((sum, it) => sum + it.join('').length, 0)
  return body.length + ofHeaders + OTHERS_CHARS
}

/** The fields beside body and headers. */
const OTHERS_CHARS = 512

type Placed = Pick<WireArrival, 'webhook_id' | 'block_number' | 'sequence_number'>

function isSameHeight(one: Placed, other: Placed): boolean {
  if (one.webhook_id === null || one.block_number === null) return false
  return one.webhook_id === other.webhook_id && one.block_number === other.block_number
}

function isNewer(one: Placed, other: Placed): boolean {
  if (one.sequence_number === null || other.sequence_number === null) return false
  return BigInt(one.sequence_number) > BigInt(other.sequence_number)
}

function isRerun(kept: readonly Placed[], arrival: Placed): boolean {
  return kept.some((one) => isSameHeight(one, arrival) && isNewer(arrival, one))
}

/** The delivery before it is missing, though older ones of the webhook are there. */
function isGap(kept: readonly KeptArrival[], arrival: KeptArrival): boolean {
  const { webhook_id, previous_sequence_number: previous, is_replay } = arrival
  if (webhook_id === null || previous === null || is_replay) return false
  const others = kept.filter((one) => one.webhook_id === webhook_id)
  if (others.some((one) => one.sequence_number === previous)) return false
  // A replay may bring what is older than all that was ever meant to arrive here.
  return others.some((one) => !one.is_replay && isNewer({ ...one, sequence_number: previous }, one))
}
