import type { Database } from '../ports/database.ts'
import type { Secrets } from '../ports/secrets.ts'
import { bindKeys } from '../tables/accounts/bind-keys.ts'
import { migrate } from '../tables/migrate.ts'

type Needs = { database: Database; secrets: Secrets }

/** Brings a store, new or of an earlier version, to the form that this version works with. */
export async function upgradeStore({ database, secrets }: Needs): Promise<void> {
  await migrate(database)
  await bindKeys(database, secrets)
}
