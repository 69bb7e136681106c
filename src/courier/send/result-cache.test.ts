import { afterEach, beforeEach, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import type { Database } from '../../ports/database.ts'
import { openResultCache } from './result-cache.ts'

const MEGABYTE = 2 ** 20

let db: Database
beforeEach(async () => {
  db = await freshStore()
})
afterEach(() => db.close())

const resultOf = (data: string) => ({ data, truncation: null })

test('large results of one team drive out none of the small ones', async () => {
  const cache = openResultCache(db)
  for (let part = 0; part < 100; part++) cache.keep(1, part, resultOf(`small ${part}`))
  for (let part = 0; part < 20; part++) cache.keep(2, part, resultOf('x'.repeat(MEGABYTE)))
  for (let part = 0; part < 100; part++) {
    expect(cache.atHand(1, part)).toEqual(resultOf(`small ${part}`))
  }
  // Webhooks that share a large one send it in the same moment.
  expect(cache.atHand(2, 19)).toMatchObject({ truncation: null })
  expect(await cache.read(2, 0)).toBeNull()
})

test('what is beyond all bounds is read again', async () => {
  const cache = openResultCache(db)
  for (let part = 0; part < 40; part++) cache.keep(1, part, resultOf('x'.repeat(900_000)))
  expect(await cache.read(1, 0)).toBeNull()
  expect(cache.atHand(1, 39)).toBeDefined()
})
