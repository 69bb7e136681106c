import { afterEach, beforeEach, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import type { Database } from '../../ports/database.ts'
import { readFact, writeFactOnce } from './instance.ts'

let db: Database
beforeEach(async () => {
  db = await freshStore()
})
afterEach(() => db.close())

test('a fact nobody has written is null', async () => {
  expect(await readFact(db, 'born')).toBeNull()
})

test('the first writer of a fact wins, and the second is told its value', async () => {
  expect(await writeFactOnce(db, 'born', 'monday')).toBe('monday')
  expect(await writeFactOnce(db, 'born', 'tuesday')).toBe('monday')
  expect(await readFact(db, 'born')).toBe('monday')
  expect(await readFact(db, 'BORN')).toBeNull()
})

test('writers at once are all told the same value', async () => {
  const told = await Promise.all(
    Array.from({ length: 20 }, (_, index) => writeFactOnce(db, 'id', `value ${index}`)),
  )
  expect(new Set(told).size).toBe(1)
  expect(await readFact(db, 'id')).toBe(told[0] ?? null)
})
