import type { Command } from 'commander'
import { examples } from '../frame/examples.ts'

type Said = { config?: string; from?: string; to?: string }

export function addMigrateCommand(program: Command): void {
  const command = program
    .command('migrate')
    .description(
      'copy the store of a data folder to an empty PostgreSQL database; Headgate must be stopped',
    )
    .option('--from <folder>', 'the data folder')
    .option('--to <address>', 'the empty database, as a postgres:// address')
    .option('--config <file>', 'its option database is used if --to is not given')
    .action(async ({ config, ...places }: Said) => {
      const { migrateStore } = await import('../migrate/migrate-store.ts')
      await migrateStore(places, config)
    })
  examples(command, [
    ['HEADGATE_DATABASE=postgres://… headgate migrate --from ./data', 'to PostgreSQL'],
  ])
}
