import { useCall } from '../../api/use-call.ts'
import type { AnswerOf } from '../../api/wire.ts'
import { LoadFault } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Tag } from '../../parts/state.tsx'
import { plural, short } from '../../parts/text/format.ts'
import { monthName, utcDay } from '../../parts/text/utc-dates.ts'
import { MonthCurve } from './month-curve.tsx'

type Summary = AnswerOf<'getUsageSummary'>['data']

/** The month's compute units, and what they come to: money before surprise. */
export function MonthCard() {
  const { data, error, reload } = useCall('getUsageSummary')
  const tier = useCall('getTeam').data?.data.tier
  const summary = data?.data
  return (
    <section class="card">
      <div class="ch">
        <h2>Compute units{summary && `, ${monthName(summary.month)}`}</h2>
        <span class="acts">{tier && <Tag>{tier}</Tag>}</span>
      </div>
      <div class="cb col">
        {summary ? (
          <Month summary={summary} />
        ) : error ? (
          <LoadFault error={error} retry={reload} />
        ) : (
          <Wait />
        )}
      </div>
    </section>
  )
}

function Month({ summary }: { summary: Summary }) {
  const { month_cu: used, limit_cu: limit, forecast_cu: forecast } = summary
  const isOver = limit !== null && forecast !== null && forecast > limit
  return (
    <>
      <div class="spread">
        <dl class="fig">
          <dt>Used so far</dt>
          <dd>
            {short(used)}
            <small>{limit === null ? 'CU, no limit' : `of ${short(limit)}`}</small>
          </dd>
        </dl>
        {forecast !== null && (
          <dl class="fig m right">
            <dt>Forecast</dt>
            <dd class={isOver ? 'warn' : ''}>{short(forecast)}</dd>
          </dl>
        )}
      </div>
      <MonthCurve summary={summary} />
      <LimitNote summary={summary} />
    </>
  )
}

/** Says what will happen and when, before it does. */
function LimitNote({ summary }: { summary: Summary }) {
  const webhooks = useCall('listWebhooks').data?.data ?? []
  const active = webhooks.filter(({ is_active }) => is_active).length
  const { time_limit_reached: reachedAt, autoscaling, percent_used: used } = summary
  const isUsedUp = (used ?? 0) >= 100
  if (isUsedUp && autoscaling) {
    return (
      <div class="note">
        <Icon name="usage" />
        <span>
          <b>Past the month’s capacity.</b> Autoscaling is on, so calls and webhooks go on and usage
          is counted. <a href="/settings/billing">Billing</a>
        </span>
      </div>
    )
  }
  if (isUsedUp) {
    return (
      <div class="note bad">
        <Icon name="warn" />
        <span>
          <b>The month is used up.</b> Calls get 429 until {utcDay(summary.time_reset)}.{' '}
          <a class="inh" href="/settings/billing">
            Decide now
          </a>
        </span>
      </div>
    )
  }
  if (reachedAt === null) return null
  return (
    <div class="note warn">
      <Icon name="warn" />
      <span>
        <b>About {utcDay(reachedAt)} the month is used up.</b>{' '}
        {autoscaling
          ? 'Autoscaling is on: calls and webhooks go on past it.'
          : `Autoscaling is off: calls would get 429${wouldPause(active)}.`}{' '}
        <a class="inh" href="/settings/billing">
          Decide now
        </a>
      </span>
    </div>
  )
}

function wouldPause(active: number): string {
  return active === 0 ? '' : ` and ${plural(active, 'webhook')} would pause`
}

function Wait() {
  return (
    <>
      <span class="sk fig-wait" />
      <span class="sk month-wait" />
    </>
  )
}
