import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { databaseConformance } from '../../../tests/conformance/database-conformance.ts'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import {
  isPgBouncerMissing,
  type PgBouncer,
  sayPgBouncerIsMissing,
  startPgBouncer,
} from '../../../tests/support/postgres/pgbouncer.ts'
import {
  type PostgresServer,
  startPostgresServer,
} from '../../../tests/support/postgres/postgres-server.ts'
import { lacksPostgres } from '../../../tests/support/product/world.ts'
import { type Database, sql } from '../../ports/database.ts'
import { systemClock } from '../../system/machine/system-clock.ts'
import { openPostgresDatabase } from './postgres-database.ts'

if (isPgBouncerMissing) sayPgBouncerIsMissing()
else describe.skipIf(lacksPostgres())('through PgBouncer', tests)

function tests(): void {
  let server: PostgresServer
  let pooler: PgBouncer
  beforeAll(async () => {
    server = await startPostgresServer()
    pooler = await startPgBouncer(server.port)
  })
  afterAll(async () => {
    await pooler?.close()
    await server?.close()
  })
  const open = async () => {
    const url = pooler.urlOf(`${server.url}/postgres`)
    const options = { url, connectionsMax: 10, isPooled: true, procedures: [] }
    return openPostgresDatabase({ clock: systemClock() }, options)
  }

  databaseConformance('postgres', open)

  const limits = (db: Pick<Database, 'query'>) =>
    db.query(sql`
      SELECT current_setting('statement_timeout') AS statement,
        current_setting('idle_in_transaction_session_timeout') AS idle,
        current_setting('jit') AS jit, pg_backend_pid() AS pid`)

  test('each statement has its limits, whichever connection it was lent', async () => {
    const db = await open()
    const many = Array.from({ length: 40 }, (_, at) =>
      at % 2 === 0 ? limits(db) : db.transaction(limits),
    )
    const shown = (await Promise.all(many)).flat()
    expect(new Set(shown.map(({ pid }) => pid)).size).toBeGreaterThan(1)
    for (const row of shown)
      expect(row).toMatchObject({ statement: '1min', idle: '5s', jit: 'off' })
    await db.close()
  })

  test('nothing stays set for others that are lent the connection', async () => {
    const db = await open()
    await Promise.all(Array.from({ length: 40 }, () => limits(db)))
    const other = new Bun.SQL(pooler.urlOf(`${server.url}/postgres`), { max: 1, prepare: false })
    expect([...(await other`SHOW statement_timeout`)]).toEqual([{ statement_timeout: '0' }])
    await other.close()
    await db.close()
  })

  test('a transaction that stands still loses its connection and the rows it holds', async () => {
    const [db, other] = [await open(), await open()]
    await db.query(sql`CREATE TABLE held (id BIGINT PRIMARY KEY, value BIGINT)`)
    await db.query(sql`INSERT INTO held (id, value) VALUES (1, 0)`)
    const standing = db.transaction(async (tx) => {
      await tx.query(sql`UPDATE held SET value = 1 WHERE id = 1`)
      // Waits for the row that this very transaction has, until the server takes it away.
      await other.query(sql`UPDATE held SET value = 2 WHERE id = 1`)
      await tx.query(sql`UPDATE held SET value = 3 WHERE id = 1`)
    })
    expect(await failureOf(standing)).toMatchObject({ code: 'database_unavailable' })
    expect(await db.query(sql`SELECT value FROM held`)).toEqual([{ value: 2 }])
    await Promise.all([db.close(), other.close()])
  })
}
