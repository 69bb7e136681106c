import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../config/config.ts'
import { Failure } from '../core/errors.ts'
import { openOwnStore } from '../embedded/database/own-store.ts'
import { openSecrets } from '../system/machine/secrets.ts'
import { openSystem } from '../system/open-system.ts'
import { opensKeys } from '../tables/accounts/opens-keys.ts'
import { migrate } from '../tables/migrate.ts'
import {
  isEmptyStore,
  type MigrationProgress,
  migrateTables,
  refuseUnfinishedMigration,
} from '../tables/store-migration/migrate-tables.ts'
import { openClusterStore } from './cluster/cluster-store.ts'
import { STORE_THREAD } from './embedded-drivers.ts'

export type MigrationPlan = {
  /** The data folder that is copied. */
  folder: string
  /** The PostgreSQL database that it is copied to. Never shown. */
  url: string
  settings: Settings
}

export type TimedProgress = MigrationProgress & { elapsedMs: number }

export type MigrationResult = {
  /** Rows by table. */
  rows: Readonly<Record<string, number>>
  elapsedMs: number
}

const RUN_LENGTH = 16

/** Copies a data folder to PostgreSQL. A sentence if the secret is missing or wrong. */
export async function migrateStore(
  { folder, url, settings }: MigrationPlan,
  report: (progress: TimedProgress) => void,
): Promise<MigrationResult | string> {
  const { secret, postgres } = settings
  if (secret === undefined) return `secret (HEADGATE_SECRET) is not set. ${secretWanted(folder)}`
  const system = openSystem(() => {})
  const { clock, entropy } = system
  const secrets = openSecrets(Uint8Array.fromHex(secret), entropy)
  await using opened = new AsyncDisposableStack()

  const file = join(folder, 'headgate.sqlite')
  // Checked before anything is created: a mistyped name leaves no folder behind.
  if (!existsSync(file)) throw new Failure('migration_failed', { reason: `there is no ${file}` })
  const options = { folder, script: STORE_THREAD, freeBytesMin: undefined, prepare: () => {} }
  const { database: source } = await openOwnStore(system, options)
  opened.defer(() => source.close())
  await migrate(source)
  await refuseUnfinishedMigration(source)
  if (await isEmptyStore(source)) {
    throw new Failure('migration_failed', { reason: 'the source is empty: nothing to migrate' })
  }
  const isItsSecret =
    (await opensKeys(source, secrets)) ?? keptSecret(folder) === secret.toLowerCase()
  if (!isItsSecret) {
    return `secret (HEADGATE_SECRET) is not that of ${folder}. ${secretWanted(folder)}`
  }

  const { connectionsMax, transactionPooler } = postgres
  const target = await openClusterStore(system, {
    ...{ url, connectionsMax, transactionPooler, secrets },
    waitMs: 0,
  })
  opened.defer(target.close)
  await target.migrate(target.database)

  const beganAtMs = clock.monotonicMs()
  const elapsed = () => clock.monotonicMs() - beganAtMs
  const run = entropy.alphanumeric(RUN_LENGTH)
  const rows = await migrateTables(source, target.database, run, (progress) =>
    report({ ...progress, elapsedMs: elapsed() }),
  )
  return { rows, elapsedMs: elapsed() }
}

/** Tells the operator where the secret is, and never shows the secret. */
function secretWanted(folder: string): string {
  return keptSecret(folder) === null
    ? `Set it to the one that Headgate was configured with on ${folder}, which keeps none itself.`
    : `Set it to the 64 hex digits in ${join(folder, 'instance-secret')}, here and for every process on the server.`
}

/** The secret that a folder keeps; null if it was configured instead. */
function keptSecret(folder: string): string | null {
  const file = join(folder, 'instance-secret')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().toLowerCase() : null
}
