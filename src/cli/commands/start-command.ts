import type { Command } from 'commander'
import { examples } from '../frame/examples.ts'

type Said = { config?: string; fresh?: boolean; check?: boolean }

/** `headgate start`, which is also what `headgate` alone does. */
export function addStartCommand(program: Command): void {
  const command = program
    .command('start', { isDefault: true })
    .description('run the service; without a configuration file, in local development')
    .option('--config <file>', 'read this configuration file; HEADGATE_CONFIG does the same')
    .option('--fresh', 'forget what local development left in the data folder, and start anew')
    .option('--check', 'check the configuration and exit, as headgate check does')
    .action(async ({ config, fresh = false, check }: Said) => {
      if (check) {
        const { checkConfiguration } = await import('../start/check-configuration.ts')
        return checkConfiguration(config, { json: false })
      }
      const { runService } = await import('../start/run-service.ts')
      await runService(config, { fresh })
    })
  examples(command, [
    ['headgate start', 'local development, in the folder ./data'],
    ['headgate start --fresh', 'the same, without what was there'],
    ['HEADGATE_LISTEN=127.0.0.1:9000 headgate start', 'at another port'],
    ['headgate start --config headgate.yaml', 'your own networks'],
  ])
}
