const SECONDS = /^\d+$/
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The three forms of a date that RFC 9110 (5.6.7) asks a recipient to understand. */
const DATE_FORMS = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>[\d:]{8}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>[\d:]{8}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[\d ]\d) (?<time>[\d:]{8}) (?<year>\d{4})$/,
]
const TIME = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)$/

/** No honest value is longer, and a destination may send anything. */
const LENGTH_MAX = 64

/** The moment a `Retry-After` header names; null when it names none. */
export function retryAfterMs(header: string, nowMs: number): number | null {
  const text = header.trim()
  if (text.length > LENGTH_MAX) return null
  if (SECONDS.test(text)) return nowMs + Number(text) * 1000
  for (const form of DATE_FORMS) {
    const parts = form.exec(text)?.groups
    if (parts) return dateMs(parts, nowMs)
  }
  return null
}

/**
 * The time for which an answer asks to be spared, by its own clock: where it names a date, its
 * header `Date` says from when on. 0 where it asks for none.
 */
export function retryAfterWaitMs(retryAfter: string | null, date: string | null): number {
  if (retryAfter === null) return 0
  const startMs = SECONDS.test(retryAfter.trim()) ? 0 : retryAfterMs(date ?? '', 0)
  const endMs = startMs === null ? null : retryAfterMs(retryAfter, startMs)
  return startMs === null || endMs === null ? 0 : Math.max(0, endMs - startMs)
}

function dateMs(parts: Record<string, string>, nowMs: number): number | null {
  const month = MONTHS.indexOf(parts.month ?? '')
  const time = TIME.exec(parts.time ?? '')
  if (month === -1 || !time) return null
  const year = fullYear(parts.year ?? '', nowMs)
  const [, hour, minute, second] = time.map(Number) as [number, number, number, number]
  return Date.UTC(year, month, Number(parts.day), hour, minute, second)
}

/** Two digits that would lie more than 50 years ahead are of the century before. */
function fullYear(digits: string, nowMs: number): number {
  if (digits.length === 4) return Number(digits)
  const thisYear = new Date(nowMs).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + Number(digits)
  return year > thisYear + 50 ? year - 100 : year
}
