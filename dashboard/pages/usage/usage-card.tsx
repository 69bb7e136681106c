import type { AnswerOf } from '@headgate/client'
import type { Reading } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Segmented } from '../../parts/forms/segmented.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { periodName } from './period-stepper.tsx'
import { UsageChart } from './usage-chart.tsx'
import { sumGroups } from './usage-groups.ts'
import { UsageTable } from './usage-table.tsx'
import { changeUsageView, GROUPINGS, type UsageView } from './usage-view.ts'

const BUCKETS = [
  { value: 'day', text: 'Day' },
  { value: 'hour', text: 'Hour' },
] as const

const WAIT = (
  <div class="chartpad" aria-hidden="true">
    <span class="sk usage-wait" />
  </div>
)

type Points = AnswerOf<'getUsageSeries'>['data']

type Props = {
  view: UsageView
  series: Reading<AnswerOf<'getUsageSeries'>>
  apps: ReadonlyMap<string, string>
}

export function UsageCard({ view, series, apps }: Props) {
  return (
    <Card
      title={<>Compute units by {view.bucket}</>}
      beside={
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
      }
      label="Compute units over time"
    >
      <Loaded call={series} wait={WAIT} empty={<NothingUsed view={view} />}>
        {(points) => <UsageBody view={view} points={points} apps={apps} />}
      </Loaded>
    </Card>
  )
}

function UsageBody({ view, points, apps }: Omit<Props, 'series'> & { points: Points }) {
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
  const acts = view.isCurrent && <Button href="/apps">See apps and their addresses</Button>
  return (
    <Empty icon="usage" title={`Nothing was used in ${periodName(view.period)}`} acts={acts}>
      Calls of apps are counted as they are answered, deliveries of webhooks as they are accepted.
      Both show here within seconds.
    </Empty>
  )
}
