import type { Command } from 'commander'

/** `headgate check`: is the configuration good? */
export function addCheckCommand(program: Command): void {
  program
    .command('check')
    .description('check the configuration, and whether its upstreams can be reached')
    .option('--config <file>', 'the configuration file; HEADGATE_CONFIG does the same')
    .action(async ({ config }: { config?: string }) => {
      const { checkConfiguration } = await import('../start/check-configuration.ts')
      await checkConfiguration(config)
    })
}
