import { DAY_MS, HOUR_MS } from '../../parts/text/utc-dates.ts'
import { changeQuery } from '../../shell/routing/router.ts'

export const GROUPINGS = [
  { value: 'method', text: 'Method' },
  { value: 'app', text: 'App' },
  { value: 'network', text: 'Network' },
] as const

export type UsageGrouping = (typeof GROUPINGS)[number]['value']

/** A month by its days, or a day by its hours; `period` is written as in the address. */
export type UsageView = {
  by: UsageGrouping
  bucket: 'day' | 'hour'
  period: string
  fromMs: number
  toMs: number
  isCurrent: boolean
}

const PERIOD = { day: /^\d{4}-(0[1-9]|1[0-2])$/, hour: /^\d{4}-(0[1-9]|1[0-2])-\d{2}$/ }

/** The view that an address names; what it names wrongly, or in the future, is the present. */
export function usageViewOf(query: URLSearchParams, nowMs: number): UsageView {
  const bucket = query.get('bucket') === 'hour' ? 'hour' : 'day'
  const given = query.get('period') ?? ''
  const now = periodAt(nowMs, bucket)
  const isGood = PERIOD[bucket].test(given) && given <= now && isDate(given)
  const period = isGood ? given : now
  const fromMs = startOf(period)
  const by = query.get('by')
  return {
    by: by === 'app' || by === 'network' ? by : 'method',
    bucket,
    period,
    fromMs,
    toMs: startOf(besides(period, 1)),
    isCurrent: period === now,
  }
}

export function changeUsageView(
  change: Partial<Pick<UsageView, 'by' | 'bucket' | 'period'>>,
): void {
  const { by, bucket, period } = change
  changeQuery({
    ...(by && { by: by === 'method' ? null : by }),
    ...(bucket && { bucket: bucket === 'day' ? null : bucket, period: null }),
    ...(period !== undefined && { period: period || null }),
  })
}

/** The month or day that many after a period, or before it. */
export function besides(period: string, step: number): string {
  const start = new Date(startOf(period))
  if (period.length > 7) start.setUTCDate(start.getUTCDate() + step)
  else start.setUTCMonth(start.getUTCMonth() + step)
  return start.toISOString().slice(0, period.length)
}

export function bucketStarts({ bucket, fromMs, toMs }: UsageView): number[] {
  const stepMs = bucket === 'day' ? DAY_MS : HOUR_MS
  const count = Math.round((toMs - fromMs) / stepMs)
  return Array.from({ length: count }, (_, at) => fromMs + at * stepMs)
}

function periodAt(atMs: number, bucket: UsageView['bucket']): string {
  return new Date(atMs).toISOString().slice(0, bucket === 'day' ? 7 : 10)
}

function startOf(period: string): number {
  return Date.parse(period.length > 7 ? `${period}T00:00:00Z` : `${period}-01T00:00:00Z`)
}

/** The 31st of a short month is none. */
function isDate(period: string): boolean {
  const startMs = startOf(period)
  return !Number.isNaN(startMs) && new Date(startMs).toISOString().startsWith(period)
}
