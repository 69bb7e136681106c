import type { UsagePoint } from '@headgate/client'
import { useCall } from '../../api/use-call.ts'
import { type Column, ColumnChart } from '../../parts/charts/column-chart.tsx'
import { cu, short } from '../../parts/text/format.ts'
import { DAY_MS, utcDay } from '../../parts/text/utc-dates.ts'
import { groupName, ownColours, type UsageGroup } from './usage-groups.ts'
import { bucketStarts, changeUsageView, type UsageView } from './usage-view.ts'

const HEIGHT = 220

type Props = {
  view: UsageView
  points: readonly UsagePoint[]
  groups: readonly UsageGroup[]
  apps: ReadonlyMap<string, string>
}

export function UsageChart({ view, points, groups, apps }: Props) {
  const expectedCu = useExpectedCu(view)
  const own = ownColours(groups.length)
  const series = new Map(groups.map(({ id }, at) => [id, Math.min(at, own)]))
  const names = groups.slice(0, own).map(({ id }) => groupName(id, view.by, apps).text)
  if (groups.length > own) names.push(`${groups.length - own} others`)
  const nowMs = Date.now()
  const columns = bucketStarts(view).map((startMs): Column => {
    const parts = names.map(() => 0)
    for (const { start, group, cu: used } of points) {
      const at = start === startMs ? series.get(group ?? '') : undefined
      if (at !== undefined) parts[at] = (parts[at] ?? 0) + used
    }
    const isAhead = startMs > nowMs
    const label = labelOf(view, startMs)
    if (isAhead && expectedCu !== null) {
      return { label, parts, ghost: expectedCu, tip: `${label}  about ${cu(expectedCu)} expected` }
    }
    return { label, parts, tip: tipOf(label, names, parts) }
  })
  const open = (at: number) => {
    const startMs = bucketStarts(view)[at] ?? 0
    if (startMs > nowMs) return
    changeUsageView({ bucket: 'hour', period: new Date(startMs).toISOString().slice(0, 10) })
  }
  return (
    <ColumnChart
      label={`Compute units by ${view.bucket}, split by ${view.by}`}
      columns={columns}
      height={HEIGHT}
      axis={short}
      {...(view.bucket === 'day' && { onOpen: open })}
    />
  )
}

/** A day still to come, at the pace that the forecast goes by; null where there is none. */
function useExpectedCu({ bucket, isCurrent }: UsageView): number | null {
  const summary = useCall('getUsageSummary').data?.data
  if (bucket !== 'day' || !isCurrent || summary?.forecast_cu == null) return null
  const daysLeft = (summary.time_reset - Date.now()) / DAY_MS
  const aheadCu = summary.forecast_cu - summary.month_cu
  return daysLeft > 0 && aheadCu > 0 ? Math.round(aheadCu / daysLeft) : null
}

function labelOf({ bucket }: UsageView, startMs: number): string {
  return bucket === 'day' ? utcDay(startMs) : new Date(startMs).toISOString().slice(11, 16)
}

function tipOf(label: string, names: readonly string[], parts: readonly number[]): string {
  const sum = parts.reduce((all, part) => all + part, 0)
  const lines = names.map((name, at) => ({ name, used: parts[at] ?? 0 }))
  const shown = lines
    .filter(({ used }) => used > 0)
    .map(({ name, used }) => `${name}  ${short(used)}`)
  return [`${label}  ${cu(sum)}`, ...shown].join('\n')
}
