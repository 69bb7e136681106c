import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseConformance } from '../../../tests/conformance/database-conformance.ts'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { addNotes, endThread } from '../../../tests/support/store/exam-procedure.ts'
import { openSqlite } from '../../../tests/support/store/open-sqlite.ts'
import { Failure } from '../../core/errors.ts'
import { type Database, sql } from '../../ports/database.ts'
import { openSqliteFile } from './sqlite-database.ts'

databaseConformance('sqlite in memory', async () => openSqlite(':memory:'))

const folders: string[] = []
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

const newFile = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headgate-sqlite-'))
  folders.push(folder)
  return join(folder, 'store.db')
}
const EXAM_THREAD = new URL('../../../tests/support/store/exam-store-thread.ts', import.meta.url)
  .href

databaseConformance('sqlite in a file', async () => openSqliteFile(await newFile()))

databaseConformance('sqlite in a file whose thread runs procedures', async () =>
  openSqliteFile(await newFile(), EXAM_THREAD),
)

describe('a SQLite database in a file', () => {
  let folder: string
  let path: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headgate-sqlite-'))
    path = join(folder, 'store.db')
  })

  afterEach(() => rm(folder, { recursive: true }))

  test('keeps what was written when it is opened again', async () => {
    const first = await openSqliteFile(path)
    await first.query(sql`CREATE TABLE notes (id BIGINT PRIMARY KEY)`)
    await first.query(sql`INSERT INTO notes (id) VALUES (7)`)
    await first.close()

    const second = await openSqliteFile(path)
    expect(await second.query<{ id: number }>(sql`SELECT id FROM notes`)).toEqual([{ id: 7 }])
    await second.close()
  })

  test('writes ahead to a log, keeps the file whole and checks references', async () => {
    const db = await openSqliteFile(path)
    expect(await db.query(sql`PRAGMA journal_mode`)).toEqual([{ journal_mode: 'wal' }])
    // The thread waits for the disk itself before it answers.
    expect(await db.query(sql`PRAGMA synchronous`)).toEqual([{ synchronous: 1 }])
    expect(await db.query(sql`PRAGMA foreign_keys`)).toEqual([{ foreign_keys: 1 }])
    expect(await db.query(sql`PRAGMA busy_timeout`)).toEqual([{ timeout: 5_000 }])
    await db.close()
  })

  test('is shared by two connections that take turns', async () => {
    const one = await openSqliteFile(path)
    const other = await openSqliteFile(path)
    await one.query(sql`CREATE TABLE counters (id BIGINT PRIMARY KEY, amount BIGINT NOT NULL)`)
    await one.query(sql`INSERT INTO counters (id, amount) VALUES (1, 0)`)
    for (const db of [one, other, one, other]) {
      await db.transaction((tx) => tx.query(sql`UPDATE counters SET amount = amount + 1`))
    }
    expect(await other.query(sql`SELECT amount FROM counters`)).toEqual([{ amount: 4 }])
    await Promise.all([one.close(), other.close()])
  })

  test('leaves no log behind when it is closed', async () => {
    const db = await openSqliteFile(path)
    await db.query(sql`CREATE TABLE notes (id BIGINT PRIMARY KEY)`)
    await db.close()
    expect(await Bun.file(`${path}-wal`).exists()).toBe(false)
  })

  test('says that it is unavailable when the folder is missing or the file is something else', async () => {
    const missing = openSqliteFile(join(folder, 'no', 'such', 'store.db'))
    expect(await failureOf(missing)).toBeInstanceOf(Failure)
    await Bun.write(path, 'this is not a database, whatever its name says '.repeat(100))
    expect(await failureOf(openSqliteFile(path))).toBeInstanceOf(Failure)
  })
})

describe('a procedure that runs in the thread of the store', () => {
  let db: Database

  beforeEach(async () => {
    db = await openSqliteFile(await newFile(), EXAM_THREAD)
    await db.query(sql`CREATE TABLE exam_notes (id BIGINT PRIMARY KEY)`)
  })
  afterEach(() => db.close())

  test('is refused when the thread does not know it', async () => {
    const strange = { name: 'noSuchProcedure', run: async () => null }
    expect(await failureOf(db.perform(strange, []))).toBeInstanceOf(Error)
  })

  test('says that the store is unavailable when the file cannot be written', async () => {
    await db.query(sql`PRAGMA query_only = ON`)
    expect(await failureOf(db.perform(addNotes, [1]))).toMatchObject({
      code: 'database_unavailable',
    })
    await db.query(sql`PRAGMA query_only = OFF`)
    expect(await db.perform(addNotes, [1])).toEqual({ added: 1 })
  })
})

test('a store whose thread has ended says so to all who write, then and later', async () => {
  const db = await openSqliteFile(await newFile(), EXAM_THREAD)
  await db.query(sql`CREATE TABLE exam_notes (id BIGINT PRIMARY KEY)`)
  const writing = [db.perform(endThread, []), db.perform(addNotes, [1])]
  const ends = await Promise.all(writing.map(failureOf))
  expect(ends).toMatchObject(Array(2).fill({ code: 'database_unavailable' }))
  const later = await failureOf(db.transaction((tx) => tx.query(sql`SELECT 1`)))
  expect(later).toMatchObject({ code: 'database_unavailable' })
  expect(await db.query(sql`SELECT id FROM exam_notes`)).toEqual([])
  await db.close().catch(() => {})
})

test('more different statements than are kept prepared still work, also when they come again', async () => {
  const db = openSqlite(':memory:')
  for (let round = 0; round < 2; round++) {
    for (let number = 0; number < 600; number++) {
      const rows = await db.query({ parts: [`SELECT ${number} AS n`], values: [] })
      expect(rows).toEqual([{ n: number }])
    }
  }
  await db.close()
})

test('a line of waiting statements that never moves is refused in the end', async () => {
  const db = openSqlite(':memory:')
  const release = Promise.withResolvers<void>()
  const holder = db.transaction(() => release.promise)
  const waiting = Array.from({ length: 100_000 }, () => db.query(sql`SELECT 1`))
  const refused = waiting.at(-1) ?? Promise.resolve()
  expect(await failureOf(refused)).toMatchObject({ code: 'database_unavailable' })
  release.resolve()
  await holder
  expect((await Promise.allSettled(waiting)).filter((w) => w.status === 'rejected')).toHaveLength(1)
  await db.close()
})
