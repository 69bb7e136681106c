import type { UsageSummary } from '@headgate/client'
import type { ComponentChildren } from 'preact'
import { useCall } from '../../../api/use-call.ts'
import { Button } from '../../../parts/button.tsx'
import { Card } from '../../../parts/card.tsx'
import { plural } from '../../../parts/text/format.ts'
import { utcDay } from '../../../parts/text/utc-dates.ts'
import { switchAutoscaling } from './switch-autoscaling.ts'

/** The ways to go on with the month. Nothing is paid here: the service is the operator's own. */
export function BillingSteps({ summary }: { summary: UsageSummary }) {
  const webhooks = useCall('listWebhooks').data?.data ?? []
  const paused = webhooks.filter(
    ({ deactivation_reason: reason }) => reason === 'MONTHLY_CAPACITY_EXCEEDED',
  ).length
  return (
    <Card title="What to do" about={stateWords(summary)} isLined>
      <ul class="lines">
        {summary.limit_cu !== null && !summary.autoscaling && (
          <Step title="Turn autoscaling on" act={TURN_ON}>
            Calls work past the limit at once, for this month and the next, until you turn it off.
          </Step>
        )}
        {paused > 0 && (
          <Step
            title={`Unpause ${plural(paused, 'webhook')}`}
            act={<Button href="/webhooks">See webhooks</Button>}
          >
            They stay paused until you unpause them, and pause again while the month is used up and
            autoscaling is off.
          </Step>
        )}
        <Step title="Ask for another tier">
          This Headgate is self-hosted and takes no payment: its operator changes a team’s tier
          under Settings, Teams, and it acts within a second.
        </Step>
        <Step title="See where it goes" act={<Button href="/usage">Usage</Button>}>
          Compute units by method, app and network, day by day.
        </Step>
      </ul>
    </Card>
  )
}

const TURN_ON = (
  <Button class="primary" onClick={() => void switchAutoscaling(true)}>
    Turn on
  </Button>
)

function Step(props: { title: string; act?: ComponentChildren; children: string }) {
  return (
    <li>
      <span class="t">
        <span>{props.title}</span>
        <span class="quiet">{props.children}</span>
      </span>
      {props.act}
    </li>
  )
}

function stateWords({
  percent_used: used,
  autoscaling,
  time_reset,
  limit_cu,
}: UsageSummary): string {
  if (limit_cu === null) return 'there is no limit to reach'
  const isUsedUp = (used ?? 0) >= 100
  if (isUsedUp && autoscaling) return 'past the limit, and going on'
  if (isUsedUp) return `calls get 429 until ${utcDay(time_reset)}`
  return autoscaling ? 'calls go on past the limit' : 'before the limit is reached'
}
