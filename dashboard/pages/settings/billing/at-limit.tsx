import type { ComponentChildren } from 'preact'
import { useCall } from '../../../api/use-call.ts'
import { Card } from '../../../parts/card.tsx'
import { Switch } from '../../../parts/forms/field.tsx'
import { Icon, type IconName } from '../../../parts/icon.tsx'
import { plural, short } from '../../../parts/text/format.ts'
import { utcDay, utcMoment } from '../../../parts/text/utc-dates.ts'
import { switchAutoscaling } from './switch-autoscaling.ts'

export function AtLimit() {
  const summary = useCall('getUsageSummary').data?.data
  const webhooks = useCall('listWebhooks').data?.data ?? []
  const active = webhooks.filter(({ is_active }) => is_active).length
  const isOn = summary?.autoscaling ?? false
  const limit = summary?.limit_cu ?? null
  const reset = summary ? utcDay(summary.time_reset) : 'the next month'
  const foot = summary?.time_limit_reached != null && (
    <>
      At this pace that is <b class="strong">{utcMoment(summary.time_limit_reached)}</b>.
    </>
  )
  return (
    <Card title="At the limit" id="limit" body="cb col" foot={foot} footIcon="clock">
      <Switch
        label="Autoscaling"
        hint={summary ? hintOf(limit) : 'Go on past the limit instead of stopping there.'}
        isOn={isOn}
        isDisabled={!summary}
        onChange={(value) => void switchAutoscaling(value)}
      />
      {(!summary || limit !== null) && <TwoWays isOn={isOn} active={active} reset={reset} />}
    </Card>
  )
}

function hintOf(limit: number | null): string {
  if (limit === null) return 'This tier has no monthly limit, so there is nothing to go past.'
  return `Go on past ${short(limit)} CU instead of stopping there.`
}

type Ways = { isOn: boolean; active: number; reset: string }

function TwoWays({ isOn, active, reset }: Ways) {
  return (
    <div class="atlimit">
      <div class={isOn ? '' : 'on'}>
        <h3>{isOn ? 'Off' : 'Off, as now'}</h3>
        <ul>
          <Line icon="x">Calls get 429 until {reset}</Line>
          <Line icon="pause">{pausingWords(active)}</Line>
          <Line icon="info">Unpausing is up to you, even after the month ends</Line>
        </ul>
      </div>
      <div class={isOn ? 'on' : ''}>
        <h3>{isOn ? 'On, as now' : 'On'}</h3>
        <ul>
          <Line icon="check">Calls and webhooks go on</Line>
          <Line icon="usage">Usage is counted past 100 %</Line>
        </ul>
      </div>
    </div>
  )
}

function Line({ icon, children }: { icon: IconName; children: ComponentChildren }) {
  return (
    <li>
      <Icon name={icon} small />
      <span>{children}</span>
    </li>
  )
}

function pausingWords(active: number): string {
  if (active === 0) return 'Active webhooks pause, and each sends one error event'
  if (active === 1) return 'The active webhook pauses, and sends one error event'
  return `All ${plural(active, 'active webhook')} pause, and each sends one error event`
}
