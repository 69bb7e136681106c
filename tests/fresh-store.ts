import { openPostgresDatabase } from '../src/cluster/postgres/postgres-database.ts'
import type { Database } from '../src/ports/database.ts'
import { systemClock } from '../src/system/machine/system-clock.ts'
import { migrate } from '../src/tables/migrate.ts'
import { migratePostgres } from '../src/tables/postgres/migrate-postgres.ts'
import { POSTGRES_PROCEDURES } from '../src/tables/postgres/postgres-procedures.ts'
import { type TestDatabase, testDatabase } from './support/postgres/test-postgres.ts'
import { WORLD } from './support/product/world.ts'
import { openSqlite } from './support/store/open-sqlite.ts'

/** An empty store with all its tables, in memory or on the server of the tests. */
export async function freshStore(): Promise<Database> {
  if (WORLD === 'postgres') return freshPostgres()
  const db = openSqlite(':memory:')
  await migrate(db)
  return db
}

/** The same on PostgreSQL, in whichever world the tests run. */
export async function freshPostgres(): Promise<Database> {
  const made = await migratedDatabase()
  const db = openTestPostgres(made.url)
  const close = async () => {
    await db.close()
    await made.drop()
  }
  return { ...db, close }
}

/** A database with all tables and nothing in them. */
export function migratedDatabase(): Promise<TestDatabase> {
  return testDatabase({
    name: 'migrated',
    async prepare(url) {
      const db = openTestPostgres(url)
      // Tests count their time from 1970 or from now on.
      await migratePostgres(db, 0)
      await db.close()
    },
  })
}

export function openTestPostgres(url: string): Database {
  return openPostgresDatabase(
    { clock: systemClock() },
    { url, connectionsMax: 6, isPooled: false, procedures: POSTGRES_PROCEDURES },
  )
}
