import { afterAll, beforeAll, describe } from 'bun:test'
import { databaseConformance } from '../../../tests/conformance/database-conformance.ts'
import { type TestDatabase, testDatabase } from '../../../tests/support/postgres/test-postgres.ts'
import { lacksPostgres } from '../../../tests/support/product/world.ts'
import { type Database, sql } from '../../ports/database.ts'
import { systemClock } from '../../system/machine/system-clock.ts'
import { openPostgresDatabase } from './postgres-database.ts'

describe.skipIf(lacksPostgres())('a server of our own', () => {
  beforeAll(async () => {
    made = await testDatabase()
  })
  afterAll(() => made.drop())

  databaseConformance('postgres', () => openEmpty(false))
  databaseConformance('postgres as a pooler lends it', () => openEmpty(true))
})

let made: TestDatabase

async function openEmpty(isPooled: boolean): Promise<Database> {
  const options = { url: made.url, connectionsMax: 10, isPooled, procedures: [] }
  const database = openPostgresDatabase({ clock: systemClock() }, options)
  await database.query(sql`DROP SCHEMA public CASCADE`)
  await database.query(sql`CREATE SCHEMA public`)
  return database
}
