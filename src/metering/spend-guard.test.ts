import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../tests/fresh-store.ts'
import { type TestClock, testClock } from '../../tests/support/basics/test-clock.ts'
import { testWorld } from '../../tests/support/basics/test-world.ts'
import { aTier } from '../../tests/support/product/a-tier.ts'
import { type FaultyDatabase, faultyDatabase } from '../../tests/support/store/faulty-database.ts'
import type { Team, Tier } from '../core/billing/plan.ts'
import { openMethodRegistry } from '../core/rpc/method-registry.ts'
import { recordUsage } from '../tables/usage/usage.ts'
import { openSpendGuard, type SpendGuard } from './spend-guard.ts'
import type { TeamAccount } from './team-account.ts'
import { openUsageMeter } from './usage-meter.ts'

const LAST_OF_MAY = Date.UTC(2026, 4, 31, 23, 59, 50)
const methods = openMethodRegistry('evm')
/** 20 CU billed, 20 CU of throughput. */
const BALANCE = methods.find('eth_getBalance')
/** 40 CU billed, 250 CU of throughput. */
const SEND = methods.find('eth_sendRawTransaction')
/** 1000 CU of throughput. */
const TRACE = methods.find('debug_traceTransaction')
/** Costs nothing at all. */
const CHAIN_ID = methods.find('eth_chainId')

let clock: TestClock
let database: FaultyDatabase
let tiers: Map<string, Tier>
let guard: SpendGuard
let sequence = 0

beforeEach(async () => {
  clock = testClock(LAST_OF_MAY)
  database = faultyDatabase(await freshStore())
  tiers = new Map([
    ['free', aTier({ monthlyCu: 1000, cuPerSecond: 50 })],
    ['big', aTier({ name: 'big', paid: true })],
    ['fast', aTier({ name: 'fast', monthlyCu: 1000, paid: true })],
  ])
  guard = openSpendGuard(testWorld({ clock, database }), {
    tiers,
    publicUrl: 'http://gate.test',
    exchange: null,
  })
})

afterEach(() => database.close())

describe('throughput of a team', () => {
  test('is one bucket for all of its apps', async () => {
    const one = await guard.open(teamOf('free'))
    const other = await guard.open(teamOf('free'))
    expect(other).toBe(one)
    expect(callsUntilRefused(one, 15)).toBe(15)
    expect(callsUntilRefused(other, 50)).toBe(10)
  })

  test('is refused with the wait, the limit and what is left', async () => {
    const account = await guard.open(teamOf('free'))
    expect(callsUntilRefused(account, 50)).toBe(25)
    const refusal = guard.admit(account, BALANCE)
    expect(refusal?.code).toBe('throughput_exceeded')
    expect(refusal?.message).toContain('compute units per second')
    expect(refusal?.facts).toEqual({
      retryAfterS: 1,
      rateLimit: { limit: 500, remaining: 0, resetS: 1 },
    })
  })

  test('is counted by its own price, not by the bill', async () => {
    const account = await guard.open(teamOf('free'))
    expect(guard.admit(account, SEND)).toBeNull()
    expect(guard.admit(account, SEND)).toBeNull()
    expect(guard.admit(account, SEND)?.code).toBe('throughput_exceeded')
    expect(account.reservedCentiCu).toBe(8000)
  })

  test('is given back when the failure was ours, up to as much again', async () => {
    const account = await guard.open(teamOf('free'))
    const fail = () => {
      const refusal = guard.admit(account, SEND)
      if (refusal === null) guard.settle(account, SEND, true)
      return refusal?.code
    }
    // 500 CU are there and 500 CU are given back, 250 CU a call.
    for (let call = 0; call < 4; call++) expect(fail()).toBeUndefined()
    expect(fail()).toBe('throughput_exceeded')
  })

  test('in debt is waited for, and the refusal says how long', async () => {
    const account = await guard.open(teamOf('free'))
    callsUntilRefused(account, 24)
    // 20 CU are left of 500, at 50 CU a second.
    expect(guard.admit(account, TRACE)).toBeNull()
    expect(guard.admit(account, BALANCE)).toMatchObject({
      code: 'throughput_exceeded',
      facts: { retryAfterS: 20, rateLimit: { limit: 500, remaining: 0, resetS: 20 } },
    })
    clock.skip(19_600)
    expect(guard.admit(account, BALANCE)?.code).toBe('throughput_exceeded')
    clock.skip(1)
    expect(guard.admit(account, BALANCE)).toBeNull()
  })

  test('has no limit where the tier has none', async () => {
    const account = await guard.open(teamOf('big'))
    expect(callsUntilRefused(account, 5000)).toBe(5000)
  })
})

