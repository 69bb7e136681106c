import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ConnectionOptions } from '../../connect/connection.ts'
import { runCall } from '../../connect/run-call.ts'
import { callCommand, callGroup } from './call-command.ts'

type UsageSaid = ConnectionOptions & { month?: string; by?: 'app' | 'network' | 'method' }

/** `headgate usage`: what the team used. */
export function addUsageCommand(program: Command): void {
  callCommand(program, 'usage', {
    does: 'show what the team used in a month, as a chart',
    examples: [
      ['usage', 'this month, by the day'],
      ['usage --by method', 'what it went into'],
      ['usage --month 2026-10 --by app --json', 'a month before, for scripts'],
    ],
  })
    .option('--month <month>', 'such as 2026-10, in UTC (default: this one)', monthText)
    .addOption(
      new Option('--by <what>', 'split by this, instead of by the day').choices([
        'app',
        'network',
        'method',
      ]),
    )
    .action((options: UsageSaid) =>
      runCall(options, async (calling) => {
        const { showUsage } = await import('../../calls/usage/show-usage.ts')
        await showUsage(calling, options)
      }),
    )
}

/** `headgate network`: the networks and the nodes behind them. */
export function addNetworkCommand(program: Command): void {
  const group = callGroup(program, 'network', {
    does: 'see the networks, and the nodes behind them',
    examples: [['network list', 'heads and nodes']],
  })
  callCommand(group, 'list', {
    does: 'list the networks with their heads, and the nodes behind them',
    examples: [
      ['network list', 'which node is used, and why'],
      ['network list --json | jq ".[].head.number"', 'their heads'],
    ],
  }).action((options: ConnectionOptions) =>
    runCall(options, async (calling) => {
      const { listNetworks } = await import('../../calls/usage/list-networks.ts')
      await listNetworks(calling)
    }),
  )
}

function monthText(text: string): string {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text
  throw new InvalidArgumentError('It takes a month such as 2026-10.')
}
