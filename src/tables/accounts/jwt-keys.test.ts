import { afterEach, beforeEach, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import type { Database } from '../../ports/database.ts'
import {
  deleteJwtKey,
  findJwtKey,
  insertJwtKey,
  type JwtKey,
  listJwtKeys,
  TEAM_JWT_KEYS_MAX,
} from './jwt-keys.ts'

const KEY: JwtKey = {
  id: 'jwk_1',
  teamId: 'team_a',
  name: 'Shop',
  algorithm: 'EdDSA',
  publicKey: 'PEM',
  createdAtMs: 1_790_000_000_000,
}

let db: Database

beforeEach(async () => {
  db = await freshStore()
})

afterEach(() => db.close())

test('a key is found by its id, whoever’s it is, and listed for its team alone', async () => {
  await insertJwtKey(db, KEY)
  await insertJwtKey(db, { ...KEY, id: 'jwk_0', createdAtMs: 1 })
  await insertJwtKey(db, { ...KEY, id: 'jwk_2', teamId: 'team_b' })
  expect(await findJwtKey(db, 'jwk_1')).toEqual(KEY)
  expect(await findJwtKey(db, 'jwk_9')).toBeNull()
  expect((await listJwtKeys(db, 'team_a')).map(({ id }) => id)).toEqual(['jwk_0', 'jwk_1'])
})

test('only its own team deletes a key', async () => {
  await insertJwtKey(db, KEY)
  expect(await deleteJwtKey(db, 'team_b', KEY.id)).toBe(false)
  expect(await deleteJwtKey(db, 'team_a', KEY.id)).toBe(true)
  expect(await findJwtKey(db, KEY.id)).toBeNull()
  expect(await deleteJwtKey(db, 'team_a', KEY.id)).toBe(false)
})

test('a team has no more keys than it may', async () => {
  for (let at = 0; at < TEAM_JWT_KEYS_MAX; at++) {
    expect(await insertJwtKey(db, { ...KEY, id: `jwk_${at}` })).toBe(true)
  }
  expect(await insertJwtKey(db, { ...KEY, id: 'jwk_more' })).toBe(false)
  expect(await insertJwtKey(db, { ...KEY, id: 'jwk_other', teamId: 'team_b' })).toBe(true)
})
