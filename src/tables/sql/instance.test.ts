import { afterEach, beforeEach, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import type { Database } from '../../ports/database.ts'
import { readInstanceFact, writeInstanceFactOnce } from './instance.ts'

let db: Database
beforeEach(async () => {
  db = await freshStore()
})
afterEach(() => db.close())

test('a fact nobody has written is null', async () => {
  expect(await readInstanceFact(db, 'born')).toBeNull()
})

test('the first writer of a fact wins, and the second is told its value', async () => {
  expect(await writeInstanceFactOnce(db, 'born', 'monday')).toBe('monday')
  expect(await writeInstanceFactOnce(db, 'born', 'tuesday')).toBe('monday')
  expect(await readInstanceFact(db, 'born')).toBe('monday')
  expect(await readInstanceFact(db, 'BORN')).toBeNull()
})

test('writers at once are all told the same value', async () => {
  const told = await Promise.all(
    Array.from({ length: 20 }, (_, index) => writeInstanceFactOnce(db, 'id', `value ${index}`)),
  )
  expect(new Set(told).size).toBe(1)
  expect(await readInstanceFact(db, 'id')).toBe(told[0] ?? null)
})
