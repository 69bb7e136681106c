const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** A moment in ms: `10m` or `2h` ago, a date, or ISO 8601; null where it is none of them. */
export function readSince(text: string, nowMs: number): number | null {
  const [, digits, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (digits !== undefined) return nowMs - Number(digits) * (UNITS_MS[unit] ?? 0)
  const isMoment = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/
  const ms = isMoment.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? null : ms
}
