import { findPostgres } from '../postgres/postgres-server.ts'
import { type TestDatabase, testDatabase } from '../postgres/test-postgres.ts'

export type StoreKind = 'embedded' | 'postgres'

/** The world that tests of the whole product run in. */
export const WORLD: StoreKind =
  process.env.HEADGATE_TEST_WORLD === 'postgres' ? 'postgres' : 'embedded'

/** True where there is no PostgreSQL to be had, which is said once, and never in CI. */
export function lacksPostgres(): boolean {
  const found = findPostgres()
  if (!('missing' in found)) return false
  if (process.env.CI) throw new Error(found.missing)
  console.warn(`Tests on PostgreSQL are skipped: ${found.missing}.`)
  return true
}

/** The secret of all processes that tests start on PostgreSQL. */
const SECRET = '5e'.repeat(32)

const databases = new Map<string, TestDatabase>()

/**
 * The variables by which the product runs in the world of the tests. A data folder stands for a
 * store in both: on PostgreSQL it has a database of its own.
 */
export async function worldOf(dataFolder: string): Promise<Record<string, string>> {
  if (WORLD === 'embedded') return {}
  const known = databases.get(dataFolder) ?? (await testDatabase())
  databases.set(dataFolder, known)
  return { HEADGATE_DATABASE: known.url, HEADGATE_SECRET: SECRET }
}

/** Forgets the store of a folder that is removed. */
export async function dropWorldOf(dataFolder: string): Promise<void> {
  await databases.get(dataFolder)?.drop()
  databases.delete(dataFolder)
}
