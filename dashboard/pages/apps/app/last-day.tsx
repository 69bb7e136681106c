import type { App } from '@headgate/client'
import { useCall } from '../../../api/use-call.ts'
import { Card } from '../../../parts/card.tsx'
import { Plot } from '../../../parts/charts/plot.tsx'
import { Fact, Figure } from '../../../parts/fact.tsx'
import { percent, plural, short, succeededPercent, whole } from '../../../parts/text/format.ts'
import { clockText } from '../../../parts/text/time-ago.tsx'
import { lastHours, shortMonthName, startOfMonth } from '../../../parts/text/utc-dates.ts'

const NODES_SHOWN = 2
const WIDTH = 240
const HEIGHT = 44

export function LastDay({ app }: { app: App }) {
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
    <Card title="Last 24 hours" body="cb col">
      <dl class="figs gap-s">
        <Figure class="m" name="Requests">
          {stats.data ? whole(calls) : '–'}
        </Figure>
        <Figure class="m" name="Succeeded">
          {calls > 0 ? succeededPercent(calls, errors) : none}
        </Figure>
        <Figure class="m" name={`CU, ${shortMonthName(month)}`}>
          {usage.data ? short(monthCu) : '–'}
        </Figure>
      </dl>
      <HourColumns appId={app.id} />
      {totals && calls > 0 && (
        <dl class="kv">
          <Fact name="Cache">
            {share(totals.cached)} hits, {share(totals.coalesced)} coalesced
          </Fact>
          <ServedBy appId={app.id} />
          <Fact name="Errors">{errorWords(errors, nodeErrors)}</Fact>
        </dl>
      )}
    </Card>
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
    <Fact name="Served by">{[...words, ...(more > 0 ? [`${more} more`] : [])].join(' · ')}</Fact>
  )
}

function HourColumns({ appId }: { appId: string }) {
  const { data } = useCall('getCallSeries', { app_id: appId, bucket: 'hour' })
  const known = new Map(data?.data.map((point) => [point.start, point.calls]))
  const hours = lastHours().map((start) => ({ start, calls: known.get(start) ?? 0 }))
  const most = Math.max(1, ...hours.map(({ calls }) => calls))
  const step = WIDTH / hours.length
  return (
    <Plot class="mini" width={WIDTH} height={HEIGHT} label="Requests by the hour, 24 hours">
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
            data-tip={`${clockText(start)}  ${plural(calls, 'request')}`}
          />
        )
      })}
    </Plot>
  )
}

function errorWords(errors: number, nodeErrors: number): string {
  if (errors + nodeErrors === 0) return 'none'
  if (nodeErrors === 0) return whole(errors)
  return `${errors === 0 ? 'none' : whole(errors)} of ours, ${whole(nodeErrors)} the node’s own`
}
