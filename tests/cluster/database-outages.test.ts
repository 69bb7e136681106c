import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openPostgresDatabase } from '../../src/cluster/postgres/postgres-database.ts'
import { type Database, sql } from '../../src/ports/database.ts'
import { systemClock } from '../../src/system/machine/system-clock.ts'
import { failureOf } from '../support/basics/failure-of.ts'
import { until } from '../support/basics/until.ts'
import { startTcpRelay, type TcpRelay } from '../support/nodes/tcp-relay.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres/postgres-server.ts'
import { lacksPostgres } from '../support/product/world.ts'

const UNAVAILABLE = { code: 'database_unavailable' }

describe.skipIf(lacksPostgres())('a PostgreSQL server', () => {
  let server: PostgresServer
  let relay: TcpRelay
  let db: Database

  beforeEach(async () => {
    server = await startPostgresServer()
    relay = await startTcpRelay(server.port)
    const url = `postgres://postgres@127.0.0.1:${relay.port}/postgres`
    const options = { url, connectionsMax: 3, isPooled: false, procedures: [] }
    db = openPostgresDatabase({ clock: systemClock() }, options)
    await db.query(sql`CREATE TABLE notes (id BIGINT PRIMARY KEY)`)
  })
  afterEach(async () => {
    await db.close()
    await relay.close()
    await server.close()
  })

  const insert = (id: number) => db.query(sql`INSERT INTO notes (id) VALUES (${id})`)
  const isBack = () =>
    insert(Date.now()).then(
      () => true,
      () => false,
    )

  test('that is stopped at once and started again is used again', async () => {
    await Promise.all([1, 2, 3].map(insert))
    const sleeping = failureOf(db.query(sql`SELECT pg_sleep(30)`))
    await until(async () => {
      const running = await db.query(sql`
        SELECT 1 AS one FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND state = 'active'
          AND pid <> pg_backend_pid()`)
      return running.length === 1
    }, 'it sleeps')
    await server.stop('SIGQUIT')
    expect(await sleeping).toMatchObject(UNAVAILABLE)
    expect(await failureOf(insert(4))).toMatchObject(UNAVAILABLE)
    await server.start()
    await until(isBack, 'it is used again')
    expect(await db.query(sql`SELECT id FROM notes WHERE id < 10 ORDER BY id`)).toEqual([
      { id: 1 },
      { id: 2 },
      { id: 3 },
    ])
  })

  test('that came back while nobody asked is used at once', async () => {
    await Promise.all([1, 2, 3].map(insert))
    await server.stop('SIGQUIT')
    await server.start()
    await Promise.all([4, 5, 6].map(insert))
    expect(await db.query(sql`SELECT id FROM notes ORDER BY id`)).toHaveLength(6)
  })

  test('that is cut off is found out, its callers are told, and later it is used again', async () => {
    await Promise.all([1, 2, 3].map(insert))
    relay.cut()
    const caught = await Promise.all([11, 12, 13, 14, 15].map((id) => failureOf(insert(id))))
    for (const failure of caught) expect(failure).toMatchObject(UNAVAILABLE)
    // From then on nobody waits.
    expect(await failureOf(insert(16))).toMatchObject({ facts: { code: 'server_away' } })
    relay.mend()
    await until(isBack, 'it is used again')
  })

  test('whose connections are reset is used again at once', async () => {
    await Promise.all([1, 2, 3].map(insert))
    relay.reset()
    await until(isBack, 'it is used again')
  })

  test('that ends a transaction in its middle keeps nothing of it', async () => {
    const half = db.transaction(async (tx) => {
      await tx.query(sql`INSERT INTO notes (id) VALUES (1)`)
      await db.query(sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE state = 'idle in transaction' AND pid <> pg_backend_pid()`)
      await tx.query(sql`INSERT INTO notes (id) VALUES (2)`)
    })
    expect(await failureOf(half)).toMatchObject(UNAVAILABLE)
    expect(await db.query(sql`SELECT id FROM notes`)).toEqual([])
  })

  test('keeps all of a transaction or nothing, however often its connections are ended', async () => {
    await db.query(sql`CREATE TABLE groups (id BIGINT, row BIGINT)`)
    const killer = openPostgresDatabase(
      { clock: systemClock() },
      { url: `${server.url}/postgres`, connectionsMax: 1, isPooled: false, procedures: [] },
    )
    const isOver = { now: false }
    const killing = (async () => {
      while (!isOver.now) {
        await killer.query(sql`
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = 'postgres' AND pid <> pg_backend_pid()`)
      }
    })()
    let failed = 0
    const write = (id: number) =>
      db.transaction(async (tx) => {
        for (let row = 0; row < 5; row++) {
          await tx.query(sql`INSERT INTO groups (id, row) VALUES (${id}, ${row})`)
        }
        tx.last(() => tx.query(sql`INSERT INTO groups (id, row) VALUES (${id}, 5)`))
      })
    for (let id = 0; id < 300; id += 3) {
      const ended = await Promise.allSettled([id, id + 1, id + 2].map(write))
      failed += ended.filter(({ status }) => status === 'rejected').length
    }
    isOver.now = true
    await killing
    await killer.close()
    await until(isBack, 'it is used again')
    const broken = await db.query(sql`
      SELECT id, COUNT(*) AS rows FROM groups GROUP BY id HAVING COUNT(*) <> 6`)
    expect(broken).toEqual([])
    expect(failed).toBeGreaterThan(0)
  })

  test('that runs out of connections says so, and serves the rest', async () => {
    await db.query(sql`ALTER SYSTEM SET max_connections = 12`)
    await server.stop('SIGINT')
    await server.start()
    await until(isBack, 'it is used again')
    const url = server.url
    const many = { url: `${url}/postgres`, connectionsMax: 40, isPooled: false, procedures: [] }
    const greedy = openPostgresDatabase({ clock: systemClock() }, many)
    const answers = await Promise.allSettled(
      Array.from({ length: 40 }, () => greedy.query(sql`SELECT pg_sleep(0.2)`)),
    )
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject(UNAVAILABLE)
    }
    expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true)
    expect(answers.some(({ status }) => status === 'rejected')).toBe(true)
    await greedy.close()
  })
})
