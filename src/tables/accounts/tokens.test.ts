import { afterEach, beforeEach, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import type { Database } from '../../ports/database.ts'
import { insertTeam } from './teams.ts'
import { deleteToken, findTokenByHash, insertToken, listTokens, type Token } from './tokens.ts'

const HASH = 'a'.repeat(64)
const OTHER_HASH = 'b'.repeat(64)

const TOKEN: Token = {
  id: 'tok_0123456789abcdef',
  kind: 'team',
  teamId: 'team_a',
  name: 'ci',
  createdAtMs: 1_790_000_000_000,
}

const OPERATOR: Token = { ...TOKEN, id: 'tok_operator00000000', kind: 'operator', teamId: null }

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeam(db, {
    id: 'team_a',
    name: 'A',
    tier: 'free',
    autoscaling: false,
    createdAtMs: 1,
  })
})
afterEach(() => db.close())

test('a token is found by its hash and by nothing else', async () => {
  await insertToken(db, TOKEN, HASH)
  expect(await findTokenByHash(db, HASH)).toEqual(TOKEN)
  expect(await findTokenByHash(db, OTHER_HASH)).toBeNull()
  expect(await findTokenByHash(db, HASH.toUpperCase())).toBeNull()
  expect(await findTokenByHash(db, '')).toBeNull()
})

test("the operator's token belongs to no team", async () => {
  await insertToken(db, OPERATOR, HASH)
  expect(await findTokenByHash(db, HASH)).toEqual(OPERATOR)
  expect(await listTokens(db, 'team_a')).toEqual([])
})

test("a team's tokens are listed in order, without those of others", async () => {
  const younger = { ...TOKEN, id: 'tok_00000000000000ff', createdAtMs: TOKEN.createdAtMs + 1 }
  await insertToken(db, younger, OTHER_HASH)
  await insertToken(db, TOKEN, HASH)
  await insertToken(db, OPERATOR, 'c'.repeat(64))
  expect(await listTokens(db, 'team_a')).toEqual([TOKEN, younger])
  expect(await listTokens(db, 'team_b')).toEqual([])
})

test('a deleted token is unknown, and deleting it again says so', async () => {
  await insertToken(db, TOKEN, HASH)
  expect(await deleteToken(db, TOKEN.id)).toBe(true)
  expect(await findTokenByHash(db, HASH)).toBeNull()
  expect(await deleteToken(db, TOKEN.id)).toBe(false)
})

test('two tokens never share a hash, and none belongs to a team that does not exist', async () => {
  await insertToken(db, TOKEN, HASH)
  await expect(insertToken(db, OPERATOR, HASH)).rejects.toThrow()
  await expect(
    insertToken(db, { ...TOKEN, id: 'tok_x', teamId: 'team_none' }, 'd'),
  ).rejects.toThrow()
})
