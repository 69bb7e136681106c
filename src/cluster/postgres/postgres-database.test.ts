import { describe } from 'bun:test'
import { databaseConformance } from '../../../tests/conformance/database-conformance.ts'
import { testDatabase } from '../../../tests/support/postgres/test-postgres.ts'
import { lacksPostgres } from '../../../tests/support/product/world.ts'
import type { Database } from '../../ports/database.ts'
import { systemClock } from '../../system/machine/system-clock.ts'
import { openPostgresDatabase } from './postgres-database.ts'

describe.skipIf(lacksPostgres())('a server of our own', () => {
  databaseConformance('postgres', () => open(false))
  databaseConformance('postgres as a pooler lends it', () => open(true))
})

async function open(isPooled: boolean): Promise<Database> {
  const { url, drop } = await testDatabase()
  const options = { url, connectionsMax: 10, isPooled, procedures: [] }
  const database = openPostgresDatabase({ clock: systemClock() }, options)
  const close = async () => {
    await database.close()
    await drop()
  }
  return { ...database, close }
}
