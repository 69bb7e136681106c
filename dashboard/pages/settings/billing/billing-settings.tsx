import { useCall } from '../../../api/use-call.ts'
import { Card } from '../../../parts/card.tsx'
import { SkeletonRows } from '../../../parts/empty.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
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
        <Card
          title={summary ? monthName(summary.month) : 'This month'}
          acts={team && <Tag>{team.tier}</Tag>}
        >
          <Loaded call={usage} around="cb">
            {(known) => (
              <div class="cb col">
                <MonthState summary={known} limits={team?.limits ?? null} />
              </div>
            )}
          </Loaded>
        </Card>
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
