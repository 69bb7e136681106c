import { type Command, InvalidArgumentError, Option } from 'commander'
import type { WireUsagePoint } from '../../http/contract/contract.ts'
import type { Calling } from '../connect/run-call.ts'
import { timeText } from '../terminal/formats.ts'
import { asking, connected, told } from './call-command.ts'
import { plainCommand } from './plain/plain-command.ts'
import { plainFacts, sayTable } from './plain/plain-view.ts'

type UsageOptions = { month?: string; by?: 'app' | 'network' | 'method' }

const NETWORK_FIELDS = ['id', 'kind', 'head.number', 'finalized', 'block_time_ms', 'slug']

const NODE_FIELDS = [
  'name',
  'network',
  'state',
  'head',
  'lag_blocks',
  'calls',
  'errors',
  'median_ms',
  'p99_ms',
  'reason',
  'last_fault',
]

export function addUsageCommand(command: Command): void {
  const choices = ['app', 'network', 'method']
  connected(command, {
    examples: [
      ['usage', 'this month, by the day'],
      ['usage --by method', 'by method'],
      ['usage --month 2026-10 --by app --json', 'an earlier month, for scripts'],
    ],
  })
    .option('--month <month>', 'such as 2026-10, in UTC (default: this one)', monthText)
    .addOption(new Option('--by <what>', 'split by this, instead of by day').choices(choices))
    .action(asking(showUsage))
}

export function addNetworkCommands(group: Command): void {
  told(group, { examples: [['network list', 'heads and nodes']] })
  plainCommand(group, 'list', 'listNetworks', {
    does: 'list the networks with their heads, and the nodes behind them',
    say(calling, networks) {
      sayTable(calling, NETWORK_FIELDS, networks)
      const nodes = networks.flatMap(({ id, upstreams }) =>
        upstreams.map((upstream) => ({ ...upstream, network: id })),
      )
      if (nodes.length === 0) return
      calling.terminal.say('')
      sayTable(calling, NODE_FIELDS, nodes)
    },
  })
}

async function showUsage(calling: Calling, { month, by }: UsageOptions): Promise<void> {
  const { client, terminal } = calling
  const { data: summary } = await client.call('getUsageSummary')
  const asked = month ?? summary.month
  const { data: points } = await client.call('getUsageSeries', {
    parameters: { bucket: 'day', group_by: by ?? 'none', ...rangeOf(asked) },
  })
  const isThisMonth = asked === summary.month
  const shown = { month: asked, summary: isThisMonth ? summary : null, points }
  terminal.show(shown, () => {
    if (isThisMonth) terminal.facts(plainFacts(summary))
    if (points.length === 0) return terminal.say(`Nothing was used in ${asked}.`)
    if (isThisMonth) terminal.say('')
    sayTable(calling, [by ?? 'day', 'cu', 'calls', 'bytes'], rowsOf(points, by))
  })
}

/** A row for each day, or for each that the usage is split by, the largest first. */
function rowsOf(points: readonly WireUsagePoint[], by: UsageOptions['by']) {
  const dayOf = ({ start }: WireUsagePoint) => timeText(start).slice(0, 10)
  const groupOf = ({ group }: WireUsagePoint) => group ?? '(none)'
  const rows = [...Map.groupBy(points, by ? groupOf : dayOf)].map(([label, own]) => ({
    [by ?? 'day']: label,
    cu: sumOf(own.map(({ cu }) => cu)),
    calls: sumOf(own.map(({ calls }) => calls)),
    bytes: sumOf(own.map(({ bytes }) => bytes)),
  }))
  return by ? rows.toSorted((a, b) => Number(b.cu) - Number(a.cu)) : rows
}

/** Sums of hundredths, which doubles would blur. */
function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + Math.round(value * 100), 0) / 100
}

function rangeOf(month: string): { from: string; to: string } {
  const [year = 0, number = 0] = month.split('-').map(Number)
  const to = new Date(Date.UTC(year, number)).toISOString().slice(0, 10)
  return { from: `${month}-01`, to }
}

function monthText(text: string): string {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text
  throw new InvalidArgumentError('It takes a month such as 2026-10.')
}
