import type { UsagePoint, UsageSummary } from '@headgate/client'
import { useCall } from '../../api/use-call.ts'
import { useRefresh } from '../../api/use-refresh.ts'
import { Card } from '../../parts/card.tsx'
import { Plot } from '../../parts/charts/plot.tsx'
import { Figure } from '../../parts/fact.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Note } from '../../parts/note.tsx'
import { Tag } from '../../parts/state.tsx'
import { plural, short } from '../../parts/text/format.ts'
import { DAY_MS, monthName, startOfMonth, utcDay } from '../../parts/text/utc-dates.ts'

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

const WIDTH = 300
const HEIGHT = 118
const REFRESH_MS = 60_000

const HEADROOM = 1.07

function MonthCurve({ summary }: { summary: UsageSummary }) {
  const start = startOfMonth(summary.month)
  const { data } = useCall('getUsageSeries', { bucket: 'day', from: String(start) })
  useRefresh(REFRESH_MS, 'getUsageSeries')
  const { limit_cu: limit, forecast_cu: forecast, month_cu: used } = summary
  const nowMs = Math.min(Date.now(), summary.time_reset)
  const most = Math.max(1, used, limit ?? 0, forecast ?? 0) * HEADROOM
  const x = (at: number) => ((at - start) / (summary.time_reset - start)) * WIDTH
  const y = (cu: number) => HEIGHT - (cu / most) * HEIGHT
  const points = sums(data?.data ?? [], start, nowMs, used).map(({ at, cu }) => `${x(at)} ${y(cu)}`)
  const line = `M${points.join('L')}`
  return (
    <div class="chart h118">
      <Plot width={WIDTH} height={HEIGHT} label={wordsOf(summary)}>
        <path class="area" d={`${line}L${x(nowMs)} ${HEIGHT}L0 ${HEIGHT}Z`} />
        <path class="ln" d={line} />
        {forecast !== null && (
          <path class="ln dash" d={`M${x(nowMs)} ${y(used)}L${WIDTH} ${y(forecast)}`} />
        )}
        {limit !== null && <path class="ln lim" d={`M0 ${y(limit)}H${WIDTH}`} />}
        <line class="ax" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
      </Plot>
      {limit !== null && (
        <span class="limlab" style={{ top: `${Math.max(0, y(limit)) - 16}px` }}>
          Limit {short(limit)}
        </span>
      )}
      <div class="x" aria-hidden="true">
        <span>{utcDay(start)}</span>
        <span>{new Date((start + summary.time_reset) / 2).getUTCDate()}</span>
        <span>{utcDay(summary.time_reset - DAY_MS)}</span>
      </div>
    </div>
  )
}

type Sum = { at: number; cu: number }

/** The use so far at the end of each day; the last point is now, as the summary has it. */
function sums(days: readonly UsagePoint[], start: number, nowMs: number, used: number): Sum[] {
  const found: Sum[] = [{ at: start, cu: 0 }]
  const known = new Map(days.map((day) => [day.start, day.cu]))
  let cu = 0
  for (let at = start; at + DAY_MS <= nowMs; at += DAY_MS) {
    cu += known.get(at) ?? 0
    found.push({ at: at + DAY_MS, cu: Math.min(cu, used) })
  }
  return [...found, { at: nowMs, cu: used }]
}

function wordsOf({ month_cu: used, forecast_cu: forecast, limit_cu: limit }: UsageSummary): string {
  const expected = forecast === null ? '' : `, about ${short(forecast)} expected by its end`
  const most = limit === null ? ', no limit' : `, limit ${short(limit)}`
  return `Compute units this month: ${short(used)} so far${expected}${most}`
}
