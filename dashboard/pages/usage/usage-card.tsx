import type { Reading } from '../../api/use-call.ts'
import type { AnswerOf } from '../../api/wire.ts'
import { Empty, LoadFault } from '../../parts/empty.tsx'
import { Segmented } from '../../parts/forms/segmented.tsx'
import { periodName } from './period-stepper.tsx'
import { UsageChart } from './usage-chart.tsx'
import { sumGroups } from './usage-groups.ts'
import { UsageTable } from './usage-table.tsx'
import { changeUsageView, type UsageView } from './usage-view.ts'

const GROUPINGS = [
  { value: 'method', text: 'Method' },
  { value: 'app', text: 'App' },
  { value: 'network', text: 'Network' },
] as const

const BUCKETS = [
  { value: 'day', text: 'Day' },
  { value: 'hour', text: 'Hour' },
] as const

type Props = {
  view: UsageView
  series: Reading<AnswerOf<'getUsageSeries'>>
  apps: ReadonlyMap<string, string>
}

/** Compute units over the period, and the sums below. */
export function UsageCard({ view, series, apps }: Props) {
  return (
    <section class="card" aria-label="Compute units over time">
      <div class="ch">
        <h2>Compute units by {view.bucket}</h2>
        <div class="acts usageacts">
          <Segmented
            label="Group by"
            value={view.by}
            options={GROUPINGS}
            onChange={(by) => changeUsageView({ by })}
          />
          <Segmented
            label="Bucket"
            value={view.bucket}
            options={BUCKETS}
            onChange={(bucket) => changeUsageView({ bucket })}
          />
        </div>
      </div>
      <UsageBody view={view} series={series} apps={apps} />
    </section>
  )
}

function UsageBody({ view, series: { data, error, reload }, apps }: Props) {
  const points = data?.data
  if (!points) {
    if (error) return <LoadFault error={error} retry={reload} />
    return (
      <div class="chartpad" aria-hidden="true">
        <span class="sk usage-wait" />
      </div>
    )
  }
  if (points.length === 0) return <NothingUsed view={view} />
  const groups = sumGroups(points)
  return (
    <>
      <div class="chartpad">
        <UsageChart view={view} points={points} groups={groups} apps={apps} />
      </div>
      <UsageTable view={view} groups={groups} apps={apps} />
    </>
  )
}

function NothingUsed({ view }: { view: UsageView }) {
  const acts = view.isCurrent && (
    <a class="btn" href="/apps">
      See apps and their addresses
    </a>
  )
  return (
    <Empty icon="usage" title={`Nothing was used in ${periodName(view.period)}`} acts={acts}>
      Calls of apps are counted as they are answered, deliveries of webhooks as they are accepted.
      Both show here within seconds.
    </Empty>
  )
}
