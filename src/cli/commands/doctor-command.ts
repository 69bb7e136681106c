import type { Command } from 'commander'
import { examples } from '../frame/examples.ts'

type Said = { config?: string; network?: string[]; json?: boolean; color?: boolean }

/** `headgate doctor`: what can each upstream do, and what does that mean? */
export function addDoctorCommand(program: Command): void {
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
    .action(async (said: Said) => {
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

function added(value: string, before: string[] = []): string[] {
  return [...before, value]
}
