import type { Command } from 'commander'
import { examples } from '../frame/examples.ts'

type Said = { config?: string; from?: string; to?: string }

/** `headgate migrate`: moves a store between a data folder and PostgreSQL. */
export function addMigrateCommand(program: Command): void {
  const command = program
    .command('migrate')
    .description(
      'move a store between a data folder and a PostgreSQL server, and compare both row by row; ' +
        'nothing may run on either',
    )
    .option('--from <place>', 'a data folder, or a postgres:// address')
    .option('--to <place>', 'the other of the two, empty')
    .option(
      '--config <file>',
      'its option database takes the place of an address that is not given',
    )
    .action(async ({ config, ...places }: Said) => {
      const { migrateStore } = await import('../move/migrate-store.ts')
      await migrateStore(places, config)
    })
  examples(command, [
    ['HEADGATE_DATABASE=postgres://… headgate migrate --from ./data', 'to many machines'],
    ['headgate migrate --to ./data --config headgate.yaml', 'back to one'],
  ])
}
