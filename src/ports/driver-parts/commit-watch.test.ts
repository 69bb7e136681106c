import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type TestClock, testClock } from '../../../tests/support/basics/test-clock.ts'
import {
  type FaultyDatabase,
  faultyDatabase,
} from '../../../tests/support/store/faulty-database.ts'
import { openSqlite } from '../../../tests/support/store/open-sqlite.ts'
import { type Database, sql } from '../database.ts'
import { watchCommits } from './commit-watch.ts'

const TRY_AFTER_MS = 5000

let clock: TestClock
let faulty: FaultyDatabase
let database: Database
let commits: () => boolean

beforeEach(async () => {
  clock = testClock()
  faulty = faultyDatabase(openSqlite(':memory:'))
  const watched = watchCommits({ clock }, faulty, sql`PRAGMA user_version = 0`)
  database = watched.database
  commits = watched.commits
  await database.query(sql`CREATE TABLE notes (id BIGINT PRIMARY KEY)`)
})

afterEach(async () => {
  await database.close()
  expect(clock.timers()).toBe(0)
})

const insert = (id: number) => sql`INSERT INTO notes (id) VALUES (${id})`

test.each<[string, () => Promise<unknown>]>([
  ['a statement', () => database.query(insert(1))],
  ['a statement for many rows', () => database.each(insert(1), [[1], [2]])],
  ['a transaction', () => database.transaction((tx) => tx.query(insert(1)))],
])('a store that did not take %s is known for it until it takes one', async (_title, write) => {
  expect(commits()).toBe(true)
  faulty.down = true
  expect(write()).rejects.toMatchObject({ code: 'database_unavailable' })
  await clock.advance(0)
  expect(commits()).toBe(false)
  faulty.down = false
  // To read proves nothing.
  await database.query(sql`SELECT id FROM notes`)
  expect(commits()).toBe(false)
  await write()
  expect(commits()).toBe(true)
})

test('it is tried when nobody else writes, until it takes something', async () => {
  faulty.down = true
  expect(database.query(insert(1))).rejects.toThrow()
  await clock.advance(5 * TRY_AFTER_MS)
  expect(commits()).toBe(false)
  const asked = faulty.asked
  faulty.down = false
  await clock.advance(TRY_AFTER_MS)
  expect(commits()).toBe(true)
  await clock.advance(10 * TRY_AFTER_MS)
  expect(faulty.asked).toBe(asked + 1)
  expect(await database.query(sql`SELECT id FROM notes`)).toEqual([])
})

test('it is not tried while others write in vain', async () => {
  faulty.down = true
  for (let round = 0; round < 10; round++) {
    expect(database.query(insert(1))).rejects.toThrow()
    await clock.advance(TRY_AFTER_MS - 1)
  }
  expect(faulty.asked).toBe(10 + 1)
})

test('what a writer does wrong says nothing about the store', async () => {
  await database.query(insert(1))
  expect(database.query(insert(1))).rejects.toThrow('UNIQUE')
  const thrown = database.transaction(async () => {
    throw new Error('changed my mind')
  })
  expect(thrown).rejects.toThrow('changed my mind')
  await clock.advance(0)
  expect(commits()).toBe(true)
})
