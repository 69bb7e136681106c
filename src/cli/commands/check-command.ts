import type { Command } from 'commander'
import { examples } from '../frame/examples.ts'

type Said = { config?: string; json?: boolean }

/** `headgate check`: is the configuration good? */
export function addCheckCommand(program: Command): void {
  const command = program
    .command('check')
    .description('check the configuration, and whether its upstreams can be reached')
    .option('--config <file>', 'the configuration file; HEADGATE_CONFIG does the same')
    .option('--json', 'print JSON, for scripts')
    .action(async ({ config, json = false }: Said) => {
      const { checkConfiguration } = await import('../start/check-configuration.ts')
      await checkConfiguration(config, { json })
    })
  examples(command, [
    ['headgate check --config headgate.yaml', 'exit code 2 where the file is wrong'],
    ['headgate check --config headgate.yaml --json', 'the same for scripts'],
  ])
}
