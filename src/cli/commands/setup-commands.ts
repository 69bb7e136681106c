import type { Command } from 'commander'
import type { DoctorOptions } from '../doctor/run-doctor.ts'
import { examples } from '../frame/examples.ts'
import { addListenCommand } from '../listen/listen-command.ts'
import { added, addInitCommand } from './init-command.ts'

type CheckOptions = { config?: string; json?: boolean }

export function addSetupCommands(program: Command): void {
  addInitCommand(program)
  addCheckCommand(program)
  addDoctorCommand(program)
  addListenCommand(program)
}

function addCheckCommand(program: Command): void {
  const command = program
    .command('check')
    .description('check the configuration, and whether its upstreams can be reached')
    .option('--config <file>', 'the configuration file; HEADGATE_CONFIG does the same')
    .option('--json', 'print JSON, for scripts')
    .action(async ({ config, json = false }: CheckOptions) => {
      const { checkConfiguration } = await import('../start/check-configuration.ts')
      await checkConfiguration(config, { json })
    })
  examples(command, [
    ['headgate check --config headgate.yaml', 'exit code 2 where the file is wrong'],
    ['headgate check --config headgate.yaml --json', 'the same for scripts'],
  ])
}

function addDoctorCommand(program: Command): void {
  const command = program
    .command('doctor')
    .summary('look at each upstream: what it can do, what it means, what to do')
    .description(
      'look at each upstream: chain, head, lag, receipts, traces, batches, logs, state, ' +
        'WebSocket, latency; what it means, and what to do',
    )
    .option('--config <file>', 'the configuration file; HEADGATE_CONFIG does the same')
    .option('--network <id>', 'only this network; may be repeated', added)
    .option('--json', 'print JSON, for scripts')
    .action(async (said: DoctorOptions) => {
      const { runDoctor } = await import('../doctor/run-doctor.ts')
      await runDoctor(said)
    })
  examples(command, [
    ['headgate doctor --config headgate.yaml', 'all upstreams of the file'],
    ['headgate doctor --config headgate.yaml --network ETH_MAINNET', 'those of a network'],
    ['headgate doctor', 'the networks of a Headgate that runs here'],
    ['headgate doctor --config headgate.yaml --json', 'for scripts; exit code 1: not good'],
  ])
}
