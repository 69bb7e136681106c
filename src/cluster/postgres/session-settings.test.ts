import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { openPostgresSignals } from '../../../tests/support/postgres/postgres-signals.ts'
import { type TestDatabase, testDatabase } from '../../../tests/support/postgres/test-postgres.ts'
import { lacksPostgres } from '../../../tests/support/product/world.ts'
import { type Database, sql } from '../../ports/database.ts'
import { systemClock } from '../../system/machine/system-clock.ts'
import { openPostgresDatabase } from './postgres-database.ts'

const LIMITS = { statement: '1min', idle: '5s', seqscan: 'off', jit: 'off' }

const SHOWN = sql`
  SELECT current_setting('statement_timeout') AS statement,
    current_setting('idle_in_transaction_session_timeout') AS idle,
    current_setting('enable_seqscan') AS seqscan, current_setting('jit') AS jit`

describe.skipIf(lacksPostgres())('the settings of sessions', () => {
  let made: TestDatabase
  let db: Database
  beforeEach(async () => {
    made = await testDatabase()
  })
  afterEach(async () => {
    await db.close()
    await made.drop()
  })
  const open = (isPooled: boolean) => {
    const options = { url: made.url, connectionsMax: 1, isPooled, procedures: [] }
    db = openPostgresDatabase({ clock: systemClock() }, options)
  }

  test.each([
    ['of its own', false],
    ['that a pooler lends', true],
  ])('limit each statement on a connection %s', async (_whose, isPooled) => {
    open(isPooled)
    expect(await db.query(SHOWN)).toEqual([LIMITS])
    expect(await db.transaction((tx) => tx.query(SHOWN))).toEqual([LIMITS])
    const procedure = { name: 'shown', run: (tx: Pick<Database, 'query'>) => tx.query(SHOWN) }
    expect(await db.perform(procedure, [])).toEqual([LIMITS])
    await db.query(sql`CREATE TABLE shown (id BIGINT, setting TEXT)`)
    await db.each(
      sql`INSERT INTO shown (id, setting) VALUES (${1}, current_setting('statement_timeout'))`,
      [[1], [2]],
    )
    expect(await db.query(sql`SELECT id, setting FROM shown ORDER BY id`)).toEqual([
      { id: 1, setting: '1min' },
      { id: 2, setting: '1min' },
    ])
  })

  test('have the server give up a machine that vanished within half a minute', async () => {
    open(false)
    const shown = await db.query(sql`
      SELECT name, CAST(setting AS BIGINT) AS value FROM pg_settings
      WHERE name IN ('tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count',
        'tcp_user_timeout') ORDER BY name`)
    expect(shown).toEqual([
      { name: 'tcp_keepalives_count', value: 3 },
      { name: 'tcp_keepalives_idle', value: 15 },
      { name: 'tcp_keepalives_interval', value: 5 },
      { name: 'tcp_user_timeout', value: 30_000 },
    ])
  })

  test('are asked for by signals as well', async () => {
    open(false)
    const said = Promise.withResolvers<string>()
    const listener = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (_socket, bytes) => said.resolve(bytes.toString('latin1')) },
    })
    const signals = openPostgresSignals(`postgres://postgres@127.0.0.1:${listener.port}/postgres`)
    expect(await said.promise).toContain('tcp_keepalives_idle\u000015\0')
    await signals.close()
    listener.stop(true)
  })

  test('end a transaction whose process stands still, though a pooler lent its connection', async () => {
    open(true)
    await db.query(sql`CREATE TABLE rows (id BIGINT PRIMARY KEY, value BIGINT)`)
    await db.query(sql`INSERT INTO rows (id, value) VALUES (1, 0)`)
    const other = openPostgresDatabase(
      { clock: systemClock() },
      { url: made.url, connectionsMax: 1, isPooled: true, procedures: [] },
    )
    const standing = failureOf(
      db.transaction(async (tx) => {
        await tx.query(sql`UPDATE rows SET value = 1 WHERE id = 1`)
        // Waits for the row that this very transaction has, until the server takes it away.
        await other.query(sql`UPDATE rows SET value = 2 WHERE id = 1`)
        await tx.query(sql`UPDATE rows SET value = 3 WHERE id = 1`)
      }),
    )
    expect(await standing).toMatchObject({ code: 'database_unavailable' })
    expect(await other.query(sql`SELECT value FROM rows`)).toEqual([{ value: 2 }])
    await other.close()
  })
})
