import { useCall } from '../../../api/use-call.ts'
import type { WireApp } from '../../../api/wire.ts'
import { percent, plural, short, whole } from '../../../parts/text/format.ts'
import { shortMonthName, startOfMonth } from '../../../parts/text/utc-dates.ts'

const HOUR_MS = 3_600_000
const HOURS = 24
const NODES_SHOWN = 2
const WIDTH = 240
const HEIGHT = 44
const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** How an app did in the last day. */
export function LastDay({ app }: { app: WireApp }) {
  const month = new Date().toISOString().slice(0, 7)
  const from = String(startOfMonth(month))
  const stats = useCall('getCallStats', { app_id: app.id })
  const usage = useCall('getUsageSeries', { bucket: 'month', group_by: 'app', from })
  const totals = stats.data?.data[0]
  const { calls = 0, errors = 0, node_errors: nodeErrors = 0 } = totals ?? {}
  const monthCu = usage.data?.data.find(({ group }) => group === app.id)?.cu ?? 0
  const share = (part: number) => percent(Math.round((part / Math.max(1, calls)) * 100))
  const none = stats.data ? 'n/a' : '–'
  return (
    <section class="card">
      <div class="ch">
        <h2>Last 24 hours</h2>
      </div>
      <div class="cb col">
        <dl class="figs gap-s">
          <Figure name="Requests" value={stats.data ? whole(calls) : '–'} />
          <Figure name="Succeeded" value={calls > 0 ? succeeded(calls, errors) : none} />
          <Figure name={`CU, ${shortMonthName(month)}`} value={usage.data ? short(monthCu) : '–'} />
        </dl>
        <HourColumns appId={app.id} />
        {totals && calls > 0 && (
          <dl class="kv">
            <dt>Cache</dt>
            <dd>
              {share(totals.cached)} hits, {share(totals.coalesced)} coalesced
            </dd>
            <ServedBy appId={app.id} />
            <dt>Errors</dt>
            <dd>{errorWords(errors, nodeErrors)}</dd>
          </dl>
        )}
      </div>
    </section>
  )
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div class="fig m">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

/** The nodes that answered most, the cached answers that they once gave included. */
function ServedBy({ appId }: { appId: string }) {
  const { data } = useCall('getCallStats', { app_id: appId, group_by: 'upstream' })
  const nodes = data?.data.filter(({ group }) => group) ?? []
  const answered = nodes.reduce((sum, { calls }) => sum + calls, 0)
  if (answered === 0) return null
  const words = nodes
    .slice(0, NODES_SHOWN)
    .map(({ group, calls }) => `${group} ${percent(Math.round((calls / answered) * 100))}`)
  const more = nodes.length - NODES_SHOWN
  return (
    <>
      <dt>Served by</dt>
      <dd>{[...words, ...(more > 0 ? [`${more} more`] : [])].join(' · ')}</dd>
    </>
  )
}

function HourColumns({ appId }: { appId: string }) {
  const { data } = useCall('getCallSeries', { app_id: appId, bucket: 'hour' })
  const last = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const known = new Map(data?.data.map((point) => [point.start, point.calls]))
  const hours = Array.from({ length: HOURS }, (_, at) => {
    const start = last - (HOURS - 1 - at) * HOUR_MS
    return { start, calls: known.get(start) ?? 0 }
  })
  const most = Math.max(1, ...hours.map(({ calls }) => calls))
  const step = WIDTH / HOURS
  return (
    <svg
      class="mini"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label="Requests by the hour, 24 hours"
    >
      {hours.map(({ start, calls }, at) => {
        const tall = calls === 0 ? 1 : Math.max(2, (calls / most) * HEIGHT)
        return (
          <rect
            key={start}
            class={calls === 0 ? 'ghost-bar' : 'f2'}
            x={at * step}
            y={HEIGHT - tall}
            width={step * 0.84}
            height={tall}
            data-tip={`${CLOCK.format(start)}  ${plural(calls, 'request')}`}
          />
        )
      })}
    </svg>
  )
}

/** Never rounded up to all of it. */
function succeeded(calls: number, errors: number): string {
  return percent(Math.floor((1 - errors / calls) * 10_000) / 100)
}

function errorWords(errors: number, nodeErrors: number): string {
  if (errors + nodeErrors === 0) return 'none'
  if (nodeErrors === 0) return whole(errors)
  return `${errors === 0 ? 'none' : whole(errors)} of ours, ${whole(nodeErrors)} the node’s own`
}
