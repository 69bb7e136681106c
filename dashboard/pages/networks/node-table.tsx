import type { NetworkReport } from '../../api/wire.ts'
import { Bar } from '../../parts/charts/bar.tsx'
import type { Tone } from '../../parts/state.tsx'
import { ms, percent, plural, whole } from '../../parts/text/format.ts'
import { lengthText } from '../../parts/text/time-ago.tsx'
import { ErrorSpark } from './error-spark.tsx'

type Node = NetworkReport['upstreams'][number]

const STATES: Readonly<Record<Node['state'], { tone: Tone; word: string }>> = {
  used: { tone: 'ok', word: 'Used' },
  standby: { tone: 'ring', word: 'Standby' },
  excluded: { tone: 'bad', word: 'Not used' },
}

/** A node that goes wrong this often is worth a colour. */
const ERRORS_WARN = 0.5
const ERRORS_BAD = 5

/** The nodes of a network: how each is judged, and how requests went there in the last hour. */
export function NodeTable({ nodes }: { nodes: readonly Node[] }) {
  return (
    <div class="tw">
      <table class="ups rows">
        <thead>
          <tr>
            <th scope="col">Node</th>
            <th scope="col">State, and why</th>
            <th scope="col" class="num c-mid">
              Share of calls
            </th>
            <th scope="col" class="num">
              Head
            </th>
            <th scope="col" class="num">
              Lag
            </th>
            <th scope="col" class="num c-mid" title="In the last hour">
              Median
            </th>
            <th scope="col" class="num c-mid" title="In the last hour">
              99th
            </th>
            <th scope="col" class="num" title="In the last hour">
              Errors
            </th>
            <th scope="col" class="c-wide" title="Errors, hour by hour">
              24 h
            </th>
          </tr>
        </thead>
        <tbody>
          {nodes.map((node) => (
            <NodeRow key={node.name} node={node} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function NodeRow({ node }: { node: Node }) {
  const { tone, word } = STATES[node.state]
  const more = moreWords(node)
  return (
    <tr data-node={node.name}>
      <td>
        <span class="strong500 wraps">{node.name}</span>
      </td>
      <td>
        <span class="whname">
          <span class="st wrapping">
            <span class={`dot ${tone}`} />
            {word}
            {node.reason && <span class="quiet c-narrow">{node.reason}</span>}
          </span>
          {more && <span class="reason c-narrow">{more}</span>}
        </span>
      </td>
      <Share node={node} />
      <td class="num c-narrow">{node.head === null ? <Unknown /> : whole(node.head)}</td>
      <Lag node={node} />
      <td class="num c-mid c-narrow">{timeOf(node.median_ms)}</td>
      <td class="num c-mid c-narrow quiet">{timeOf(node.p99_ms)}</td>
      <Errors node={node} />
      <td class="c-wide c-narrow">
        <ErrorSpark hours={node.hours} />
      </td>
      <td class="full phone-only">
        <span class="hint">{phoneWords(node, more)}</span>
      </td>
    </tr>
  )
}

function Share({ node: { share_percent: share, calls } }: { node: Node }) {
  return (
    <td class="num c-mid c-narrow">
      <span class="share" title={`${plural(calls, 'request')} in the last hour`}>
        {calls === 0 ? <span class="faint">none</span> : percent(Math.round(share))}
        <Bar thin percent={share} tone="f2" label={percent(share)} />
      </span>
    </td>
  )
}

function Lag({ node: { lag_blocks: lag, state } }: { node: Node }) {
  if (lag === null) {
    return (
      <td class="num c-narrow">
        <Unknown />
      </td>
    )
  }
  const tone = lag === 0 ? 'faint' : state === 'excluded' ? 'bad' : ''
  return <td class={`num c-narrow ${tone}`}>{lag === 0 ? 'none' : whole(lag)}</td>
}

function Errors({ node: { calls, errors } }: { node: Node }) {
  if (calls === 0) {
    return (
      <td class="num c-narrow">
        <Unknown />
      </td>
    )
  }
  const part = (errors / calls) * 100
  const tone = part >= ERRORS_BAD ? 'bad' : part >= ERRORS_WARN ? 'warn' : part === 0 ? 'faint' : ''
  const title = `${whole(errors)} of ${plural(calls, 'request')}`
  return (
    <td class={`num c-narrow ${tone}`} title={title}>
      {percent(part)}
    </td>
  )
}

function Unknown() {
  return <span class="faint">n/a</span>
}

function timeOf(value: number | null) {
  return value === null ? <Unknown /> : ms(value)
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

function phoneWords(node: Node, more: string): string {
  const words = [node.state === 'used' ? '' : (node.reason ?? '')]
  if (node.calls > 0) words.push(`${percent(Math.round(node.share_percent))} of calls`)
  if (node.median_ms !== null) words.push(ms(node.median_ms))
  if (node.lag_blocks !== null) words.push(`lag ${whole(node.lag_blocks)}`)
  return [...words, more].filter(Boolean).join(' · ')
}
