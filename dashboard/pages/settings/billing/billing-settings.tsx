import { useCall } from '../../../api/use-call.ts'
import { LoadFault, SkeletonRows } from '../../../parts/empty.tsx'
import { Tag } from '../../../parts/state.tsx'
import { monthName } from '../../../parts/text/utc-dates.ts'
import { AtLimit } from './at-limit.tsx'
import { BillingSteps } from './billing-steps.tsx'
import { MonthState } from './month-state.tsx'
import { TierTable } from './tier-table.tsx'

/** The page that error messages point to: how the month stands, and what can be done. */
export function BillingSettings() {
  const usage = useCall('getUsageSummary')
  const team = useCall('getTeam').data?.data
  const summary = usage.data?.data
  return (
    <div class="grid side">
      <div class="col g16">
        <section class="card">
          <div class="ch">
            <h2>{summary ? monthName(summary.month) : 'This month'}</h2>
            <span class="acts">{team && <Tag>{team.tier}</Tag>}</span>
          </div>
          {summary ? (
            <div class="cb col">
              <MonthState summary={summary} limits={team?.limits ?? null} />
            </div>
          ) : usage.error ? (
            <div class="cb">
              <LoadFault error={usage.error} retry={usage.reload} />
            </div>
          ) : (
            <SkeletonRows rows={4} />
          )}
        </section>
        {summary ? (
          <BillingSteps summary={summary} />
        ) : (
          <section class="card" aria-hidden="true">
            <SkeletonRows rows={3} />
          </section>
        )}
        <TierTable current={team} />
      </div>
      <AtLimit />
    </div>
  )
}
