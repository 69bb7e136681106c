import { useMemo } from 'preact/hooks'
import { useCall } from '../../api/use-call.ts'
import { useLiveRefresh, useRefresh } from '../../api/use-refresh.ts'
import { Card } from '../../parts/card.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Tag } from '../../parts/state.tsx'
import { monthName } from '../../parts/text/utc-dates.ts'
import { PageFrame } from '../../shell/page-frame.tsx'
import { usePlace } from '../../shell/routing/router.ts'
import { AtLimit } from '../settings/billing/at-limit.tsx'
import { MonthState } from '../settings/billing/month-state.tsx'
import { CsvButton } from './csv-button.tsx'
import { HourHeat } from './hour-heat.tsx'
import { PeriodStepper } from './period-stepper.tsx'
import { UsageCard } from './usage-card.tsx'
import { usageViewOf } from './usage-view.ts'

/** No event tells of usage where the stream is lost. */
const REFRESH_MS = 30_000

export default function UsagePage() {
  const { query } = usePlace()
  const view = usageViewOf(query, Date.now())
  useLiveRefresh(['usage', 'gap'], 'getUsageSeries')
  useRefresh(REFRESH_MS, 'getUsageSeries', 'getUsageSummary')
  const series = useCall('getUsageSeries', {
    bucket: view.bucket,
    group_by: view.by,
    from: String(view.fromMs),
    to: String(view.toMs),
  })
  const apps = useAppNames()
  return (
    <PageFrame title="Usage">
      <div class="head">
        <h1>Usage</h1>
        <div class="acts">
          <PeriodStepper view={view} />
          <CsvButton view={view} apps={apps} points={series.data?.data} />
        </div>
      </div>
      <div class="grid side">
        <div class="col g16">
          <UsageCard view={view} series={series} apps={apps} />
          <HourHeat view={view} />
        </div>
        <div class="col g16">
          <PlanCard />
          <AtLimit />
        </div>
      </div>
    </PageFrame>
  )
}

function useAppNames(): ReadonlyMap<string, string> {
  const { data } = useCall('listApps')
  return useMemo(() => new Map(data?.data.map(({ id, name }) => [id, name])), [data])
}

/** The tier, and how far the present month is in it, whatever month is in view. */
function PlanCard() {
  const call = useCall('getUsageSummary')
  const team = useCall('getTeam').data?.data
  const webhooks = useCall('listWebhooks').data?.data.length
  return (
    <Card
      title="Plan"
      about={call.data && monthName(call.data.data.month)}
      acts={team && <Tag>{team.tier}</Tag>}
      body="cb col"
    >
      <Loaded call={call} wait={<span class="sk plan-wait" />}>
        {(summary) => (
          <MonthState summary={summary} limits={team?.limits ?? null} webhooks={webhooks} />
        )}
      </Loaded>
    </Card>
  )
}
