import type { AnswerOf } from '@headgate/client'
import { useRef } from 'preact/hooks'
import { useCall } from '../../api/use-call.ts'
import { useRefresh } from '../../api/use-refresh.ts'
import { type TimeRange, useRangeStart } from './time-range.ts'

type Stats = AnswerOf<'getCallStats'>['data']
type Series = AnswerOf<'getCallSeries'>['data']

export type CallFigures = {
  start: number
  totals: Stats[number] | null
  /** By how calls ended. */
  outcomes: Stats
  series: Series
}

const REFRESH_MS = 10_000

/** How the team's calls went in a range; undefined until it is known. */
export function useCallFigures(range: TimeRange) {
  const start = useRangeStart(range)
  const from = String(start)
  const totals = useCall('getCallStats', { from })
  const outcomes = useCall('getCallStats', { from, group_by: 'status' })
  const series = useCall('getCallSeries', { from, bucket: range.bucket })
  useRefresh(REFRESH_MS, 'getCallStats', 'getCallSeries')
  const isWhole = totals.data && outcomes.data && series.data
  const figures: CallFigures | undefined = isWhole && {
    start,
    totals: totals.data?.data[0] ?? null,
    outcomes: outcomes.data?.data ?? [],
    series: series.data?.data ?? [],
  }
  return {
    figures: useLatest(figures, range.value),
    error: totals.error ?? outcomes.error ?? series.error,
    reload: () => {
      for (const reading of [totals, outcomes, series]) reading.reload()
    },
  }
}

/** The last value that was there, while that of the next minute is under way. */
function useLatest<T>(value: T | undefined, of: string): T | undefined {
  const kept = useRef<{ of: string; value: T } | null>(null)
  if (value !== undefined) kept.current = { of, value }
  return kept.current?.of === of ? kept.current.value : undefined
}
