import { afterEach, beforeEach, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { testClock } from '../../../tests/support/basics/test-clock.ts'
import { Failure, Rejection } from '../../core/errors.ts'
import type { Database } from '../../ports/database.ts'
import { findTokensByHash, insertToken } from '../../tables/accounts/tokens.ts'
import { openSecretLookups } from './secret-lookups.ts'

const GOOD = { id: 'tok_1', kind: 'operator', teamId: null, name: 'o', createdAtMs: 1 } as const

let db: Database
let queries = 0
let isAway = false
const clock = testClock()

beforeEach(async () => {
  db = await freshStore()
  await insertToken(db, GOOD, 'good')
  queries = 0
  isAway = false
})
afterEach(() => db.close())

/** First those who wait get to say how long, then it passes. */
async function aMoment(): Promise<void> {
  await clock.advance(0)
  await clock.advance(50)
}

function lookups() {
  const query: Database['query'] = (statement) => {
    queries++
    if (isAway) return Promise.reject(new Failure('database_unavailable', {}))
    return db.query(statement)
  }
  const findAll = (hashes: readonly string[]) => findTokensByHash({ ...db, query }, hashes)
  return openSecretLookups(clock, findAll)
}

test('a good token among a thousand guesses is found, with one question to the store', async () => {
  const { find } = lookups()
  const guesses = Array.from({ length: 900 }, (_, at) => find(`guess ${at}`))
  const found = find('good')
  await aMoment()
  expect(await found).toEqual(GOOD)
  expect(new Set(await Promise.all(guesses))).toEqual(new Set([null]))
  expect(queries).toBe(1)
})

test('guesses without end are looked up twenty times a second, and the rest is refused', async () => {
  const { find } = lookups()
  const answers: unknown[] = []
  for (let at = 0; at < 20; at++) {
    for (let guess = 0; guess < 1_500; guess++) {
      void find(`${at} ${guess}`).then((answer) => answers.push(answer))
    }
    await aMoment()
    // The store answers in its own time.
    await db.query({ parts: ['SELECT 1'], values: [] })
  }
  expect(queries).toBe(20)
  expect(answers).toHaveLength(30_000)
  expect(answers.filter((answer) => answer instanceof Rejection)).toHaveLength(10_000)
})

test('a store that is away is told of, and asked again by the next', async () => {
  const { find } = lookups()
  isAway = true
  const failing = find('good').catch((error: unknown) => error)
  await aMoment()
  expect(await failing).toBeInstanceOf(Failure)
  isAway = false
  const found = find('good')
  await aMoment()
  expect(await found).toEqual(GOOD)
})
