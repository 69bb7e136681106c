import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestClock, testClock } from '../../tests/support/basics/test-clock.ts'
import { testWorld } from '../../tests/support/basics/test-world.ts'
import { aTier } from '../../tests/support/product/a-tier.ts'
import { type AccountStore, accountStore } from '../../tests/support/solana/account-store.ts'
import { Rejection } from '../core/errors.ts'
import { openSpendGuard } from '../metering/spend-guard.ts'
import { openMachineSignals } from '../ports/driver-parts/machine-signals.ts'
import type { Signals } from '../ports/signals.ts'
import { type AppDirectory, type Caller, openAppDirectory } from './app-directory.ts'

const FREE = aTier({ monthlyCu: 1000, cuPerSecond: 50, webhooksMax: 1 })

let clock: TestClock
let store: AccountStore
let database: AccountStore['database']
let signals: Signals
let directory: AppDirectory
let key: string

beforeEach(async () => {
  clock = testClock()
  store = await accountStore(clock)
  database = store.database
  key = store.key
  signals = openMachineSignals()
  directory = openDirectory(() => true)
  await clock.advance(400)
})

afterEach(async () => {
  directory.stop()
  await signals.close()
  await database.close()
})

describe('a key', () => {
  test('stands for an app and the account of its team', async () => {
    const caller = await known(key)
    const { appId: id, teamId } = store
    expect(caller.app).toMatchObject({ id, teamId, networks: ['ETH_MAINNET'] })
    expect(caller.account.team).toMatchObject({ id: teamId, tier: 'free' })
    expect(caller.isDemo).toBe(false)
  })

  test('is looked up once and answered without a promise from then on', async () => {
    const caller = await known(key)
    const asked = database.asked
    expect(directory.find(key)).toBe(caller)
    expect(database.asked).toBe(asked)
  })

  test('is looked up once for all who call with it at the same time', async () => {
    const asked = database.asked
    await known(key)
    const once = database.asked - asked
    directory.forget()
    const callers = await Promise.all([known(key), known(key), known(key)])
    expect(database.asked).toBeLessThanOrEqual(asked + 2 * once)
    expect(new Set(callers).size).toBe(1)
  })

  test('that nobody has is refused, and remembered as such', async () => {
    const refusal = await directory.find('x'.repeat(32))
    expect(refusal).toMatchObject({ code: 'unauthorized', message: 'Must be authenticated!' })
    const asked = database.asked
    expect(directory.find('x'.repeat(32))).toBe(refusal as Rejection)
    expect(database.asked).toBe(asked)
  })

  test.each([
    ['none', ''],
    ['a space', ' '],
    ['a zero', '\0'],
    ['SQL', "' OR 1=1 --"],
    ['another script', 'ключ'],
    ['far too many', 'x'.repeat(100_000)],
  ])('of odd characters is refused like any other: %s', async (_, odd) => {
    expect(await directory.find(odd)).toMatchObject({ code: 'unauthorized' })
  })

  test('longer than any key is not even looked up, so guesses cannot fill the memory', async () => {
    const asked = database.asked
    await directory.find('x'.repeat(10_000))
    expect(database.asked).toBe(asked)
  })
})

describe('wrong keys', () => {
  test('are remembered in a bounded number, and right ones are not forgotten over them', async () => {
    await known(key)
    for (let guess = 0; guess < 10_001; guess++) await directory.find(`guess_${guess}`)
    const asked = database.asked
    await directory.find('guess_0')
    expect(database.asked).toBe(asked + 1)
    expect(directory.find(key)).not.toBeInstanceOf(Promise)
  })
})

describe('a change', () => {
  test('acts within a second though no signal came', async () => {
    const before = await known(key)
    await store.changeApp({ isActive: false })
    await clock.advance(1000)
    const after = await known(key)
    expect([before.app.isActive, after.app.isActive]).toEqual([true, false])
  })

  test('acts at once when a signal came', async () => {
    await known(key)
    await store.changeApp({ name: 'New' })
    signals.publish('accounts', '')
    await clock.advance(0)
    expect((await known(key)).app.name).toBe('New')
  })

  test('of the key makes the old one wrong and the new one right', async () => {
    await known(key)
    const rotated = await store.rotateKey()
    expect(await directory.find(rotated)).not.toBeInstanceOf(Rejection)
    await clock.advance(1000)
    expect(await directory.find(key)).toMatchObject({ code: 'unauthorized' })
  })

  test('of one app leaves the others alone, and a new one is known at once', async () => {
    const made = await store.addApp()
    expect((await known(made.key)).app.id).toBe(made.id)
    await store.changeApp({ isActive: false })
    expect((await known(made.key)).app.isActive).toBe(true)
  })

  test('during a look-up is not overwritten by what was read before it', async () => {
    let letGo = () => {}
    database.hold = new Promise((resolve) => {
      letGo = resolve
    })
    const looked = directory.find(key)
    await clock.advance(0)
    database.hold = null
    await store.changeApp({ isActive: false })
    await clock.advance(1000)
    letGo()
    expect(await looked).toMatchObject({ app: { isActive: false } })
    expect((await known(key)).app.isActive).toBe(false)
  })
})

