import { useCall } from '../../../api/use-call.ts'
import type { AnswerOf } from '../../../api/wire.ts'
import { Button } from '../../../parts/button.tsx'
import { Card } from '../../../parts/card.tsx'
import { plural } from '../../../parts/text/format.ts'
import { utcDay } from '../../../parts/text/utc-dates.ts'
import { switchAutoscaling } from './switch-autoscaling.ts'

type Summary = AnswerOf<'getUsageSummary'>['data']

/** The ways to go on with the month. Nothing is paid here: the service is the operator's own. */
export function BillingSteps({ summary }: { summary: Summary }) {
  const webhooks = useCall('listWebhooks').data?.data ?? []
  const paused = webhooks.filter(
    ({ deactivation_reason: reason }) => reason === 'MONTHLY_CAPACITY_EXCEEDED',
  ).length
  return (
    <Card title="What to do" about={stateWords(summary)} isLined>
      <ul class="lines">
        {summary.limit_cu !== null && !summary.autoscaling && (
          <li>
            <span class="t">
              <span>Turn autoscaling on</span>
              <span class="quiet">
                Calls work past the limit at once, for this month and the next, until you turn it
                off.
              </span>
            </span>
            <Button class="primary" onClick={() => void switchAutoscaling(true)}>
              Turn on
            </Button>
          </li>
        )}
        {paused > 0 && (
          <li>
            <span class="t">
              <span>Unpause {plural(paused, 'webhook')}</span>
              <span class="quiet">
                They stay paused until you unpause them, and pause again while the month is used up
                and autoscaling is off.
              </span>
            </span>
            <Button href="/webhooks">See webhooks</Button>
          </li>
        )}
        <li>
          <span class="t">
            <span>Ask for another tier</span>
            <span class="quiet">
              This Headgate is self-hosted and takes no payment: its operator changes a team’s tier
              under Settings, Teams, and it acts within a second.
            </span>
          </span>
        </li>
        <li>
          <span class="t">
            <span>See where it goes</span>
            <span class="quiet">Compute units by method, app and network, day by day.</span>
          </span>
          <Button href="/usage">Usage</Button>
        </li>
      </ul>
    </Card>
  )
}

function stateWords({ percent_used: used, autoscaling, time_reset, limit_cu }: Summary): string {
  if (limit_cu === null) return 'there is no limit to reach'
  const isUsedUp = (used ?? 0) >= 100
  if (isUsedUp && autoscaling) return 'past the limit, and going on'
  if (isUsedUp) return `calls get 429 until ${utcDay(time_reset)}`
  return autoscaling ? 'calls go on past the limit' : 'before the limit is reached'
}
