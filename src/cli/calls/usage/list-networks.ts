import type { NetworkReport } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { numberText, spanText } from '../../terminal/formats.ts'
import type { Cell, Column } from '../../terminal/table-lines.ts'

type Upstream = NetworkReport['upstreams'][number] & { network: string }

/** Lists the networks with their heads, and the nodes behind them. */
export async function listNetworks({ client, terminal }: Calling): Promise<void> {
  const { data } = await client.call('listNetworks')
  terminal.show(data, () => {
    terminal.table(NETWORK_COLUMNS, data)
    const nodes = data.flatMap(({ id, upstreams }) =>
      upstreams.map((upstream) => ({ ...upstream, network: id })),
    )
    if (nodes.length === 0) return
    terminal.say('')
    terminal.table(NODE_COLUMNS, nodes)
  })
}

const NETWORK_COLUMNS: readonly Column<NetworkReport>[] = [
  { title: 'network', of: ({ id }) => id },
  { title: 'kind', of: ({ kind }) => kind },
  { title: 'head', of: ({ head }) => head && numberText(head.number), align: 'right' },
  { title: 'seen', of: ({ head }) => ageText(head?.age_ms) },
  { title: 'final', of: ({ finalized }) => finalized && numberText(finalized), align: 'right' },
  { title: 'block time', of: (one) => spanText(one.block_time_ms), align: 'right', isExtra: true },
  { title: 'in URLs', of: ({ slug }) => slug, isExtra: true },
]

const NODE_COLUMNS: readonly Column<Upstream>[] = [
  { title: 'node', of: ({ name }) => name, cut: 'end' },
  { title: 'network', of: ({ network }) => network },
  { title: 'state', of: stateCell },
  { title: 'head', of: ({ head }) => head && numberText(head), align: 'right' },
  { title: 'behind', of: ({ lag_blocks }) => lag_blocks, align: 'right' },
  { title: 'calls/h', of: ({ calls }) => numberText(calls), align: 'right' },
  { title: 'errors', of: ({ errors }) => numberText(errors), align: 'right' },
  { title: 'median', of: (one) => msText(one.median_ms), align: 'right', isExtra: true },
  { title: 'p99', of: (one) => msText(one.p99_ms), align: 'right', isExtra: true },
  {
    title: 'reason',
    of: ({ reason, last_fault }) => last_fault ?? reason,
    cut: 'end',
    isExtra: true,
  },
]

function stateCell({ state }: Upstream): Cell {
  const colour = { used: 'green', standby: 'yellow', excluded: 'red' } as const
  return { text: state, colour: colour[state] }
}

function msText(ms: number | null): string | null {
  return ms === null ? null : `${ms.toFixed(1)} ms`
}

function ageText(ageMs: number | null | undefined): string | null {
  return ageMs === null || ageMs === undefined ? null : `${spanText(ageMs)} ago`
}
