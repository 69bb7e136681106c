import { useCall } from '../../api/use-call.ts'
import type { UsageSummary } from '../../api/wire.ts'
import { Card } from '../../parts/card.tsx'
import { Figure } from '../../parts/fact.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Note } from '../../parts/note.tsx'
import { Tag } from '../../parts/state.tsx'
import { plural, short } from '../../parts/text/format.ts'
import { monthName, utcDay } from '../../parts/text/utc-dates.ts'
import { MonthCurve } from './month-curve.tsx'

export function MonthCard() {
  const call = useCall('getUsageSummary')
  const tier = useCall('getTeam').data?.data.tier
  const month = call.data && `, ${monthName(call.data.data.month)}`
  return (
    <Card title={<>Compute units{month}</>} acts={tier && <Tag>{tier}</Tag>} body="cb col">
      <Loaded call={call} wait={<Wait />}>
        {(summary) => <Month summary={summary} />}
      </Loaded>
    </Card>
  )
}

function Month({ summary }: { summary: UsageSummary }) {
  const { month_cu: used, limit_cu: limit, forecast_cu: forecast } = summary
  const isOver = limit !== null && forecast !== null && forecast > limit
  return (
    <>
      <div class="spread">
        <Figure
          isAlone
          name="Used so far"
          unit={limit === null ? 'CU, no limit' : `of ${short(limit)}`}
        >
          {short(used)}
        </Figure>
        {forecast !== null && (
          <Figure isAlone class="m right" name="Forecast" tone={isOver ? 'warn' : ''}>
            {short(forecast)}
          </Figure>
        )}
      </div>
      <MonthCurve summary={summary} />
      <LimitNote summary={summary} />
    </>
  )
}

function LimitNote({ summary }: { summary: UsageSummary }) {
  const webhooks = useCall('listWebhooks').data?.data ?? []
  const active = webhooks.filter(({ is_active }) => is_active).length
  const { time_limit_reached: reachedAt, autoscaling, percent_used: used } = summary
  const paused = active === 0 ? '' : ` and ${plural(active, 'webhook')} would pause`
  const isUsedUp = (used ?? 0) >= 100
  if (isUsedUp && autoscaling) {
    return (
      <Note icon="usage">
        <b>Past the month’s capacity.</b> Autoscaling is on, so calls and webhooks go on and usage
        is counted. <a href="/settings/billing">Billing</a>
      </Note>
    )
  }
  if (isUsedUp) {
    return (
      <Note tone="bad" icon="warn">
        <b>The month is used up.</b> Calls get 429 until {utcDay(summary.time_reset)}.{' '}
        <a class="inh" href="/settings/billing">
          Decide now
        </a>
      </Note>
    )
  }
  if (reachedAt === null) return null
  return (
    <Note tone="warn" icon="warn">
      <b>About {utcDay(reachedAt)} the month is used up.</b>{' '}
      {autoscaling
        ? 'Autoscaling is on: calls and webhooks go on past it.'
        : `Autoscaling is off: calls would get 429${paused}.`}{' '}
      <a class="inh" href="/settings/billing">
        Decide now
      </a>
    </Note>
  )
}

function Wait() {
  return (
    <>
      <span class="sk fig-wait" />
      <span class="sk month-wait" />
    </>
  )
}