describe('the monthly capacity of a team', () => {
  test('counts calls that are under way, so that a burst cannot overrun it', async () => {
    const account = await guard.open(teamOf('fast'))
    // 1000 CU at 20 CU a call, none of them answered yet.
    expect(callsUntilRefused(account, 100)).toBe(50)
    guard.settle(account, BALANCE, false)
    expect(guard.admit(account, BALANCE)).toBeNull()
    expect(guard.admit(account, BALANCE)?.code).toBe('capacity_exceeded')
  })

  test('counts what is metered and not written yet', async () => {
    const account = await guard.open(teamOf('fast'))
    account.pendingCentiCu = 100_000
    expect(guard.admit(account, BALANCE)?.code).toBe('capacity_exceeded')
  })

  test('lets the call through that crosses it, and nothing after it, not even for nothing', async () => {
    const account = await guard.open(teamOf('fast'))
    account.pendingCentiCu = 99_999
    expect(guard.admit(account, SEND)).toBeNull()
    expect(guard.admit(account, BALANCE)?.code).toBe('capacity_exceeded')
    expect(guard.admit(account, CHAIN_ID)?.code).toBe('capacity_exceeded')
  })

  test('is read from the ledger, with what other processes spent', async () => {
    await spend(60_000)
    const account = await guard.open(teamOf('fast'))
    expect(account.writtenCentiCu).toBe(60_000)
    await spend(40_000)
    await guard.refresh()
    expect(account.writtenCentiCu).toBe(100_000)
    expect(guard.admit(account, BALANCE)).toMatchObject({ code: 'capacity_exceeded', facts: {} })
    const text =
      'Monthly capacity limit exceeded. Visit http://gate.test/settings/billing to upgrade your scaling policy for continued service.'
    expect(guard.admit(account, BALANCE)?.message).toBe(text)
  })

  test('does not stop a team that scales by itself', async () => {
    await spend(500_000)
    const account = await guard.open({ ...teamOf('fast'), autoscaling: true })
    expect(guard.admit(account, BALANCE)).toBeNull()
  })

  test('is there again with the new month', async () => {
    await spend(100_000)
    const account = await guard.open(teamOf('fast'))
    expect(guard.admit(account, BALANCE)?.code).toBe('capacity_exceeded')
    await clock.advance(10_000)
    expect(guard.admit(account, BALANCE)).toBeNull()
    expect(account).toMatchObject({ month: '2026-06', writtenCentiCu: 0 })
    await guard.refresh()
    expect(account.writtenCentiCu).toBe(0)
  })

  test('of the new month is not used up by the last calls of the old one', async () => {
    const meter = openUsageMeter(testWorld({ clock }), {
      exchange: null,
      figures: { take: () => [], isDue: () => false },
      record: (batch) => recordUsage(database, batch),
      writer: 'writer_1',
      refresh: guard.refresh,
    })
    meter.stop()
    const account = await guard.open(teamOf('fast'))
    meter.add(account, 'app', 'ETH', 'eth_call', 90_000)
    await clock.advance(10_000)
    expect(guard.admit(account, BALANCE)).toBeNull()
    guard.settle(account, BALANCE, false)
    await meter.flush()
    expect(account).toMatchObject({ pendingCentiCu: 0, writtenCentiCu: 0 })
  })

  test('stays as it was known while the database is away', async () => {
    await spend(50_000)
    const account = await guard.open(teamOf('fast'))
    database.down = true
    await expect(guard.refresh()).rejects.toThrow()
    expect(account.writtenCentiCu).toBe(50_000)
    expect(guard.admit(account, BALANCE)).toBeNull()
  })
})

