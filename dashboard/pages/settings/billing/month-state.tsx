import type { TierLimits, UsageSummary } from '@headgate/client'
import { Plot } from '../../../parts/charts/plot.tsx'
import { Fact, Figure } from '../../../parts/fact.tsx'
import { percent, short, whole } from '../../../parts/text/format.ts'
import { lengthText, useNow } from '../../../parts/text/time-ago.tsx'
import { utcDay } from '../../../parts/text/utc-dates.ts'

export function MonthState(props: {
  summary: UsageSummary
  limits: TierLimits | null
  webhooks?: number | undefined
}) {
  const { summary, limits, webhooks } = props
  const { month_cu: used, limit_cu: limit, percent_used: part, remaining_cu: left } = summary
  return (
    <>
      <Figure
        isAlone
        name="Used so far"
        tone={part !== null && part >= 100 && !summary.autoscaling ? 'bad' : ''}
        unit={limit === null ? 'CU, no limit' : `of ${short(limit)} CU · ${percent(part ?? 0)}`}
      >
        {short(used)}
      </Figure>
      {limit !== null && <MonthBar summary={summary} limit={limit} />}
      <dl class="kv">
        {left !== null && <Fact name="Left">{short(left)}</Fact>}
        <Fact name="Forecast" class={isOver(summary) ? 'warn' : ''}>
          {forecastWords(summary)}
        </Fact>
        <Fact name="Resets">
          {utcDay(summary.time_reset)}, 00:00 UTC <Until at={summary.time_reset} />
        </Fact>
        {limits?.cu_per_second != null && (
          <Fact name="Speed limit">{whole(limits.cu_per_second)} CU/s</Fact>
        )}
        {limits && webhooks !== undefined && (
          <Fact name="Webhooks">
            {whole(webhooks)} of {whole(limits.webhooks)}
          </Fact>
        )}
      </dl>
    </>
  )
}

function Until({ at }: { at: number }) {
  return <span class="faint">in {lengthText(at - useNow())}</span>
}

function MonthBar({ summary, limit }: { summary: UsageSummary; limit: number }) {
  const { month_cu: used, forecast_cu: forecast } = summary
  const expected = Math.max(used, forecast ?? 0)
  const whole = Math.max(limit, expected, 1) * 1.04
  const at = (cu: number) => (cu / whole) * 1000
  return (
    <div class="planbar">
      <Plot
        class="bar b10"
        width={1000}
        height={1}
        label={`${short(used)} used, limit ${short(limit)}`}
      >
        <rect width={at(Math.min(expected, limit))} height="1" class="f5" />
        <rect width={at(Math.min(used, limit))} height="1" class="f1" />
        {expected > limit && (
          <rect x={at(limit)} width={at(expected - limit)} height="1" class="hatch" />
        )}
        <rect x={at(limit)} width="4" height="1" class="limtick" />
      </Plot>
      <span class="plab">
        <span>used</span>
        <span>
          {short(limit)} limit{forecast !== null && ` · ${short(forecast)} forecast`}
        </span>
      </span>
    </div>
  )
}

function isOver({ forecast_cu: forecast, limit_cu: limit }: UsageSummary): boolean {
  return forecast !== null && limit !== null && forecast > limit
}

function forecastWords(summary: UsageSummary): string {
  const { forecast_cu: forecast, limit_cu: limit } = summary
  if (forecast === null) return 'not before the third day of the month'
  if (limit === null || forecast <= limit) return short(forecast)
  return `${short(forecast)}, ${short(forecast - limit)} over`
}
