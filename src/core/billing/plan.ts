export type Tier = {
  name: string
  /** Compute units a calendar month; null is unlimited. */
  monthlyCu: number | null
  /** Compute units a second; null is unlimited. */
  cuPerSecond: number | null
  paid: boolean
  /** GraphQL webhooks a team may have. */
  webhooksMax: number
  /** Items over all variables of a team. */
  variableItemsMax: number
  /** Bytes of results that wait for being accepted, over all webhooks of a team. */
  undeliveredBytesMax: number
}

export type Team = {
  id: string
  name: string
  tier: string
  /** Goes on past the monthly capacity instead of stopping. */
  autoscaling: boolean
  createdAtMs: number
}

/** Compute units are metered in hundredths, in whole numbers: fractions would drift. */
export const CENTI_PER_CU = 100

/**
 * One division of whole numbers is rounded once, to the double that prints as
 * exactly these two digits (up to 2^46 units); sums are made before it, in hundredths.
 */
export function cuOf(centiCu: number): number {
  return centiCu / CENTI_PER_CU
}

/** The calendar month in UTC that a moment belongs to, as 2026-11. */
export function monthOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 7)
}

/** The first moment of the next calendar month in UTC. */
export function monthEndMs(atMs: number): number {
  const date = new Date(atMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

/** The first moment of the hour; the ledger's finest bucket. */
export function hourOf(atMs: number): number {
  return atMs - (atMs % 3_600_000)
}

/**
 * True from the moment a month's capacity is used up: the call that crosses it was still
 * served. Calls that cost nothing are stopped too, as they are at the hosted services.
 */
export function monthIsFull(usedCentiCu: number, monthlyCu: number | null): boolean {
  return monthlyCu !== null && usedCentiCu >= monthlyCu * CENTI_PER_CU
}