describe('while the database is away', () => {
  test('whoever was known is still served', async () => {
    const caller = await known(key)
    database.down = true
    await clock.advance(60_000)
    expect(directory.find(key)).toBe(caller)
  })

  test('so is one who was looked up while something changed', async () => {
    let letGo = () => {}
    database.hold = new Promise((resolve) => {
      letGo = resolve
    })
    const looked = directory.find(key)
    await clock.advance(0)
    database.hold = null
    directory.forget()
    letGo()
    const caller = await looked
    database.down = true
    expect(await directory.find(key)).toBe(caller)
  })

  test('so is one whose change was heard of but not read, until it can be', async () => {
    const caller = await known(key)
    await store.changeApp({ isActive: false })
    await clock.advance(400)
    database.down = true
    expect(await directory.find(key)).toBe(caller)
    await clock.advance(60_000)
    expect(directory.find(key)).toBe(caller)
    database.down = false
    await clock.advance(400)
    expect((await known(key)).app.isActive).toBe(false)
  })

  test('a known key is served as last known when the database hangs', async () => {
    const caller = await known(key)
    await store.changeApp({ isActive: false })
    await clock.advance(400)
    const answer = Promise.withResolvers<void>()
    database.hold = answer.promise
    const found = Promise.resolve(directory.find(key))
    await clock.advance(200)
    expect(await found).toBe(caller)
    // The next call does not wait at all.
    expect(directory.find(key)).toBe(caller)
    await clock.advance(60_000)
    expect(directory.find(key)).toBe(caller)
    database.hold = null
    answer.resolve()
    await clock.advance(400)
    expect((await known(key)).app.isActive).toBe(false)
  })

  test('an answer that comes late from a slow database still counts', async () => {
    await known(key)
    await store.rotateKey()
    await clock.advance(400)
    const answer = Promise.withResolvers<void>()
    database.hold = answer.promise
    const found = Promise.resolve(directory.find(key))
    await clock.advance(200)
    expect(await found).not.toBeInstanceOf(Rejection)
    answer.resolve()
    await clock.advance(0)
    expect(directory.find(key)).toBeInstanceOf(Rejection)
  })

  test('a key that is not known waits for a database that hangs', async () => {
    const answer = Promise.withResolvers<void>()
    database.hold = answer.promise
    const found = Promise.resolve(directory.find(key))
    await clock.advance(5_000)
    answer.resolve()
    expect(await found).not.toBeInstanceOf(Rejection)
  })

  test('a key found wrong before is not served again', async () => {
    await known(key)
    await store.rotateKey()
    await clock.advance(400)
    expect(await directory.find(key)).toBeInstanceOf(Rejection)
    await store.changeApp({ name: 'New' })
    await clock.advance(400)
    database.down = true
    await expect(Promise.resolve(directory.find(key))).rejects.toThrow('database_unavailable')
  })

  test('a key not seen before fails, and is not remembered as wrong', async () => {
    database.down = true
    await expect(Promise.resolve(directory.find(key))).rejects.toThrow('database_unavailable')
    database.down = false
    expect(await directory.find(key)).not.toBeInstanceOf(Rejection)
  })
})

describe('the demo key', () => {
  test('needs no row and has the free tier', async () => {
    const caller = await known('demo')
    expect(caller).toMatchObject({ isDemo: true, account: { tier: FREE } })
  })

  test('is a wrong key where configuration has turned it off', async () => {
    const without = openDirectory(() => false)
    expect(await without.find('demo')).toMatchObject({ code: 'unauthorized' })
    without.stop()
  })

  test('that is turned off is not served on while the database is away', async () => {
    let isOn = true
    const turned = openDirectory(() => isOn)
    expect(await turned.find('demo')).toMatchObject({ isDemo: true })
    isOn = false
    turned.forget()
    database.down = true
    await expect(Promise.resolve(turned.find('demo'))).rejects.toThrow('database_unavailable')
    turned.stop()
  })
})

function openDirectory(demoKey: () => boolean): AppDirectory {
  const tiers = new Map([['free', FREE]])
  const world = testWorld({ clock, database, signals })
  const guard = openSpendGuard(world, { tiers, publicUrl: 'http://gate.test', exchange: null })
  return openAppDirectory(world, guard, demoKey)
}

async function known(wanted: string): Promise<Caller> {
  const found = await directory.find(wanted)
  if (found instanceof Rejection) throw new Error(`refused: ${found.code}`)
  return found
}
