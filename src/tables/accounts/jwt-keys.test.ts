import { afterEach, beforeEach, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { testClock } from '../../../tests/support/basics/test-clock.ts'
import { testWorld } from '../../../tests/support/basics/test-world.ts'
import { Rejection } from '../../core/errors.ts'
import type { Database } from '../../ports/database.ts'
import { systemEntropy } from '../../system/machine/system-entropy.ts'
import {
  createJwtKey,
  findJwtKey,
  type JwtKey,
  listJwtKeys,
  revokeJwtKey,
  TEAM_JWT_KEYS_MAX,
} from './jwt-keys.ts'

const GIVEN = { teamId: 'team_a', name: 'Shop', algorithm: 'EdDSA', publicKey: 'PEM' } as const

const clock = testClock()
const world = testWorld({ clock, entropy: systemEntropy() })
let db: Database

beforeEach(async () => {
  db = await freshStore()
})

afterEach(() => db.close())

test('a key is found by its id, whoever’s it is, and listed for its team alone', async () => {
  const key = await create()
  clock.setWall(1)
  const older = await create()
  await create('team_b')
  expect(key).toMatchObject(GIVEN)
  expect(await findJwtKey(db, key.id)).toEqual(key)
  expect(await findJwtKey(db, 'jwk_9')).toBeNull()
  expect(await listJwtKeys(db, 'team_a')).toEqual([older, key])
})

test('only its own team deletes a key', async () => {
  const { id } = await create()
  const revoke = (teamId: string) => revokeJwtKey(db, teamId, id, () => null)
  expect(await revoke('team_b')).toBe(false)
  expect(await revoke('team_a')).toBe(true)
  expect(await findJwtKey(db, id)).toBeNull()
  expect(await revoke('team_a')).toBe(false)
})

test('a team has no more keys than it may', async () => {
  for (let at = 0; at < TEAM_JWT_KEYS_MAX; at++) await create()
  expect(await createJwtKey(db, world, GIVEN)).toBeInstanceOf(Rejection)
  expect(await listJwtKeys(db, 'team_a')).toHaveLength(TEAM_JWT_KEYS_MAX)
  await create('team_b')
})

async function create(teamId = 'team_a'): Promise<JwtKey> {
  const created = await createJwtKey(db, world, { ...GIVEN, teamId })
  if (created instanceof Rejection) throw new Error(created.message)
  return created
}
