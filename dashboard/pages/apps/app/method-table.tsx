import type { AnswerOf, App } from '@headgate/client'
import { useCall } from '../../../api/use-call.ts'
import { Button } from '../../../parts/button.tsx'
import { Card } from '../../../parts/card.tsx'
import { Bar } from '../../../parts/charts/bar.tsx'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { ms, short, whole } from '../../../parts/text/format.ts'
import { methodName } from '../../../parts/text/method-name.ts'
import { changeQuery, usePlace } from '../../../shell/routing/router.ts'

type Row = AnswerOf<'getCallStats'>['data'][number]

export function MethodTable({ app }: { app: App }) {
  const isErrorsOnly = usePlace().query.has('errors')
  const switchRows = () => changeQuery({ errors: isErrorsOnly ? null : '1' })
  const choice = (
    <Button class="ghost sm" aria-pressed={isErrorsOnly} onClick={switchRows}>
      {isErrorsOnly ? 'All methods' : 'Errors only'}
    </Button>
  )
  const call = useCall('getCallStats', { app_id: app.id, group_by: 'method' })
  return (
    <Card title="Requests by method" about="24 h" acts={choice} isLined>
      <Loaded call={call} around="cb pad">
        {(all) => {
          const rows = all.filter((row) => !isErrorsOnly || row.errors + row.node_errors > 0)
          return rows.length > 0 ? <Rows rows={rows} /> : <NoRows isErrorsOnly={isErrorsOnly} />
        }}
      </Loaded>
    </Card>
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
  const method = { head: 'Method', cell: (row: Row) => <Method row={row} most={most} /> }
  return (
    <div class="tw">
      <DataTable columns={[method, ...FIGURES]} rows={rows} keyOf={({ group }) => group ?? ''} />
    </div>
  )
}

const FIGURES: readonly Column<Row>[] = [
  { head: 'Requests', class: 'num', cell: ({ calls }) => whole(calls) },
  {
    head: 'CU',
    class: 'num',
    cellClass: 'quiet',
    cell: ({ cu }) => (cu > 0 ? short(cu) : <span class="faint">free</span>),
  },
  {
    head: 'Errors',
    class: 'num c-narrow',
    // Red is what the service refused or could not answer; a revert is the node's own answer.
    cellClass: ({ errors, node_errors }) => (errors > 0 ? 'bad' : node_errors > 0 ? '' : 'faint'),
    cellTitle: ({ errors, node_errors }) =>
      `${whole(errors)} refused or not answered, ${whole(node_errors)} answered by the node with an error`,
    cell: ({ errors, node_errors }) => whole(errors + node_errors),
  },
  { head: 'Median', class: 'num c-narrow', cell: ({ median_ms }) => timeText(median_ms) },
  {
    head: '99th',
    class: 'num c-narrow',
    cellClass: 'quiet',
    cell: ({ p99_ms }) => timeText(p99_ms),
  },
]

function timeText(value: number | null): string {
  return value === null ? '–' : ms(value)
}

function Method({ row, most }: { row: Row; most: number }) {
  const { text, isCode } = methodName(row.group ?? '')
  return (
    <span class="meth">
      {isCode ? <code class="clip">{text}</code> : <span>{text}</span>}
      <Bar
        thin
        percent={(row.calls / most) * 100}
        tone="f2"
        label={`${row.share_percent} % of the calls`}
      />
    </span>
  )
}
