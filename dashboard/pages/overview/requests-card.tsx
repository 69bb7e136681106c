import { useCall } from '../../api/use-call.ts'
import { GateArt } from '../../parts/art.tsx'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { AreaChart, type AreaPoint } from '../../parts/charts/area-chart.tsx'
import { Empty, NoApps } from '../../parts/empty.tsx'
import { Figure } from '../../parts/fact.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { ms as msText, plural, short, whole } from '../../parts/text/format.ts'
import { clockText } from '../../parts/text/time-ago.tsx'
import { utcDay } from '../../parts/text/utc-dates.ts'
import type { TimeRange } from './time-range.ts'
import { type CallFigures, useCallFigures } from './use-call-figures.ts'

export function RequestsCard({ range }: { range: TimeRange }) {
  const { figures, ...rest } = useCallFigures(range)
  const call = { data: figures && { data: figures }, ...rest }
  return (
    <Card
      title="Requests"
      acts={
        <a class="small" href="/usage">
          Usage
        </a>
      }
      class="requests"
    >
      <Loaded call={call} around="cb" wait={<Wait />}>
        {(known) => <Figures figures={known} range={range} />}
      </Loaded>
    </Card>
  )
}

function Figures({ figures, range }: { figures: CallFigures; range: TimeRange }) {
  const { totals } = figures
  if (!totals || totals.calls === 0) return <NoCalls range={range} />
  const { points, low, high } = callPoints(figures, range)
  const succeeded = 1 - totals.errors / totals.calls
  return (
    <>
      <div class="cb">
        <dl class="figs gap">
          <Figure name="Requests">{whole(totals.calls)}</Figure>
          <Figure name="Succeeded" unit="%">
            {percentFloor(succeeded)}
          </Figure>
          <TimeFigure name="Median" ms={totals.median_ms} />
          <TimeFigure name="99th percentile" ms={totals.p99_ms} />
        </dl>
        <AreaChart
          label={`Requests by the ${range.bucket}, ${range.words}: between ${low} and ${high}`}
          points={points}
          axis={short}
        />
      </div>
      {totals.errors > 0 && <Failures figures={figures} />}
    </>
  )
}

/** The service's own refusals and failures; a revert is the node's answer and none of these. */
function Failures({ figures: { totals, outcomes } }: { figures: CallFigures }) {
  const causes = outcomes
    .filter(({ group, errors }) => group !== 'ok' && group !== 'node_error' && errors > 0)
    .toSorted((a, b) => b.errors - a.errors)
  return (
    <div class="cf">
      <span class="st">
        <span class="dot bad" />
        {plural(totals?.errors ?? 0, 'call')} failed
      </span>
      <span>
        {causes.slice(0, 3).map(({ group, errors }, at) => (
          <span key={group}>
            {at > 0 && ' · '}
            <b class="strong">{whole(errors)}</b> {reasonOf(group ?? '')}
          </span>
        ))}
      </span>
    </div>
  )
}

function NoCalls({ range }: { range: TimeRange }) {
  const apps = useCall('listApps').data?.data
  const create = (
    <Button class="primary" href="/apps?create=1">
      New app
    </Button>
  )
  if (apps?.length === 0) return <NoApps acts={create} />
  const first = apps?.[0]
  return (
    <Empty
      art={<GateArt />}
      title={`No calls in the ${range.words}`}
      acts={first && <Button href={`/apps/${first.id}`}>Open {first.name}</Button>}
    >
      Calls with the key of an app show up here within seconds: how many, how fast, and what failed.
      An app’s page has its addresses, ready to copy.
    </Empty>
  )
}

function Wait() {
  return (
    <div class="cb" role="status" aria-busy="true" aria-label="Loading">
      <div class="figs gap">
        {[0, 1, 2, 3].map((at) => (
          <span class="sk fig-wait" key={at} />
        ))}
      </div>
      <span class="sk chart-wait" />
    </div>
  )
}

/** Never rounded up to all of it. */
function percentFloor(share: number): string {
  return share === 1 ? '100' : (Math.floor(share * 10_000) / 100).toFixed(2)
}

function TimeFigure({ name, ms }: { name: string; ms: number | null }) {
  const [figure, unit] = ms === null ? ['–'] : msText(ms).split(' ')
  return (
    <Figure name={name} unit={unit}>
      {figure}
    </Figure>
  )
}

const REASONS: Readonly<Record<string, string>> = {
  throughput_exceeded: 'over the compute units a second (429)',
  capacity_exceeded: 'after the month was used up (429)',
  too_many_requests: 'too many at once (429)',
  upstream_failed: 'no node answered (503)',
  upstream_timeout: 'no node answered in time (504)',
  overloaded: 'turned away under load (503)',
  network_not_enabled: 'on a network that the app lacks (403)',
  app_inactive: 'with the key of an inactive app (403)',
  origin_not_allowed: 'from an origin that the app does not allow (403)',
  address_not_allowed: 'from an address that the app does not allow (403)',
  rpc_method_not_allowed: 'of a method that the app does not allow (403)',
  contract_not_allowed: 'about a contract that the app does not allow (403)',
  paid_only: 'of a method for paid tiers (403)',
  method_not_served: 'of a method that is not served here (-32601)',
  parse_error: 'were no JSON (-32700)',
  invalid_request: 'were no JSON-RPC (-32600)',
  invalid_params: 'had wrong parameters (-32602)',
  too_large: 'were too large (413)',
}

function reasonOf(code: string): string {
  return REASONS[code] ?? code.replaceAll('_', ' ')
}

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric' })

/** Every bucket of the range as a point; the API leaves those without calls out. */
function callPoints({ start, series }: CallFigures, range: TimeRange) {
  const known = new Map(series.map((point) => [point.start, point]))
  const points = Array.from({ length: range.count + 1 }, (_, at): AreaPoint => {
    const from = start + at * range.bucketMs
    const { calls = 0, errors = 0 } = known.get(from) ?? {}
    const name = bucketName(from, range)
    const failed = errors > 0 ? `\n${whole(errors)} failed` : ''
    const soFar = at === range.count ? ' so far' : ''
    return {
      start: from,
      label: at === range.count ? 'now' : axisName(from, range, at === 0),
      tip: `${name}  ${plural(calls, 'request')}${soFar}${failed}`,
      value: calls,
      share: calls === 0 ? null : 1 - errors / calls,
    }
  })
  const values = points.map(({ value }) => value)
  return { points, low: whole(Math.min(...values)), high: whole(Math.max(...values)) }
}

/** On the axis of a day only its first hour says that it is yesterday's. */
function axisName(start: number, range: TimeRange, isFirst: boolean): string {
  return range.value === '24h' && !isFirst ? clockText(start) : bucketName(start, range)
}

/** Hours in the reader's zone; days are those of the ledger, in UTC. */
function bucketName(start: number, { value }: TimeRange): string {
  if (value === '30d') return utcDay(start)
  if (value === '7d') return `${DAY.format(start)}, ${clockText(start)}`
  const isYesterday = value === '24h' && new Date(start).getDate() !== new Date().getDate()
  return `${isYesterday ? 'yesterday ' : ''}${clockText(start)}`
}