describe('the plan of a team', () => {
  test('acts at once when it changes, on the same account', async () => {
    const account = await guard.open(teamOf('free'))
    callsUntilRefused(account, 50)
    expect(await guard.open(teamOf('big'))).toBe(account)
    expect(guard.admit(account, BALANCE)).toBeNull()
    expect(account.bucket).toBeNull()
  })

  test('takes over other limits of its tier, and keeps what is owed', async () => {
    const account = await guard.open(teamOf('free'))
    callsUntilRefused(account, 24)
    guard.admit(account, TRACE)
    const free = tiers.get('free')!
    tiers.set('free', { ...free, cuPerSecond: 100, monthlyCu: 5000 })
    guard.replan()
    expect(account.tier).toMatchObject({ cuPerSecond: 100, monthlyCu: 5000 })
    // 980 CU are owed, at 100 CU a second.
    expect(guard.admit(account, BALANCE)?.facts).toMatchObject({
      retryAfterS: 10,
      rateLimit: { limit: 1000 },
    })
    tiers.set('free', { ...free, monthlyCu: 0 })
    guard.replan()
    expect(guard.admit(account, BALANCE)?.code).toBe('capacity_exceeded')
  })

  test('is not refilled by being looked up again', async () => {
    const account = await guard.open(teamOf('free'))
    callsUntilRefused(account, 50)
    await guard.open(teamOf('free'))
    expect(guard.admit(account, BALANCE)?.code).toBe('throughput_exceeded')
  })

  test('that vanished from the configuration sets nobody free', async () => {
    const account = await guard.open(teamOf('gone'))
    expect(account.tier.paid).toBe(false)
    expect(guard.admit(account, BALANCE)?.code).toBe('capacity_exceeded')
  })

  test('is read once, however many calls come at the same time', async () => {
    const accounts = await Promise.all(Array.from({ length: 20 }, () => guard.open(teamOf('free'))))
    expect(new Set(accounts).size).toBe(1)
  })
})

describe('a team that was silent for long', () => {
  test('still has one account for all its apps when it comes back', async () => {
    const before = await guard.open(teamOf('free'))
    await clock.advance(3_600_000)
    await guard.refresh()
    // One app's caller is still known, another's is looked up anew.
    const after = await guard.open(teamOf('free'))
    expect(callsUntilRefused(before, 50) + callsUntilRefused(after, 50)).toBe(25)
  })

  test('sees what others spent soon after it comes back', async () => {
    const account = await guard.open(teamOf('fast'))
    await clock.advance(3_600_000)
    await guard.refresh()
    await spend(100_000, '2026-06')
    expect(guard.admit(account, BALANCE)).toBeNull()
    await guard.refresh()
    expect(guard.admit(account, BALANCE)?.code).toBe('capacity_exceeded')
  })
})

test('a refresh reaches every team, however many there are', async () => {
  const teams = Array.from({ length: 5_100 }, (_, at) => ({ ...teamOf('fast'), id: `team_${at}` }))
  const accounts: TeamAccount[] = []
  for (const team of teams) accounts.push(await guard.open(team))
  await spend(100, '2026-05', 'team_5099')
  await guard.refresh()
  expect(accounts.at(-1)?.writtenCentiCu).toBe(100)
})

test('a call settled twice is a bug of ours', async () => {
  const account = await guard.open(teamOf('free'))
  guard.admit(account, BALANCE)
  guard.settle(account, BALANCE, false)
  expect(() => guard.settle(account, BALANCE, false)).toThrow('settled once')
})

function teamOf(tier: string): Team {
  return { id: 'team_a', name: 'A', tier, autoscaling: false, createdAtMs: 0 }
}

function callsUntilRefused(account: TeamAccount, callsMax: number): number {
  let calls = 0
  while (calls < callsMax && guard.admit(account, BALANCE) === null) calls++
  return calls
}

/** Usage that another process wrote. */
async function spend(centiCu: number, month = '2026-05', teamId = 'team_a'): Promise<void> {
  const hourMs = Date.parse(`${month}-02T00:00:00Z`)
  const row = { teamId, appId: 'app_x', network: 'ETH', method: 'm', hourMs, calls: 1, bytes: 0 }
  const batch = { writer: 'writer_other', sequence: ++sequence, atMs: 0 }
  await recordUsage(database, { ...batch, rows: [{ ...row, centiCu }] })
}
