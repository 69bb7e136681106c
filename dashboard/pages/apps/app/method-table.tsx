import { useCall } from '../../../api/use-call.ts'
import type { WireApp } from '../../../api/wire.ts'
import { Bar } from '../../../parts/charts/bar.tsx'
import { Empty, LoadFault, SkeletonRows } from '../../../parts/empty.tsx'
import { cu, ms, whole } from '../../../parts/text/format.ts'
import { methodName } from '../../../parts/text/method-name.ts'
import { changeQuery, usePlace } from '../../../shell/routing/router.ts'

type Row = NonNullable<ReturnType<typeof useCall<'getCallStats'>>['data']>['data'][number]

/** The methods that an app called in the last day, the most called first. */
export function MethodTable({ app }: { app: WireApp }) {
  const { query } = usePlace()
  const { data, error, reload } = useCall('getCallStats', { app_id: app.id, group_by: 'method' })
  const isErrorsOnly = query.has('errors')
  const rows = data?.data.filter((row) => !isErrorsOnly || row.errors + row.node_errors > 0)
  return (
    <section class="card">
      <div class="ch line">
        <h2>Requests by method</h2>
        <span class="quiet small">24 h</span>
        <span class="acts">
          <button
            class="btn ghost sm"
            type="button"
            aria-pressed={isErrorsOnly}
            onClick={() => changeQuery({ errors: isErrorsOnly ? null : '1' })}
          >
            {isErrorsOnly ? 'All methods' : 'Errors only'}
          </button>
        </span>
      </div>
      {rows && rows.length > 0 && <Rows rows={rows} />}
      {rows?.length === 0 && <NoRows isErrorsOnly={isErrorsOnly} />}
      {!data &&
        (error ? (
          <div class="cb pad">
            <LoadFault error={error} retry={reload} />
          </div>
        ) : (
          <SkeletonRows rows={4} />
        ))}
    </section>
  )
}

function NoRows({ isErrorsOnly }: { isErrorsOnly: boolean }) {
  if (isErrorsOnly) {
    return <Empty title="No errors in the last 24 hours">Every call was answered.</Empty>
  }
  return (
    <Empty title="No calls in the last 24 hours">
      Run the snippet above with the key, and its method shows up here within seconds.
    </Empty>
  )
}

function Rows({ rows }: { rows: readonly Row[] }) {
  const most = Math.max(...rows.map(({ calls }) => calls))
  return (
    <div class="tw">
      <table>
        <thead>
          <tr>
            <th scope="col">Method</th>
            <th scope="col" class="num">
              Requests
            </th>
            <th scope="col" class="num">
              CU
            </th>
            <th scope="col" class="num c-narrow">
              Errors
            </th>
            <th scope="col" class="num c-narrow">
              Median
            </th>
            <th scope="col" class="num c-narrow">
              99th
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <MethodRow key={row.group} row={row} most={most} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function MethodRow({ row, most }: { row: Row; most: number }) {
  const { text, isCode } = methodName(row.group ?? '')
  return (
    <tr>
      <td>
        <span class="meth">
          {isCode ? <code class="clip">{text}</code> : <span>{text}</span>}
          <Bar
            thin
            percent={(row.calls / most) * 100}
            tone="f2"
            label={`${row.share_percent} % of the calls`}
          />
        </span>
      </td>
      <td class="num">{whole(row.calls)}</td>
      <td class="num quiet">
        {row.cu > 0 ? cu(row.cu).replace(' CU', '') : <span class="faint">free</span>}
      </td>
      <ErrorsCell row={row} />
      <td class="num c-narrow">{row.median_ms === null ? '–' : ms(row.median_ms)}</td>
      <td class="num quiet c-narrow">{row.p99_ms === null ? '–' : ms(row.p99_ms)}</td>
    </tr>
  )
}

/** Red is what the service refused or could not answer; a revert is the node's own answer. */
function ErrorsCell({ row: { errors, node_errors: nodeErrors } }: { row: Row }) {
  const tone = errors > 0 ? 'bad' : nodeErrors > 0 ? '' : 'faint'
  const title = `${whole(errors)} refused or not answered, ${whole(nodeErrors)} answered by the node with an error`
  return (
    <td class={`num c-narrow ${tone}`} title={title}>
      {whole(errors + nodeErrors)}
    </td>
  )
}
