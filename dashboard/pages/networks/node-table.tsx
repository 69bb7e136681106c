import type { Network } from '@headgate/client'
import { Bar } from '../../parts/charts/bar.tsx'
import { Spark } from '../../parts/charts/spark.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import type { Tone } from '../../parts/state.tsx'
import { ms, percent, plural, whole } from '../../parts/text/format.ts'
import { lengthText } from '../../parts/text/time-ago.tsx'
import { lastHours } from '../../parts/text/utc-dates.ts'

type Node = Network['upstreams'][number]

const STATES: Readonly<Record<Node['state'], { tone: Tone; word: string }>> = {
  used: { tone: 'ok', word: 'Used' },
  standby: { tone: 'ring', word: 'Standby' },
  excluded: { tone: 'bad', word: 'Not used' },
}

const UNKNOWN = <span class="faint">n/a</span>

/** A node that goes wrong this often is worth a colour. */
const ERRORS_WARN = 0.5
const ERRORS_BAD = 5

/** Some errors are drawn this tall at least, so that one in a thousand is seen. */
const LEAST = 0.08

const COLUMNS: readonly Column<Node>[] = [
  { head: 'Node', cell: ({ name }) => <span class="strong500 wraps">{name}</span> },
  { head: 'State, and why', cell: (node) => <NodeState node={node} /> },
  {
    head: 'Share of calls',
    class: 'num c-mid',
    cellClass: 'c-narrow',
    cell: ({ share_percent: share, calls }) => (
      <span class="share" title={`${plural(calls, 'request')} in the last hour`}>
        {calls === 0 ? <span class="faint">none</span> : percent(Math.round(share))}
        <Bar thin percent={share} tone="f2" label={percent(share)} />
      </span>
    ),
  },
  {
    head: 'Head',
    class: 'num',
    cellClass: 'c-narrow',
    cell: ({ head }) => (head === null ? UNKNOWN : whole(head)),
  },
  {
    head: 'Lag',
    class: 'num',
    cellClass: ({ lag_blocks: lag, state }) =>
      `c-narrow ${lag === 0 ? 'faint' : lag !== null && state === 'excluded' ? 'bad' : ''}`,
    cell: ({ lag_blocks: lag }) => (lag === null ? UNKNOWN : lag === 0 ? 'none' : whole(lag)),
  },
  {
    head: 'Median',
    headTitle: 'In the last hour',
    class: 'num c-mid',
    cellClass: 'c-narrow',
    cell: ({ median_ms: median }) => (median === null ? UNKNOWN : ms(median)),
  },
  {
    head: '99th',
    headTitle: 'In the last hour',
    class: 'num c-mid',
    cellClass: 'c-narrow quiet',
    cell: ({ p99_ms: slow }) => (slow === null ? UNKNOWN : ms(slow)),
  },
  {
    head: 'Errors',
    headTitle: 'In the last hour',
    class: 'num',
    cellClass: (node) => `c-narrow ${errorTone(node)}`,
    cellTitle: ({ calls, errors }) =>
      calls === 0 ? undefined : `${whole(errors)} of ${plural(calls, 'request')}`,
    cell: ({ calls, errors }) => (calls === 0 ? UNKNOWN : percent((errors / calls) * 100)),
  },
  {
    head: '24 h',
    headTitle: 'Errors, hour by hour',
    class: 'c-wide',
    cellClass: 'c-narrow',
    cell: ({ hours }) => <ErrorSpark hours={hours} />,
  },
  {
    cellClass: 'full phone-only',
    cell: (node) => <span class="hint">{phoneWords(node)}</span>,
  },
]

export function NodeTable({ nodes }: { nodes: readonly Node[] }) {
  return (
    <div class="tw">
      <DataTable
        class="ups rows"
        columns={COLUMNS}
        rows={nodes}
        keyOf={({ name }) => name}
        rowOf={({ name }) => ({ 'data-node': name })}
      />
    </div>
  )
}

function ErrorSpark({ hours }: { hours: Node['hours'] }) {
  const rates = new Map(
    hours.map(({ start, calls, errors }) => [start, errors / Math.max(1, calls)]),
  )
  const values = lastHours().map((start) => {
    const rate = rates.get(start) ?? 0
    return rate === 0 ? 0 : Math.max(LEAST, rate)
  })
  const worst = Math.max(0, ...rates.values())
  const tone = worst >= 0.05 ? 'bad' : worst >= 0.005 ? 'warn' : 'q'
  const label = `At most ${Math.round(worst * 1000) / 10} % errors in an hour`
  return <Spark values={values} tone={tone} label={label} />
}

function NodeState({ node }: { node: Node }) {
  const { tone, word } = STATES[node.state]
  const more = moreWords(node)
  return (
    <span class="whname">
      <span class="st wrapping">
        <span class={`dot ${tone}`} />
        {word}
        {node.reason && <span class="quiet c-narrow">{node.reason}</span>}
      </span>
      {more && <span class="reason c-narrow">{more}</span>}
    </span>
  )
}

function errorTone({ calls, errors }: Node): string {
  const part = (errors / Math.max(1, calls)) * 100
  if (part >= ERRORS_BAD) return 'bad'
  return part >= ERRORS_WARN ? 'warn' : calls > 0 && part === 0 ? 'faint' : ''
}

/** The credits of the month, votes that it lost, the last fault, and the next probe. */
function moreWords(node: Node) {
  const { last_fault: fault, last_fault_age_ms: age, next_probe_ms: next, budget } = node
  const words = []
  if (node.last_disagreement !== null) {
    const times = plural(node.disagreements, 'answer')
    words.push(`${times} unlike the quorum’s, last ${node.last_disagreement}`)
  }
  if (budget) {
    const { credits_spent: spent, credits_per_month: limit } = budget
    words.push(`${whole(spent)}${limit === null ? '' : ` of ${whole(limit)}`} credits this month`)
  }
  if (fault !== null) {
    words.push(`Last fault: ${fault}${age === null ? '' : `, ${lengthText(age)} ago`}`)
  }
  if (next !== null) words.push(`Next probe in ${lengthText(next)}`)
  return words.join('. ')
}

function phoneWords(node: Node): string {
  const words = [node.state === 'used' ? '' : (node.reason ?? '')]
  if (node.calls > 0) words.push(`${percent(Math.round(node.share_percent))} of calls`)
  if (node.median_ms !== null) words.push(ms(node.median_ms))
  if (node.lag_blocks !== null) words.push(`lag ${whole(node.lag_blocks)}`)
  return [...words, moreWords(node)].filter(Boolean).join(' · ')
}
