import { useCall } from '../api/use-call.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { plural, short } from '../parts/text/format.ts'
import { monthName, utcDay } from '../parts/text/utc-dates.ts'
import { usePlace } from './routing/router.ts'

const BILLING = '/settings/billing'

/** Says on every page that the month is used up, for as long as that stops anything. */
export function UsedUpMonth() {
  const { path } = usePlace()
  const summary = useCall('getUsageSummary').data?.data
  const webhooks = useCall('listWebhooks').data?.data ?? []
  if (!summary || summary.autoscaling || (summary.percent_used ?? 0) < 100) return null
  const paused = webhooks.filter(
    ({ deactivation_reason: reason }) => reason === 'MONTHLY_CAPACITY_EXCEEDED',
  ).length
  const reset = utcDay(summary.time_reset)
  return (
    <div class="banner bad gap" role="status">
      <Icon name="pause" />
      <div class="t">
        <b>
          {monthName(summary.month)} is used up
          {paused > 0 && `, so ${plural(paused, 'webhook is', 'webhooks are')} paused`}
        </b>
        <p>
          {short(summary.month_cu)} of {short(summary.limit_cu ?? 0)} CU are used. Calls get 429
          until {reset}, 00:00 UTC. With autoscaling on, calls work again at once
          {paused > 0 && '; webhooks stay paused until you unpause them'}.
        </p>
      </div>
      {path !== BILLING && (
        <div class="acts">
          <Button href={BILLING}>See what to do</Button>
        </div>
      )}
    </div>
  )
}
