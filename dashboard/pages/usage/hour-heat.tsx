import type { UsagePoint } from '@headgate/client'
import { useCall } from '../../api/use-call.ts'
import { Card } from '../../parts/card.tsx'
import { Plot } from '../../parts/charts/plot.tsx'
import { cu } from '../../parts/text/format.ts'
import { DAY_MS, HOUR_MS, utcDay } from '../../parts/text/utc-dates.ts'
import type { UsageView } from './usage-view.ts'

const DAYS = 7
const CELL = { width: 30, height: 22, gap: 2 }

/** Shades beside the one of an hour without any use. */
const SHADES = 5

const WEEKDAY = new Intl.DateTimeFormat('en-US', { weekday: 'short', timeZone: 'UTC' })

export function HourHeat({ view }: { view: UsageView }) {
  const endMs = Math.min(view.toMs, (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS)
  const fromMs = endMs - DAYS * DAY_MS
  const { data } = useCall('getUsageSeries', {
    bucket: 'hour',
    from: String(fromMs),
    to: String(endMs),
  })
  const days = Array.from({ length: DAYS }, (_, at) => fromMs + at * DAY_MS)
  const isPresent = endMs > Date.now()
  return (
    <Card
      title="By hour"
      about={<>{isPresent ? 'last 7 days' : `7 days to ${utcDay(endMs - DAY_MS)}`}, UTC</>}
      beside={<ShadeLegend />}
      body="cb"
    >
      <div class="heat">
        <div class="dn" aria-hidden="true">
          {days.map((dayMs) => (
            <span key={dayMs}>
              {WEEKDAY.format(dayMs)} {new Date(dayMs).getUTCDate()}
            </span>
          ))}
        </div>
        <HeatCells fromMs={fromMs} points={data?.data ?? []} />
        <div class="hx" aria-hidden="true">
          {['00', '06', '12', '18', '23'].map((hour) => (
            <span key={hour}>{hour}</span>
          ))}
        </div>
      </div>
    </Card>
  )
}

function HeatCells({ fromMs, points }: { fromMs: number; points: readonly UsagePoint[] }) {
  const used = new Map(points.map((point) => [point.start, point.cu]))
  const most = Math.max(0, ...used.values())
  const nowMs = Date.now()
  return (
    <Plot
      width={24 * CELL.width}
      height={DAYS * CELL.height}
      label={`Compute units by hour over seven days. ${busiest(points)}`}
    >
      {Array.from({ length: DAYS * 24 }, (_, at) => {
        const startMs = fromMs + at * HOUR_MS
        const hourCu = used.get(startMs) ?? 0
        const hour = new Date(startMs).toISOString().slice(11, 16)
        return (
          <rect
            key={startMs}
            x={(at % 24) * CELL.width + CELL.gap / 2}
            y={Math.floor(at / 24) * CELL.height + CELL.gap / 2}
            width={CELL.width - CELL.gap}
            height={CELL.height - CELL.gap}
            rx="2"
            class={`h${shadeOf(hourCu, most)}`}
            data-tip={startMs > nowMs ? undefined : `${utcDay(startMs)}, ${hour}  ${cu(hourCu)}`}
          />
        )
      })}
    </Plot>
  )
}

function ShadeLegend() {
  return (
    <span class="acts legend c-narrow" aria-hidden="true">
      <span>less</span>
      <svg width="86" height="10" aria-hidden="true">
        {Array.from({ length: SHADES + 1 }, (_, shade) => (
          <rect key={shade} x={shade * 15} width="11" height="10" rx="2.5" class={`h${shade}`} />
        ))}
      </svg>
      <span>more</span>
    </span>
  )
}

/** From 0, unused, to the darkest; the least use is not taken for none. */
function shadeOf(hourCu: number, most: number): number {
  return hourCu <= 0 || most <= 0 ? 0 : Math.ceil((hourCu / most) * SHADES)
}

function busiest(points: readonly UsagePoint[]): string {
  const top = points.toSorted((a, b) => b.cu - a.cu)[0]
  if (!top) return 'None were used.'
  const hour = new Date(top.start).toISOString().slice(11, 16)
  return `The busiest hour was ${utcDay(top.start)}, ${hour}, with ${cu(top.cu)}.`
}
