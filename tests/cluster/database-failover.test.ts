import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { openPostgresDatabase } from '../../src/cluster/postgres/postgres-database.ts'
import { type Database, sql } from '../../src/ports/database.ts'
import { systemClock } from '../../src/system/machine/system-clock.ts'
import { failureOf } from '../support/basics/failure-of.ts'
import { until } from '../support/basics/until.ts'
import { startTcpRelay, type TcpRelay } from '../support/nodes/tcp-relay.ts'
import { type PostgresPair, startPostgresPair } from '../support/postgres/postgres-pair.ts'
import { lacksPostgres } from '../support/product/world.ts'

setDefaultTimeout(120_000)

const READ_ONLY = 'ALTER SYSTEM SET default_transaction_read_only = on'

describe.skipIf(lacksPostgres())('a primary and its standby', () => {
  let pair: PostgresPair
  const opened: { close(): Promise<void> }[] = []

  beforeEach(async () => {
    pair = await startPostgresPair()
    await pair.run(pair.primary, 'CREATE TABLE notes (id BIGINT PRIMARY KEY)')
    await pair.untilReplicated()
  })
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close()
    await pair.close()
  })

  const open = (...ports: number[]): Database => {
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
    const url = `postgres://postgres@${hosts}/postgres`
    const options = { url, connectionsMax: 3, isPooled: false, procedures: [] }
    const database = openPostgresDatabase({ clock: systemClock() }, options)
    opened.push(database)
    return database
  }
  const openBoth = () => open(pair.standby.port, pair.primary.port)
  const insert = (db: Database, id: number) => db.query(sql`INSERT INTO notes (id) VALUES (${id})`)
  const isTaken = (db: Database, id: number) =>
    insert(db, id).then(
      () => true,
      () => false,
    )
  const idsIn = async (server: PostgresPair['primary']) =>
    (await pair.run(server, 'SELECT id FROM notes ORDER BY id')).map(({ id }) => Number(id))
  const relayTo = async (port: number): Promise<TcpRelay> => {
    const relay = await startTcpRelay(port)
    opened.push(relay)
    return relay
  }

  test('are both named, and the one that accepts writes is used', async () => {
    for (const db of [openBoth(), open(pair.primary.port, pair.standby.port)]) {
      await Promise.all([1, 2, 3].map((id) => insert(db, id)))
      await db.query(sql`DELETE FROM notes`)
    }
  })

  test('change places when the primary is killed', async () => {
    const db = openBoth()
    await insert(db, 1)
    await pair.untilReplicated()
    await pair.killPrimary()
    expect(await failureOf(insert(db, 2))).toMatchObject({ code: 'database_unavailable' })
    await pair.promote()
    await until(() => isTaken(db, 3), 'the new primary is used')
    expect(await idsIn(pair.standby)).toEqual([1, 3])
  })

  test('change places when the primary becomes silent', async () => {
    const relay = await relayTo(pair.primary.port)
    const db = open(relay.port, pair.standby.port)
    await Promise.all([1, 2, 3].map((id) => insert(db, id)))
    await pair.untilReplicated()
    relay.cut()
    await pair.promote()
    await until(() => isTaken(db, 4), 'the new primary is used')
    expect(await idsIn(pair.standby)).toEqual([1, 2, 3, 4])
  })

  test('change places when the primary is set to read only', async () => {
    const db = openBoth()
    await insert(db, 1)
    await pair.untilReplicated()
    await pair.promote()
    await pair.run(pair.primary, READ_ONLY)
    await pair.run(pair.primary, 'SELECT pg_reload_conf()')
    // An open session becomes read-only a moment later.
    await until(async () => {
      await isTaken(db, Date.now())
      return (await idsIn(pair.standby)).length > 1
    }, 'the new primary is used')
  })

  test('keep their places when the old primary comes back and accepts writes', async () => {
    await pair.killPrimary()
    await pair.promote()
    await pair.primary.start()
    for (const db of [openBoth(), open(pair.primary.port, pair.standby.port)]) {
      await insert(db, 1)
      expect(await idsIn(pair.standby)).toEqual([1])
      expect(await idsIn(pair.primary)).toEqual([])
      await db.query(sql`DELETE FROM notes`)
    }
  })

  test('serve reads while none of them accepts writes', async () => {
    const db = openBoth()
    await insert(db, 1)
    await pair.untilReplicated()
    await pair.run(pair.primary, READ_ONLY)
    await pair.run(pair.primary, 'SELECT pg_reload_conf()')
    await until(async () => !(await isTaken(db, Date.now())), 'no write is taken')
    expect(await db.query(sql`SELECT id FROM notes WHERE id = 1`)).toEqual([{ id: 1 }])
  })

  describe('behind one address', () => {
    test('that moves while old connections stay silent', async () => {
      const relay = await relayTo(pair.primary.port)
      const db = open(relay.port)
      await Promise.all([1, 2, 3].map((id) => insert(db, id)))
      await pair.untilReplicated()
      await pair.promote()
      relay.moveTo(pair.standby.port)
      // All three connections are dead, and nothing says so. One that waits shows it for all.
      expect(await failureOf(insert(db, 4))).toMatchObject({ code: 'database_unavailable' })
      await Promise.all([5, 6, 7].map((id) => insert(db, id)))
      expect(await idsIn(pair.standby)).toEqual([1, 2, 3, 5, 6, 7])
    })

    test('that moves while old connections still serve reads', async () => {
      const relay = await relayTo(pair.primary.port)
      const db = open(relay.port)
      await Promise.all([1, 2, 3].map((id) => insert(db, id)))
      await pair.untilReplicated()
      await pair.promote()
      await pair.run(pair.primary, READ_ONLY)
      await pair.run(pair.primary, 'SELECT pg_reload_conf()')
      relay.pointTo(pair.standby.port)
      await until(async () => !(await isTaken(db, Date.now())), 'a write is refused')
      await insert(db, 4)
      expect(await idsIn(pair.standby)).toContain(4)
    })
  })

  test('finish a statement that takes longer than any other', async () => {
    const db = open(pair.primary.port)
    await insert(db, 1)
    const slow = db.query(sql`SELECT pg_sleep(4)`)
    const slowInTransaction = db.transaction(async (tx) => {
      await tx.query(sql`INSERT INTO notes (id) VALUES (2)`)
      await tx.query(sql`SELECT pg_sleep(4)`)
    })
    await Promise.all([slow, slowInTransaction])
    expect(await idsIn(pair.primary)).toEqual([1, 2])
  })
})
