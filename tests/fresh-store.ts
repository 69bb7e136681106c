import { openSqlite } from '../src/embedded/database/sqlite-database.ts'
import type { Database } from '../src/ports/database.ts'
import { migrate } from '../src/tables/migrate.ts'

/** An empty store with all its tables, in memory. */
export async function freshStore(): Promise<Database> {
  const db = openSqlite(':memory:')
  await migrate(db)
  return db
}
