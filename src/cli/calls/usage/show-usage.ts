import type { WireUsagePoint, WireUsageSummary } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { bytesText, numberText, timeText } from '../../terminal/formats.ts'
import { cutText } from '../../terminal/harmless-text.ts'
import { barText, progressBar } from '../../terminal/progress-bar.ts'
import type { Column } from '../../terminal/table-lines.ts'

type UsageOptions = { month?: string; by?: 'app' | 'network' | 'method' }

type Row = { label: string; calls: number; cu: number; bytes: number }

const BAR_COLUMNS_MAX = 40

/** The width of the other columns of the chart, about. */
const REST_COLUMNS = 48

const LABEL_COLUMNS_MAX = 28

/** Shows the usage of a month: by the day, or by what it is split into. */
export async function showUsage(calling: Calling, { month, by }: UsageOptions): Promise<void> {
  const { client, terminal } = calling
  const { data: summary } = await client.call('getUsageSummary')
  const asked = month ?? summary.month
  const { data: points } = await client.call('getUsageSeries', {
    parameters: { bucket: 'day', group_by: by ?? 'none', ...rangeOf(asked) },
  })
  const isThisMonth = asked === summary.month
  const shown = { month: asked, summary: isThisMonth ? summary : null, points }
  terminal.show(shown, () => {
    if (isThisMonth) saySummary(calling, summary)
    const rows = by === undefined ? byDay(points) : byGroup(points)
    if (rows.length === 0) return terminal.say(`Nothing was used in ${asked}.`)
    if (!isThisMonth) terminal.say(terminal.colours.bold(asked), '')
    terminal.table(chartColumns(calling, rows, by ?? 'day'), rows)
  })
}

function saySummary({ terminal }: Calling, summary: WireUsageSummary): void {
  const { month_cu, limit_cu, percent_used, forecast_cu, time_limit_reached } = summary
  const limit = limit_cu === null ? 'no limit' : `of ${numberText(limit_cu)} CU`
  const bar = percent_used === null ? null : progressBar(percent_used / 100, 20)
  terminal.facts([
    ['month', summary.month],
    ['used', `${numberText(month_cu)} CU, ${limit}`],
    ['', bar],
    ['forecast', forecast_cu === null ? null : `${numberText(forecast_cu)} CU at the end of it`],
    ['used up', time_limit_reached === null ? null : `${timeText(time_limit_reached)} UTC`],
    ['past the limit', summary.autoscaling ? 'goes on (autoscaling)' : null],
    ['last 24 hours', totalsText(summary.last_24_hours)],
    ['last 7 days', totalsText(summary.last_7_days)],
  ])
  terminal.say('')
}

function totalsText({ calls, cu, bytes }: WireUsageSummary['this_month']): string {
  return `${numberText(cu)} CU, ${numberText(calls)} calls, ${bytesText(bytes)} delivered`
}

function chartColumns({ terminal }: Calling, rows: readonly Row[], title: string): Column<Row>[] {
  const most = Math.max(...rows.map(({ cu }) => cu))
  const room = Math.min(BAR_COLUMNS_MAX, Math.max(10, terminal.columns - REST_COLUMNS))
  return [
    { title, of: ({ label }) => cutText(label, LABEL_COLUMNS_MAX, 'middle') },
    { title: 'CU', of: ({ cu }) => numberText(cu), align: 'right' },
    {
      title: '',
      of: ({ cu }) => ({ text: barText(most === 0 ? 0 : cu / most, room) || ' ', colour: 'cyan' }),
    },
    { title: 'calls', of: ({ calls }) => numberText(calls), align: 'right' },
    { title: 'delivered', of: ({ bytes }) => bytesText(bytes), align: 'right', isExtra: true },
  ]
}

function byDay(points: readonly WireUsagePoint[]): Row[] {
  return points.map(({ start, calls, cu, bytes }) => {
    return { label: timeText(start).slice(0, 10), calls, cu, bytes }
  })
}

/** The largest first. */
function byGroup(points: readonly WireUsagePoint[]): Row[] {
  const rows = [...Map.groupBy(points, ({ group }) => group)].map(([group, own]) => ({
    label: group ?? '(none)',
    calls: sumOf(own.map(({ calls }) => calls)),
    cu: sumOf(own.map(({ cu }) => cu)),
    bytes: sumOf(own.map(({ bytes }) => bytes)),
  }))
  return rows.toSorted((a, b) => b.cu - a.cu)
}

/** Sums of hundredths, which doubles would blur. */
function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + Math.round(value * 100), 0) / 100
}

function rangeOf(month: string): { from: string; to: string } {
  const [year = 0, number = 0] = month.split('-').map(Number)
  const next = number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`
  return { from: `${month}-01`, to: `${next}-01` }
}
