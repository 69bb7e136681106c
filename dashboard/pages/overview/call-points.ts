import type { AreaPoint } from '../../parts/charts/area-chart.tsx'
import { plural, whole } from '../../parts/text/format.ts'
import { clockText } from '../../parts/text/time-ago.tsx'
import { utcDay } from '../../parts/text/utc-dates.ts'
import type { TimeRange } from './time-range.ts'
import type { CallFigures } from './use-call-figures.ts'

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric' })

/** Every bucket of the range as a point; the API leaves those without calls out. */
export function callPoints({ start, series }: CallFigures, range: TimeRange) {
  const known = new Map(series.map((point) => [point.start, point]))
  const points = Array.from({ length: range.count + 1 }, (_, at): AreaPoint => {
    const from = start + at * range.bucketMs
    const { calls = 0, errors = 0 } = known.get(from) ?? {}
    const name = bucketName(from, range)
    const failed = errors > 0 ? `\n${whole(errors)} failed` : ''
    const soFar = at === range.count ? ' so far' : ''
    return {
      start: from,
      label: at === range.count ? 'now' : axisName(from, range, at === 0),
      tip: `${name}  ${plural(calls, 'request')}${soFar}${failed}`,
      value: calls,
      share: calls === 0 ? null : 1 - errors / calls,
    }
  })
  const values = points.map(({ value }) => value)
  return { points, low: whole(Math.min(...values)), high: whole(Math.max(...values)) }
}

/** On the axis of a day only its first hour says that it is yesterday's. */
function axisName(start: number, range: TimeRange, isFirst: boolean): string {
  return range.value === '24h' && !isFirst ? clockText(start) : bucketName(start, range)
}

/** Hours in the reader's zone; days are those of the ledger, in UTC. */
function bucketName(start: number, { value }: TimeRange): string {
  if (value === '30d') return utcDay(start)
  if (value === '7d') return `${DAY.format(start)}, ${clockText(start)}`
  const isYesterday = value === '24h' && new Date(start).getDate() !== new Date().getDate()
  return `${isYesterday ? 'yesterday ' : ''}${clockText(start)}`
}
