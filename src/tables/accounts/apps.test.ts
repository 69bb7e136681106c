import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { type App, NO_LISTS } from '../../core/app.ts'
import type { Team } from '../../core/billing/plan.ts'
import type { Database } from '../../ports/database.ts'
import { changeAccounts } from './accounts-change.ts'
import {
  findApp,
  findAppAndTeam,
  findAppByKeyHash,
  insertApp,
  listApps,
  removeApp,
  replaceAppKey,
  TEAM_APPS_MAX,
  updateApp,
} from './apps.ts'
import { changeTeam, insertTeam } from './teams.ts'

const TEAM: Team = { id: 'team_a', name: 'A', tier: 'free', autoscaling: true, createdAtMs: 5 }
const OTHER: Team = { ...TEAM, id: 'team_b' }

const APP: App = {
  id: 'app_1',
  teamId: TEAM.id,
  name: `Wallet "one"`,
  description: '',
  networks: ['ETH_MAINNET', 'SOLANA_MAINNET'],
  isActive: true,
  allow: NO_LISTS,
  createdAtMs: 1_790_000_000_000,
}

const KEY = { hash: 'hash-1', sealed: 'sealed-1' }

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeam(db, TEAM)
  await insertTeam(db, OTHER)
})
afterEach(() => db.close())

test('the hash of a key leads to its app and team', async () => {
  expect(await insertApp(db, APP, KEY)).toBe(true)
  expect(await findAppByKeyHash(db, KEY.hash)).toEqual({ app: APP, team: TEAM })
  expect(await findAppByKeyHash(db, 'hash-2')).toBeNull()
})

test('an app is found with its team by both their ids, and by no other team', async () => {
  await insertApp(db, APP, KEY)
  expect(await findAppAndTeam(db, TEAM.id, APP.id)).toEqual({ app: APP, team: TEAM })
  expect(await findAppAndTeam(db, OTHER.id, APP.id)).toBeNull()
})

test("a change of the team's tier shows at its keys", async () => {
  await insertApp(db, APP, KEY)
  await changeTeam(db, TEAM.id, { tier: 'growth', autoscaling: false })
  const found = await findAppByKeyHash(db, KEY.hash)
  expect(found?.team).toEqual({ ...TEAM, tier: 'growth', autoscaling: false })
})

test('a team finds its own app with the sealed key, another team does not', async () => {
  await insertApp(db, APP, KEY)
  expect(await findApp(db, TEAM.id, APP.id)).toEqual({ app: APP, keySealed: KEY.sealed })
  expect(await findApp(db, OTHER.id, APP.id)).toBeNull()
  expect(await findApp(db, TEAM.id, 'app_none')).toBeNull()
})

test('apps are listed in the order in which they were made, for their team alone', async () => {
  const younger = { ...APP, id: 'app_0', createdAtMs: APP.createdAtMs + 1 }
  const foreign = { ...APP, id: 'app_2', teamId: OTHER.id }
  await insertApp(db, younger, { hash: 'h2', sealed: 's2' })
  await insertApp(db, APP, KEY)
  await insertApp(db, foreign, { hash: 'h3', sealed: 's3' })
  expect(await listApps(db, TEAM.id)).toEqual([
    { app: APP, keySealed: KEY.sealed },
    { app: younger, keySealed: 's2' },
  ])
})

describe('a change touches only what it names', () => {
  test.each([
    ['the name', { name: 'New' }],
    ['the description', { description: 'what it is for' }],
    ['the networks', { networks: ['ETH_DEVNET'] }],
    ['whether it is active', { isActive: false }],
    ['everything', { name: 'N', description: 'D', networks: [], isActive: false }],
    ['nothing', {}],
  ])('%s', async (_, change) => {
    await insertApp(db, APP, KEY)
    const app = { ...APP, ...change }
    expect(await updateApp(db, TEAM.id, APP.id, change)).toEqual({ app, keySealed: KEY.sealed })
    expect((await findAppByKeyHash(db, KEY.hash))?.app).toEqual(app)
  })

  test('a description can be emptied and an app switched on again', async () => {
    await insertApp(db, { ...APP, description: 'old', isActive: false }, KEY)
    const changed = await updateApp(db, TEAM.id, APP.id, { description: '', isActive: true })
    expect(changed).toEqual({ app: APP, keySealed: KEY.sealed })
  })

  test('lists that are given replace those that are there, and the rest stay', async () => {
    await insertApp(db, { ...APP, allow: { ...NO_LISTS, ips: ['10.0.0.0/8'] } }, KEY)
    await updateApp(db, TEAM.id, APP.id, {
      allow: { origins: ['*.a.example'], methods: ['eth_*'] },
    })
    await updateApp(db, TEAM.id, APP.id, { allow: { methods: [], contracts: ['0x1'] } })
    const allow = { origins: ['*.a.example'], ips: ['10.0.0.0/8'], methods: [], contracts: ['0x1'] }
    expect((await findApp(db, TEAM.id, APP.id))?.app.allow).toEqual(allow)
    expect((await findAppAndTeam(db, TEAM.id, APP.id))?.app.allow).toEqual(allow)
  })

  test("another team's app cannot be changed", async () => {
    await insertApp(db, APP, KEY)
    expect(await updateApp(db, OTHER.id, APP.id, { name: 'stolen' })).toBeNull()
    expect((await findApp(db, TEAM.id, APP.id))?.app.name).toBe(APP.name)
  })
})

test('after its key is replaced only the new key leads to the app', async () => {
  await insertApp(db, APP, KEY)
  const next = { hash: 'hash-2', sealed: 'sealed-2' }
  expect(await replaceAppKey(db, OTHER.id, APP.id, next)).toBe(false)
  expect(await replaceAppKey(db, TEAM.id, APP.id, next)).toBe(true)
  expect(await findAppByKeyHash(db, KEY.hash)).toBeNull()
  expect((await findAppByKeyHash(db, next.hash))?.app).toEqual(APP)
  expect((await findApp(db, TEAM.id, APP.id))?.keySealed).toBe('sealed-2')
})

test('a deleted app and its key are unknown', async () => {
  await insertApp(db, APP, KEY)
  expect(await removeApp(db, OTHER.id, APP.id)).toBe(false)
  expect(await removeApp(db, TEAM.id, APP.id)).toBe(true)
  expect(await removeApp(db, TEAM.id, APP.id)).toBe(false)
  expect(await findAppByKeyHash(db, KEY.hash)).toBeNull()
  expect(await listApps(db, TEAM.id)).toEqual([])
})

test('two apps never share a key', async () => {
  await insertApp(db, APP, KEY)
  await expect(insertApp(db, { ...APP, id: 'app_2' }, KEY)).rejects.toThrow()
})

test('a full team gets no further app, however many ask at once, until one is deleted', async () => {
  const add = (index: number) =>
    changeAccounts(db, (tx) =>
      insertApp(tx, { ...APP, id: `app_${index}` }, { hash: `h${index}`, sealed: 's' }),
    )
  const added = await Promise.all(Array.from({ length: TEAM_APPS_MAX + 20 }, (_, i) => add(i)))
  expect(added.filter((done) => done)).toHaveLength(TEAM_APPS_MAX)
  expect(await listApps(db, TEAM.id)).toHaveLength(TEAM_APPS_MAX)
  expect(await insertApp(db, { ...APP, id: 'app_b', teamId: OTHER.id }, KEY)).toBe(true)

  await removeApp(db, TEAM.id, 'app_0')
  expect(await add(5_000)).toBe(true)
  expect(await add(5_001)).toBe(false)
})
