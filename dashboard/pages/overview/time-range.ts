import { useEffect, useState } from 'preact/hooks'
import { DAY_MS, HOUR_MS } from '../../parts/text/utc-dates.ts'

const MINUTE_MS = 60_000

export type TimeRange = (typeof TIME_RANGES)[number]

export const TIME_RANGES = [
  {
    value: '1h',
    text: '1 h',
    words: 'last hour',
    bucket: 'minute',
    count: 60,
    bucketMs: MINUTE_MS,
  },
  {
    value: '24h',
    text: '24 h',
    words: 'last 24 hours',
    bucket: 'hour',
    count: 24,
    bucketMs: HOUR_MS,
  },
  { value: '7d', text: '7 d', words: 'last 7 days', bucket: 'hour', count: 167, bucketMs: HOUR_MS },
  { value: '30d', text: '30 d', words: 'last 30 days', bucket: 'day', count: 30, bucketMs: DAY_MS },
] as const

/** A range that the address does not name, or names wrongly, is the last day. */
export const USUAL_RANGE = '24h'

export function timeRangeOf(query: URLSearchParams): TimeRange {
  const asked = query.get('range') ?? USUAL_RANGE
  const found = TIME_RANGES.find(({ value }) => value === asked)
  return found ?? TIME_RANGES[1]
}

/** The first moment of a range; it moves on by whole buckets. */
export function useRangeStart({ bucketMs, count }: TimeRange): number {
  const startOf = () => (Math.floor(Date.now() / bucketMs) - count) * bucketMs
  const [start, setStart] = useState(startOf)
  useEffect(() => {
    setStart(startOf())
    const timer = setInterval(() => setStart(startOf()), 1000)
    return () => clearInterval(timer)
  }, [bucketMs, count])
  return start
}
