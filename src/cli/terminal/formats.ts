const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

/** 1234567.89 as `1,234,567.89`. A number of many digits comes as text and keeps them all. */
export function numberText(value: number | string | bigint): string {
  const [whole = '', fraction] = String(value).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

export function countText(count: number, noun: string, plural = `${noun}s`): string {
  return `${numberText(count)} ${count === 1 ? noun : plural}`
}

/** 4096 as `4.0 KiB`. */
export function bytesText(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < BYTE_UNITS.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${BYTE_UNITS[unit]}`
}

/** A span as people say it: `850 ms`, `12 s`, `3 min`, `5 h`, `2 days`. */
export function spanText(spanMs: number): string {
  const ms = Math.max(0, spanMs)
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`
  return `${Math.floor(ms / DAY_MS)} days`
}

/** A moment as seen from now: `12 s ago`, `in 3 min`, `just now`. */
export function agoText(timeMs: number, nowMs: number): string {
  const ageMs = nowMs - timeMs
  if (Math.abs(ageMs) < SECOND_MS) return 'just now'
  return ageMs > 0 ? `${spanText(ageMs)} ago` : `in ${spanText(-ageMs)}`
}

/** A moment in a line that stays, as the time of the clock; as seen from now where it is given. */
export function whenText(timeMs: number, nowMs: number | null): string {
  return nowMs === null ? timeText(timeMs).slice(11) : agoText(timeMs, nowMs)
}

/** `2026-11-15 12:34:56`, in UTC as everything that Headgate shows. */
export function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ')
}

export function shortHash(hash: string): string {
  return hash.length <= 14 ? hash : `${hash.slice(0, 8)}…${hash.slice(-4)}`
}
