import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { freshPostgres } from '../../../tests/fresh-store.ts'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import {
  NOW_MS,
  nextEvent,
  settle,
  waitingIds,
} from '../../../tests/support/deliveries/delivery-store.ts'
import { contradiction, miscount } from '../../../tests/support/deliveries/stored-deliveries.ts'
import { lacksPostgres } from '../../../tests/support/product/world.ts'
import { fillStore, LONG_TEXTS } from '../../../tests/support/store/full-store.ts'
import { openSqlite } from '../../../tests/support/store/open-sqlite.ts'
import { contentsOf, tablesOf } from '../../../tests/support/store/store-contents.ts'
import { type Database, sql } from '../../ports/database.ts'
import { migrate } from '../migrate.ts'
import { beginDay } from '../postgres/event-days.ts'
import { writeInstanceFactOnce } from '../sql/instance.ts'
import { migrateTables, refuseUnfinishedMigration } from './migrate-tables.ts'

/** Texts of many megabytes are copied. */
setDefaultTimeout(180_000)

describe.skipIf(lacksPostgres())('a migration from SQLite to PostgreSQL', () => {
  const opened: Database[] = []
  let tables: string[]
  let source: Database
  let target: Database
  let runs = 0

  beforeEach(async () => {
    source = openSqlite(':memory:')
    opened.push(source)
    await migrate(source)
    tables = await tablesOf(source)
    target = await freshPostgres()
    opened.push(target)
    await target.transaction((tx) => beginDay(tx, NOW_MS))
    await writeInstanceFactOnce(target, 'secret_fingerprint', 'f')
  })
  afterEach(async () => {
    for (const db of opened.splice(0)) await db.close()
  })

  const migrateNow = (to = target) => migrateTables(source, to, `run ${runs++}`, () => {})
  const lastEvent = async (db: Database) =>
    (await db.query<{ event: number }>(sql`SELECT MAX(event) AS event FROM events`))[0]?.event ?? 0
  const expectSound = async (db: Database) => {
    expect(await contradiction(db)).toBeNull()
    expect(await miscount(db)).toBeNull()
  }

  test('copies every row of every table', async () => {
    await fillStore(source, LONG_TEXTS)
    const before = await contentsOf(source, tables)
    // The test is only worth something if no table is empty.
    for (const [table, rows] of before) expect([table, rows.length > 0]).toEqual([table, true])
    const [listing] = await source.query<{ event: number }>(sql`SELECT event FROM listing`)
    expect(listing?.event).toBeGreaterThan(0)
    expect(listing?.event).toBeLessThan((await lastEvent(source)) - 2)

    const rows = await migrateNow()
    expect(await contentsOf(target, tables)).toEqual(before)
    expect(await contentsOf(source, tables)).toEqual(before)
    for (const [table, count] of Object.entries(rows)) expect(before.get(table)).toHaveLength(count)
    await expectSound(target)
    await refuseUnfinishedMigration(target)
  })

  test('knows every table, either as one to copy or as one that stays', async () => {
    await source.query(sql`INSERT INTO teams VALUES ('team', '', '', 0, 0)`)
    const rows = await migrateNow()
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

  test('copies keys of more than 53 bits', async () => {
    await nextEvent(source, [])
    await source.query(sql`INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ${2 ** 36})`)
    await fillStore(source)
    expect(await lastEvent(source)).toBeGreaterThan(2 ** 36)
    await migrateNow()
    expect(await contentsOf(target, tables)).toEqual(await contentsOf(source, tables))
    await expectSound(target)
  })

  test('leaves no process in charge, and numbers events after those before', async () => {
    await fillStore(source)
    await migrateNow()
    for (const table of ['couriers', 'followers', 'leases', 'usage_marks']) {
      expect(await target.query({ parts: [`SELECT * FROM ${table}`], values: [] })).toEqual([])
    }
    const free = await target.query(sql`SELECT shard FROM shards WHERE courier IS NULL`)
    expect(free).toHaveLength(256)
    const last = await lastEvent(target)
    const waitingBefore = await waitingIds(target, 'wh_3', 'new')
    const ids = await nextEvent(target, ['wh_3'])
    expect(await lastEvent(target)).toBeGreaterThan(last)
    expect(await waitingIds(target, 'wh_3', 'new')).toEqual([...waitingBefore, ...ids])
    await settle(target, ids, { kind: 'delivered' })
    await expectSound(target)
  })

  test('starts over after a crash at any commit, and cannot be started on before it is done', async () => {
    await fillStore(source)
    for (let commits = 1; ; commits++) {
      let left = commits
      const failing: Database = {
        ...target,
        async transaction(work) {
          const answer = await target.transaction(work)
          if (--left === 0) throw new Error('killed')
          return answer
        },
      }
      const ended = await migrateNow(failing).then(
        () => null,
        (thrown: Error) => thrown.message,
      )
      if (ended === null) break
      expect(ended).toBe('killed')
      if (await isMarked()) continue
      // Killed after the last commit: all is there.
      expect(commits).toBeGreaterThan(20)
      break
    }
    expect(await contentsOf(target, tables)).toEqual(await contentsOf(source, tables))

    async function isMarked(): Promise<boolean> {
      const failure = await refuseUnfinishedMigration(target).catch((thrown: unknown) => thrown)
      if (failure) expect(failure).toMatchObject({ code: 'start_failed' })
      return failure !== undefined
    }
  })

  test('refuses a target that is in use, and leaves it as it is', async () => {
    await fillStore(source)
    await target.query(sql`INSERT INTO teams VALUES ('other', '', '', 0, 0)`)
    expect(await failureOf(migrateNow())).toMatchObject({
      code: 'migration_failed',
      facts: { reason: expect.stringContaining('the target is not empty') },
    })
    expect(await target.query(sql`SELECT id FROM teams`)).toEqual([{ id: 'other' }])
  })

  test('stops when another run starts on the same target, or rows are missing at the end', async () => {
    await fillStore(source)
    const disturbed = (statement: ReturnType<typeof sql>) => {
      let done = false
      return migrateTables(source, target, `run ${runs++}`, ({ table, isDone }) => {
        if (done || table !== 'events' || !isDone) return
        done = true
        pending = target.query(statement)
      })
    }
    let pending: Promise<unknown> = Promise.resolve()
    const theirs = sql`UPDATE instance_facts SET value = 'theirs' WHERE name = 'move'`
    expect(await failureOf(disturbed(theirs))).toMatchObject({
      facts: { reason: 'another headgate migrate has started on the same target' },
    })
    await pending
    expect(await failureOf(disturbed(sql`DELETE FROM events`))).toMatchObject({
      facts: { reason: expect.stringMatching(/^the target has 0 rows of events, and the source/) },
    })
    await pending
    await migrateNow()
    expect(await contentsOf(target, tables)).toEqual(await contentsOf(source, tables))
  })

  test('names a row that PostgreSQL cannot store', async () => {
    await source.query(sql`INSERT INTO teams VALUES ('team', 'a' || char(0), '', 0, 0)`)
    expect(await failureOf(migrateNow())).toMatchObject({
      facts: { reason: expect.stringContaining('teams (id) = (team) contains a NUL') },
    })
  })
})
