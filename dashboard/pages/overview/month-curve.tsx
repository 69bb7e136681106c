import { useCall } from '../../api/use-call.ts'
import { useRefresh } from '../../api/use-refresh.ts'
import type { UsageSummary, WireUsagePoint } from '../../api/wire.ts'
import { Plot } from '../../parts/charts/plot.tsx'
import { short } from '../../parts/text/format.ts'
import { DAY_MS, startOfMonth, utcDay } from '../../parts/text/utc-dates.ts'

const WIDTH = 300
const HEIGHT = 118
const REFRESH_MS = 60_000

const HEADROOM = 1.07

export function MonthCurve({ summary }: { summary: UsageSummary }) {
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
function sums(days: readonly WireUsagePoint[], start: number, nowMs: number, used: number): Sum[] {
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
