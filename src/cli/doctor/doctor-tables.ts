import type { Colours } from '../terminal/colours.ts'
import { numberText, spanText } from '../terminal/formats.ts'
import { type Cell, type Column, tableLines } from '../terminal/table-lines.ts'
import { bestHead } from './judge-network.ts'
import type { Bound, Support, UpstreamFacts } from './upstream-facts.ts'

type Row = { title: string; cell(facts: UpstreamFacts): Cell }

type Layout = { colours: Colours; columnsMax: number }

const TITLES_WIDTH = 22
const COLUMN_WIDTH = 26

/** Longer names of versions are cut: a column for each upstream has to fit. */
const VERSION_CHARS_MAX = 24

/** A column for each upstream, a row for each fact; several tables where they do not fit. */
export function doctorTables(facts: readonly UpstreamFacts[], layout: Layout): string[] {
  const best = bestHead(facts)
  const kind = facts[0]?.kind ?? 'evm'
  const all = [...commonRows(best), ...(kind === 'evm' ? EVM_ROWS : SOLANA_ROWS), ...LAST_ROWS]
  const rows = all.filter(({ cell }) => facts.some((one) => cell(one) != null))
  const atOnce = Math.max(1, Math.floor((layout.columnsMax - TITLES_WIDTH) / COLUMN_WIDTH))
  const lines: string[] = []
  for (let from = 0; from < facts.length; from += atOnce) {
    const columns: Column<Row>[] = [
      { title: '', of: ({ title }) => title },
      ...facts.slice(from, from + atOnce).map((one) => ({
        title: one.upstream,
        of: (row: Row) => row.cell(one),
      })),
    ]
    lines.push(...(from === 0 ? [] : ['']), ...tableLines(columns, rows, layout))
  }
  return lines
}

function commonRows(best: number | null): Row[] {
  return [
    { title: 'answers', cell: ({ fault }) => (fault === null ? good('yes') : bad(fault)) },
    {
      title: 'chain',
      cell: ({ chain, isChainRight }) => chain && (isChainRight ? short(chain) : bad(short(chain))),
    },
    { title: 'head', cell: ({ head }) => head && numberText(head.number) },
    {
      title: 'behind the others',
      cell: ({ head, isChainRight }) =>
        head && best !== null && isChainRight ? numberText(best - head.number) : null,
    },
    {
      title: 'age of the head',
      cell: ({ head }) => (head?.ageMs != null && ageOf(head.ageMs)) || null,
    },
  ]
}

const EVM_ROWS: readonly Row[] = [
  {
    title: 'finalized',
    cell: ({ finalized }) => (finalized !== null && numberText(finalized)) || null,
  },
  { title: 'safe', cell: ({ safe }) => (safe !== null && numberText(safe)) || null },
  { title: 'receipts of a block', cell: ({ receipts }) => supported(receipts) },
  {
    title: 'debug traces',
    cell: ({ traces }) => supported(either(traces.block, traces.transaction)),
  },
  { title: 'trace_block', cell: ({ traces }) => supported(traces.parity) },
  { title: 'blocks of logs', cell: ({ logs }) => logs && boundText(logs) },
  {
    title: 'old state',
    cell: ({ isArchive, stateDepth }) =>
      isArchive ? good('all') : stateDepth === null ? null : `${numberText(stateDepth)} blocks`,
  },
]

const SOLANA_ROWS: readonly Row[] = [
  { title: 'getProgramAccounts', cell: ({ programAccounts }) => supported(programAccounts) },
]

const LAST_ROWS: readonly Row[] = [
  { title: 'calls in a batch', cell: ({ batch }) => batch && boundText(batch) },
  { title: 'WebSocket', cell: ({ socket }) => socketCell(socket) },
  {
    title: 'median answer',
    cell: ({ p50Ms }) => (p50Ms !== null && `${p50Ms.toFixed(1)} ms`) || null,
  },
  { title: 'put off (429)', cell: ({ throttled, fault }) => (fault ? null : String(throttled)) },
  { title: 'software', cell: ({ version }) => version?.slice(0, VERSION_CHARS_MAX) },
]

function boundText({
  accepted,
  refused,
  isWholeChain = false,
}: Bound & { isWholeChain?: boolean }): string {
  if (isWholeChain) return 'all'
  if (accepted === 0) return 'none'
  return refused === null ? `${numberText(accepted)} or more` : numberText(accepted)
}

function ageOf(ageMs: number): string {
  return ageMs < 0 ? `${spanText(-ageMs)} ahead` : spanText(ageMs)
}

function either(one: Support, other: Support): Support {
  return one === 'yes' ? one : other === 'yes' ? other : one
}

function supported(support: Support): Cell {
  if (support === 'unknown') return null
  return support === 'yes' ? good('yes') : { text: support, colour: 'yellow' }
}

function socketCell(socket: string): Cell {
  if (socket === 'none') return null
  return socket === 'works'
    ? good('works')
    : { text: socket.replaceAll('_', ' '), colour: 'yellow' }
}

/** A hash of a genesis takes too much room; its beginning tells it apart. */
function short(chain: string): string {
  return chain.length > 20 ? `${chain.slice(0, 8)}…` : chain
}

function good(text: string): Cell {
  return { text, colour: 'green' }
}

function bad(text: string): Cell {
  return { text: text.replaceAll('_', ' '), colour: 'red' }
}
