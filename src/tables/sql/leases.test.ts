import { afterEach, beforeEach, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import type { Database } from '../../ports/database.ts'
import { releaseLease, takeLease } from './leases.ts'

let db: Database
beforeEach(async () => {
  db = await freshStore()
})
afterEach(() => db.close())

test('of many who reach for a free lease at once, one gets it', async () => {
  const reach = (_: unknown, index: number) => takeLease(db, 'follow', `process ${index}`, 0, 100)
  const taken = await Promise.all(Array.from({ length: 20 }, reach))
  expect(taken.filter((one) => one)).toHaveLength(1)
})

test('its holder keeps it by taking it again, and nobody else gets it meanwhile', async () => {
  expect(await takeLease(db, 'follow', 'one', 0, 100)).toBe(true)
  expect(await takeLease(db, 'follow', 'two', 50, 150)).toBe(false)
  expect(await takeLease(db, 'follow', 'one', 90, 190)).toBe(true)
  expect(await takeLease(db, 'follow', 'two', 189, 300)).toBe(false)
})

test('a lapsed lease goes to whoever comes first, and its old holder loses it', async () => {
  await takeLease(db, 'follow', 'one', 0, 100)
  expect(await takeLease(db, 'follow', 'two', 100, 200)).toBe(true)
  expect(await takeLease(db, 'follow', 'one', 110, 210)).toBe(false)
})

test('a lease given up is free at once', async () => {
  await takeLease(db, 'follow', 'one', 0, 100)
  await releaseLease(db, 'follow', 'one')
  expect(await takeLease(db, 'follow', 'two', 1, 100)).toBe(true)
})

test('only its holder can give a lease up', async () => {
  await takeLease(db, 'follow', 'one', 0, 100)
  await releaseLease(db, 'follow', 'two')
  await releaseLease(db, 'nobody ever took it', 'two')
  expect(await takeLease(db, 'follow', 'two', 1, 100)).toBe(false)
})

test('leases of different names do not touch each other', async () => {
  expect(await takeLease(db, 'a', 'one', 0, 100)).toBe(true)
  expect(await takeLease(db, 'b', 'two', 0, 100)).toBe(true)
})
