/** Months are those of the bill, in UTC: their names and days do not follow the reader's zone. */

const MONTH = new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' })
const SHORT_MONTH = new Intl.DateTimeFormat('en-US', { month: 'short', timeZone: 'UTC' })
const WEEKDAY = new Intl.DateTimeFormat('en-US', { weekday: 'short', timeZone: 'UTC' })

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** `2026-11` as November. */
export function monthName(month: string): string {
  return MONTH.format(startOfMonth(month))
}

/** `2026-11` as Nov. */
export function shortMonthName(month: string): string {
  return SHORT_MONTH.format(startOfMonth(month))
}

/** The first moment of `2026-11`. */
export function startOfMonth(month: string): number {
  return Date.parse(`${month}-01T00:00:00Z`)
}

/** 29 Nov. */
export function utcDay(at: number): string {
  return `${new Date(at).getUTCDate()} ${SHORT_MONTH.format(at)}`
}

/** Sun 29 Nov, 07:00 UTC. */
export function utcMoment(at: number): string {
  return `${WEEKDAY.format(at)} ${utcDay(at)}, ${new Date(at).toISOString().slice(11, 16)} UTC`
}

/** The beginnings of the last 24 hours, oldest first. */
export function lastHours(): number[] {
  const last = Math.floor(Date.now() / HOUR_MS)
  return Array.from({ length: 24 }, (_, at) => (last - 23 + at) * HOUR_MS)
}
