import { useCall } from '../../api/use-call.ts'
import { GateArt } from '../../parts/art.tsx'
import { AreaChart } from '../../parts/charts/area-chart.tsx'
import { Empty, LoadFault } from '../../parts/empty.tsx'
import { ms, plural, short, whole } from '../../parts/text/format.ts'
import { callPoints } from './call-points.ts'
import { reasonOf } from './call-reasons.ts'
import type { TimeRange } from './time-range.ts'
import { type CallFigures, useCallFigures } from './use-call-figures.ts'

/** How many calls were made, how many of them went well, and how long they took. */
export function RequestsCard({ range }: { range: TimeRange }) {
  const { figures, error, reload } = useCallFigures(range)
  return (
    <section class="card requests">
      <div class="ch">
        <h2>Requests</h2>
        <span class="acts">
          <a class="small" href="/usage">
            Usage
          </a>
        </span>
      </div>
      {!figures && error ? (
        <div class="cb">
          <LoadFault error={error} retry={reload} />
        </div>
      ) : (
        <Figures figures={figures} range={range} />
      )}
    </section>
  )
}

function Figures({ figures, range }: { figures: CallFigures | undefined; range: TimeRange }) {
  if (!figures) return <Wait />
  const { totals } = figures
  if (!totals || totals.calls === 0) return <NoCalls range={range} />
  const { points, low, high } = callPoints(figures, range)
  const succeeded = 1 - totals.errors / totals.calls
  return (
    <>
      <div class="cb">
        <dl class="figs gap">
          <Figure name="Requests" value={whole(totals.calls)} />
          <Figure name="Succeeded" value={percentFloor(succeeded)} unit="%" />
          <Figure name="Median" {...timeParts(totals.median_ms)} />
          <Figure name="99th percentile" {...timeParts(totals.p99_ms)} />
        </dl>
        <AreaChart
          label={`Requests by the ${range.bucket}, ${range.words}: between ${low} and ${high}`}
          points={points}
          axis={short}
          isRunning
        />
      </div>
      {totals.errors > 0 && <Failures figures={figures} />}
    </>
  )
}

function Figure({ name, value, unit }: { name: string; value: string; unit?: string }) {
  return (
    <div class="fig">
      <dt>{name}</dt>
      <dd>
        {value}
        {unit && <small>{unit}</small>}
      </dd>
    </div>
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
  if (apps?.length === 0) {
    return (
      <Empty
        art={<GateArt />}
        title="No apps yet"
        acts={
          <a class="btn primary" href="/apps?create=1">
            New app
          </a>
        }
      >
        An app is a key that opens networks. Create one and call a node with it a second later.
      </Empty>
    )
  }
  const first = apps?.[0]
  return (
    <Empty
      art={<GateArt />}
      title={`No calls in the ${range.words}`}
      acts={
        first && (
          <a class="btn" href={`/apps/${first.id}`}>
            Open {first.name}
          </a>
        )
      }
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

function timeParts(value: number | null): { value: string; unit?: string } {
  if (value === null) return { value: '–' }
  const [figure = '', unit = ''] = ms(value).split(' ')
  return { value: figure, unit }
}
