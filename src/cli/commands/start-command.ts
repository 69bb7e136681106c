import type { Command } from 'commander'

/** `headgate start`, which is also what `headgate` alone does. */
export function addStartCommand(program: Command): void {
  program
    .command('start', { isDefault: true })
    .description('run the service; without a configuration file, in local development')
    .option('--config <file>', 'read this configuration file; HEADGATE_CONFIG does the same')
    .action(async ({ config }: { config?: string }) => {
      const { runService } = await import('../start/run-service.ts')
      await runService(config)
    })
}
