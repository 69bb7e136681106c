import { useCall } from '../../api/use-call.ts'
import { useRefresh } from '../../api/use-refresh.ts'
import type { AnswerOf } from '../../api/wire.ts'
import { startOfMonth } from '../../parts/text/utc-dates.ts'

/** The figures of an app beside its name. */
export type AppFigures = {
  calls: number
  errors: number
  monthCu: number
  /** Compute units by the hour, the last 24, oldest first. */
  hours: readonly number[]
  /** When the bucket of its last use began, and whether that is an hour or a day. */
  lastUse: { at: number; unit: 'hour' | 'day' } | null
}

type Point = AnswerOf<'getUsageSeries'>['data'][number]

const HOUR_MS = 3_600_000
const HOURS = 24
const REFRESH_MS = 15_000

/** The figures of all apps, in three calls however many there are; null until they are known. */
export function useAppFigures(): ((appId: string) => AppFigures) | null {
  const month = new Date().toISOString().slice(0, 7)
  const from = String(startOfMonth(month))
  const calls = useCall('getCallStats', { group_by: 'app' })
  const hours = useCall('getUsageSeries', { bucket: 'hour', group_by: 'app' })
  const days = useCall('getUsageSeries', { bucket: 'day', group_by: 'app', from })
  useRefresh(REFRESH_MS, 'getCallStats', 'getUsageSeries')
  if (!calls.data || !hours.data || !days.data) return null
  const callsOf = new Map(calls.data.data.map((one) => [one.group, one]))
  const hoursOf = Map.groupBy(hours.data.data, ({ group }) => group)
  const daysOf = Map.groupBy(days.data.data, ({ group }) => group)
  return (id) => {
    const ownHours = hoursOf.get(id) ?? []
    const ownDays = daysOf.get(id) ?? []
    return {
      calls: callsOf.get(id)?.calls ?? 0,
      errors: callsOf.get(id)?.errors ?? 0,
      monthCu: ownDays.reduce((sum, { cu }) => sum + cu, 0),
      hours: byHour(ownHours),
      lastUse: lastUseOf(ownHours, ownDays),
    }
  }
}

function byHour(points: readonly Point[]): number[] {
  const last = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const known = new Map(points.map(({ start, cu }) => [start, cu]))
  return Array.from({ length: HOURS }, (_, at) => known.get(last - (HOURS - 1 - at) * HOUR_MS) ?? 0)
}

function lastUseOf(hours: readonly Point[], days: readonly Point[]): AppFigures['lastUse'] {
  const hour = hours.findLast(({ calls }) => calls > 0)
  if (hour) return { at: hour.start, unit: 'hour' }
  const day = days.findLast(({ calls }) => calls > 0)
  return day ? { at: day.start, unit: 'day' } : null
}
