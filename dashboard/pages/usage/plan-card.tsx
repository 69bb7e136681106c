import { useCall } from '../../api/use-call.ts'
import { LoadFault } from '../../parts/empty.tsx'
import { Tag } from '../../parts/state.tsx'
import { monthName } from '../../parts/text/utc-dates.ts'
import { MonthState } from '../settings/billing/month-state.tsx'

/** The tier, and how far the present month is in it, whatever month is in view. */
export function PlanCard() {
  const { data, error, reload } = useCall('getUsageSummary')
  const team = useCall('getTeam').data?.data
  const summary = data?.data
  const webhooks = useCall('listWebhooks').data?.data.length
  return (
    <section class="card">
      <div class="ch">
        <h2>Plan</h2>
        {summary && <span class="quiet small">{monthName(summary.month)}</span>}
        <span class="acts">{team && <Tag>{team.tier}</Tag>}</span>
      </div>
      <div class="cb col">
        {summary ? (
          <MonthState summary={summary} limits={team?.limits ?? null} webhooks={webhooks} />
        ) : error ? (
          <LoadFault error={error} retry={reload} />
        ) : (
          <span class="sk plan-wait" />
        )}
      </div>
    </section>
  )
}
