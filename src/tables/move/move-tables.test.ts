import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { freshPostgres } from '../../../tests/fresh-store.ts'
import { NOW_MS, nextEvent, settle, waitingIds } from '../../../tests/support/delivery-store.ts'
import { fillStore, LONG_TEXTS } from '../../../tests/support/full-store.ts'
import { contentsOf, tablesOf } from '../../../tests/support/store-contents.ts'
import { contradiction, miscount } from '../../../tests/support/stored-deliveries.ts'
import { lacksPostgres } from '../../../tests/support/world.ts'
import { openSqlite } from '../../embedded/database/sqlite-database.ts'
import { type Database, sql } from '../../ports/database.ts'
import { migrate } from '../migrate.ts'
import { beginDay, dayOf, dayOfEvent } from '../postgres/event-days.ts'
import { type MoveProgress, moveTables } from './move-tables.ts'

/** Texts of many megabytes go there and back. */
setDefaultTimeout(180_000)

const quiet = () => {}

describe.skipIf(lacksPostgres())('a move between SQLite and PostgreSQL', () => {
  const opened: Database[] = []
  let tables: string[]

  beforeEach(async () => {
    tables = await tablesOf(await newSqlite())
  })
  afterEach(async () => {
    for (const db of opened.splice(0)) await db.close()
  })

  const newSqlite = async () => {
    const db = openSqlite(':memory:')
    opened.push(db)
    await migrate(db)
    return db
  }
  const newPostgres = async () => {
    const db = await freshPostgres()
    opened.push(db)
    await db.transaction((tx) => beginDay(tx, NOW_MS))
    return db
  }
  const there = (source: Database, target: Database, report: (at: MoveProgress) => void = quiet) =>
    moveTables(
      { source: { database: source, engine: 'sqlite' }, target: onPostgres(target) },
      report,
    )
  const back = (source: Database, target: Database) =>
    moveTables(
      { source: onPostgres(source), target: { database: target, engine: 'sqlite' } },
      quiet,
    )
  const onPostgres = (database: Database) => ({ database, engine: 'postgres' }) as const
  const lastEvent = async (db: Database) =>
    (await db.query<{ event: number }>(sql`SELECT MAX(event) AS event FROM events`))[0]?.event ?? 0

  const expectSound = async (db: Database) => {
    expect(await contradiction(db)).toBeNull()
    expect(await miscount(db)).toBeNull()
  }

  test('brings over every row of every table, and back again', async () => {
    const first = await newSqlite()
    await fillStore(first, LONG_TEXTS)
    const before = await contentsOf(first, tables)
    // The test is only worth something if there is something of everything.
    for (const [table, rows] of before) expect([table, rows.length > 0]).toEqual([table, true])
    const [listing] = await first.query<{ event: number }>(sql`SELECT event FROM listing`)
    expect(listing?.event).toBeGreaterThan(0)
    expect(listing?.event).toBeLessThan((await lastEvent(first)) - 2)

    const second = await newPostgres()
    const rows = await there(first, second)
    expect(await contentsOf(second, tables)).toEqual(before)
    expect(Object.entries(rows ?? {})).toEqual(
      Object.keys(rows ?? {}).map((table) => [table, before.get(table)?.length ?? -1]),
    )
    await expectSound(second)
    const third = await newSqlite()
    await back(second, third)
    expect(await contentsOf(third, tables)).toEqual(before)
    expect(await contentsOf(first, tables)).toEqual(before)
    await expectSound(third)
  })

  test('knows every table, either as one to move or as one that stays', async () => {
    const sqlite = await newSqlite()
    await sqlite.query(sql`INSERT INTO teams VALUES ('team', '', '', 0, 0)`)
    const rows = (await there(sqlite, await newPostgres())) ?? {}
    const staying = [
      'couriers',
      'followers',
      'leases',
      'listing',
      'migrations',
      'shards',
      'usage_marks',
    ]
    expect([...Object.keys(rows), ...staying].toSorted()).toEqual(tables)
  })

  test('carries keys of more than 53 bits from PostgreSQL and back to it', async () => {
    const first = await newPostgres()
    await fillStore(first)
    expect(dayOfEvent(await lastEvent(first))).toBe(dayOf(NOW_MS))
    const before = await contentsOf(first, tables)
    const second = await newSqlite()
    await back(first, second)
    expect(await contentsOf(second, tables)).toEqual(before)
    const third = await newPostgres()
    await there(second, third)
    expect(await contentsOf(third, tables)).toEqual(before)
    await expectSound(third)
  })

  test('leaves nobody in charge of anything, and numbers events after those before', async () => {
    const first = await newSqlite()
    await fillStore(first)
    const second = await newPostgres()
    await there(first, second)
    const third = await newSqlite()
    await back(second, third)
    for (const db of [second, third]) {
      for (const table of ['couriers', 'followers', 'leases', 'usage_marks']) {
        expect(await db.query({ parts: [`SELECT * FROM ${table}`], values: [] })).toEqual([])
      }
      const free = await db.query(sql`SELECT shard FROM shards WHERE courier IS NULL`)
      expect(free).toHaveLength(256)
      const last = await lastEvent(db)
      const waitingBefore = await waitingIds(db, 'wh_3', 'new')
      const ids = await nextEvent(db, ['wh_3'])
      expect(await lastEvent(db)).toBeGreaterThan(last)
      expect(await waitingIds(db, 'wh_3', 'new')).toEqual([...waitingBefore, ...ids])
      await settle(db, ids, { kind: 'delivered' })
      await expectSound(db)
    }
    expect(await lastEvent(third)).toBeGreaterThan(await lastEvent(first))
  })

  test('goes on where it was, however often its commits fail', async () => {
    const source = await newSqlite()
    await fillStore(source)
    const target = await newPostgres()
    let failures = 0
    let seen = 0
    for (let tries = 0; tries < 200; tries++) {
      const failing: Database = {
        ...target,
        async transaction(work) {
          const answer = await target.transaction(work)
          if (++seen % 3 === 0) throw new Error('killed')
          return answer
        },
      }
      try {
        await there(source, failing)
        break
      } catch (thrown) {
        expect((thrown as Error).message).toBe('killed')
        failures++
      }
    }
    expect(failures).toBeGreaterThan(5)
    expect(await contentsOf(target, tables)).toEqual(await contentsOf(source, tables))
    // Once more does no harm.
    expect(await there(source, target)).toBeNull()
  })

  test('names the row that is not the same', async () => {
    const source = await newSqlite()
    await fillStore(source)
    const spoil = [
      sql`UPDATE deliveries SET attempts = attempts || ' ' WHERE key % 16777216 = 2`,
      sql`DELETE FROM events WHERE event = 3`,
      sql`INSERT INTO outbox (webhook, lane, event, due_at_ms) VALUES (99, 0, 99, 0)`,
      sql`INSERT INTO team_slots (team_id, webhooks) VALUES ('zzz', 1)`,
    ]
    const named = ['deliveries (key) = (1, 2)', 'events (event) = (3)', 'outbox', 'team_slots']
    for (const [at, statement] of spoil.entries()) {
      const target = await newPostgres()
      const spoilAtCheck = async (progress: MoveProgress) => {
        if (progress.step === 'copy' && progress.table === 'done_deliveries' && progress.isDone) {
          pending.push(target.query(statement))
        }
      }
      const pending: Promise<unknown>[] = []
      const held: Database = {
        ...target,
        query: async (asked) => {
          await Promise.all(pending)
          return target.query(asked)
        },
      }
      const failure = await there(source, held, spoilAtCheck).catch((thrown: unknown) => thrown)
      const reason = `the target differs from the source in ${named[at]}`
      expect(failure).toMatchObject({
        code: 'move_failed',
        facts: { reason: expect.stringContaining(reason) },
      })
    }
  })
})
