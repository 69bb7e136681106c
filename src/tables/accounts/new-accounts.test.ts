import { afterEach, beforeEach, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { testWorld } from '../../../tests/support/basics/test-world.ts'
import { hashKey } from '../../core/access/hash-key.ts'
import { Rejection } from '../../core/errors.ts'
import type { Database } from '../../ports/database.ts'
import { openSecrets } from '../../system/machine/secrets.ts'
import { systemClock } from '../../system/machine/system-clock.ts'
import { systemEntropy } from '../../system/machine/system-entropy.ts'
import { readRevision } from '../sql/revisions.ts'
import { findApp, findAppByKeyHash, TEAM_APPS_MAX } from './apps.ts'
import { createApp, createTeam, createToken, openAppKey, rotateAppKey } from './new-accounts.ts'
import { findTokenByHash } from './tokens.ts'

const entropy = systemEntropy()
const world = testWorld({
  entropy,
  clock: systemClock(),
  secrets: openSecrets(entropy.bytes(32), entropy),
})
const WALLET = { name: 'Wallet', description: '', networks: ['ETH_MAINNET'] }

let db: Database

beforeEach(async () => {
  db = await freshStore()
})

afterEach(() => db.close())

test('a team is created with a token, of which only the hash is kept', async () => {
  const { team, token, tokenId } = await createTeam(db, world, { name: 'A', tier: 'free' })
  expect(team.id).toMatch(/^team_[a-z0-9]{16}$/)
  expect(token).toMatch(/^[a-z0-9]{32}$/)
  const stored = await findTokenByHash(db, hashKey(token))
  expect(stored).toMatchObject({ id: tokenId, kind: 'team', teamId: team.id })
  expect(JSON.stringify(stored)).not.toContain(token)
})

test('the operator’s token belongs to no team', async () => {
  const operator = { kind: 'operator', teamId: null, name: 'operator' } as const
  const { id, token } = await createToken(db, world, operator)
  expect(id).toMatch(/^tok_[a-z0-9]{16}$/)
  expect(await findTokenByHash(db, hashKey(token))).toMatchObject(operator)
})

test('an app’s key is kept encrypted and can be shown again', async () => {
  const { team } = await createTeam(db, world, { name: 'A', tier: 'free' })
  const created = await createApp(db, world, team.id, WALLET)
  if (created instanceof Rejection) throw new Error(created.message)
  expect(created.app).toMatchObject({ ...WALLET, teamId: team.id, isActive: true })
  const stored = await findApp(db, team.id, created.app.id)
  expect(stored?.keySealed).not.toContain(created.key)
  expect(openAppKey(world, created.app.id, stored?.keySealed ?? '')).toBe(created.key)
  expect((await findAppByKeyHash(db, hashKey(created.key)))?.app.id).toBe(created.app.id)
})

test('rotation replaces the key, and only of the team’s own app', async () => {
  const { team } = await createTeam(db, world, { name: 'A', tier: 'free' })
  const created = await createApp(db, world, team.id, WALLET)
  if (created instanceof Rejection) throw new Error(created.message)
  expect(await rotateAppKey(db, world, 'team_other', created.app.id)).toBeNull()
  expect(await findAppByKeyHash(db, hashKey(created.key))).not.toBeNull()
  const key = await rotateAppKey(db, world, team.id, created.app.id)
  expect(await findAppByKeyHash(db, hashKey(created.key))).toBeNull()
  expect((await findAppByKeyHash(db, hashKey(key ?? '')))?.app.id).toBe(created.app.id)
})

test('a team that has all the apps it may have is refused another, however many ask at once', async () => {
  const { team } = await createTeam(db, world, { name: 'A', tier: 'free' })
  const asked = Array.from({ length: TEAM_APPS_MAX + 5 }, () =>
    createApp(db, world, team.id, WALLET),
  )
  const answers = await Promise.all(asked)
  expect(answers.filter((answer) => answer instanceof Rejection)).toHaveLength(5)
})

test('every creation is announced by the revision', async () => {
  const before = await readRevision(db, 'accounts')
  const { team } = await createTeam(db, world, { name: 'A', tier: 'free' })
  await createApp(db, world, team.id, WALLET)
  await createToken(db, world, { kind: 'team', teamId: team.id, name: 'x' })
  expect(await readRevision(db, 'accounts')).toBe(before + 3)
})
