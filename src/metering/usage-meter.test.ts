import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../tests/fresh-store.ts'
import { type QuietTelemetry, quietTelemetry } from '../../tests/support/basics/quiet-telemetry.ts'
import { type TestClock, testClock } from '../../tests/support/basics/test-clock.ts'
import { testWorld } from '../../tests/support/basics/test-world.ts'
import { type FaultyDatabase, faultyDatabase } from '../../tests/support/store/faulty-database.ts'
import { callGroups, nodeSeries } from '../tables/usage/call-stats.ts'
import {
  recordUsage,
  teamMonthCentiCu,
  type UsageBatch,
  usageSeries,
  usageTotals,
} from '../tables/usage/usage.ts'
import { openCallFigures } from './call-figures.ts'
import { openSpendGuard } from './spend-guard.ts'
import type { TeamAccount } from './team-account.ts'
import { openUsageMeter, type UsageMeter } from './usage-meter.ts'

const NOON = Date.UTC(2026, 4, 10, 12)
const HOUR_MS = 3_600_000

let clock: TestClock
let database: FaultyDatabase
let telemetry: QuietTelemetry
let meter: UsageMeter
let account: TeamAccount
let refreshed: number

beforeEach(async () => {
  clock = testClock(NOON)
  database = faultyDatabase(await freshStore())
  telemetry = quietTelemetry()
  refreshed = 0
  const refresh = async () => void refreshed++
  meter = openUsageMeter(world(), { ...alone(), writer: 'writer_1', refresh })
  account = await accountOf('team_a')
  database.asked = 0
})

afterEach(async () => {
  meter.stop()
  await database.close()
})

describe('the usage ledger', () => {
  test('is written within a second, without being asked', async () => {
    call(3)
    await clock.advance(1000)
    expect(await totals()).toEqual({ calls: 3, centiCu: 300, bytes: 0 })
    expect(account).toMatchObject({ pendingCentiCu: 0, writtenCentiCu: 300 })
    expect(refreshed).toBeGreaterThan(0)
  })

  test('sums the calls of an app, a network and a method, and keeps them apart', async () => {
    meter.add(account, 'app_1', 'ETH', 'eth_call', 2600)
    meter.add(account, 'app_1', 'ETH', 'eth_call', 2600)
    meter.add(account, 'app_1', 'ETH', 'unknown', 0)
    meter.add(account, 'app_2', 'ETH', 'eth_call', 2600)
    meter.add(account, 'app_1', 'SOL', 'eth_call', 2600)
    await meter.flush()
    const points = await series('app')
    expect(points.map(({ group, calls, centiCu }) => [group, calls, centiCu])).toEqual([
      ['app_1', 4, 7800],
      ['app_2', 1, 2600],
    ])
  })

  test('counts a call in the hour it was made in', async () => {
    await clock.advance(HOUR_MS - 1)
    call(1)
    await clock.advance(1)
    call(2)
    await meter.flush()
    const points = await series('none')
    expect(points.map(({ startMs, calls }) => [startMs, calls])).toEqual([
      [NOON, 1],
      [NOON + HOUR_MS, 2],
    ])
  })

  test('follows a clock that is set back into an earlier hour', async () => {
    clock.setWall(NOON - 5)
    call(1)
    await meter.flush()
    expect((await series('none')).map(({ startMs }) => startMs)).toEqual([NOON - HOUR_MS])
  })
})

describe('while the database is away', () => {
  test('nothing metered is lost, and everything is written once when it returns', async () => {
    database.down = true
    for (let second = 0; second < 10; second++) {
      call(7)
      await clock.advance(1000)
    }
    expect(account).toMatchObject({ pendingCentiCu: 7000, writtenCentiCu: 0 })
    expect(telemetry.events).toContain('usage_not_written')
    database.down = false
    await clock.advance(1500)
    expect(await totals()).toEqual({ calls: 70, centiCu: 7000, bytes: 0 })
    expect(account).toMatchObject({ pendingCentiCu: 0, writtenCentiCu: 7000 })
  })

  test('a commit whose answer was lost is not counted twice', async () => {
    call(5)
    database.losesAnswers = true
    await clock.advance(2000)
    expect(account.pendingCentiCu).toBe(500)
    call(2)
    database.losesAnswers = false
    await clock.advance(1500)
    expect(await totals()).toEqual({ calls: 7, centiCu: 700, bytes: 0 })
    expect(await teamMonthCentiCu(database, 'team_a', '2026-05')).toBe(700)
    expect(account).toMatchObject({ pendingCentiCu: 0, writtenCentiCu: 700 })
  })

  test('a failing refresh does not make the same usage be written again', async () => {
    meter.stop()
    const refresh = async () => {
      throw new Error('no months today')
    }
    meter = openUsageMeter(world(), { ...alone(), writer: 'writer_2', refresh })
    call(4)
    await meter.flush()
    await meter.flush()
    expect(await totals()).toMatchObject({ calls: 4 })
  })
})

describe('figures of calls', () => {
  test('are written with the usage, once, however often the commit is tried', async () => {
    meter.stop()
    const figures = openCallFigures(clock, () => [])
    meter = openUsageMeter(world(), {
      ...alone(),
      figures,
      writer: 'writer_3',
      refresh: async () => {},
    })
    const served = { cache: 'miss', upstream: 'node-a', nodeErrorCode: 0, rejection: null } as const
    const answered = () => {
      call(1)
      const app = { id: 'app_1', teamId: 'team_a' }
      figures.add(app, 'ETH', { method: 'eth_call', centiCu: 100, ...served }, 4)
    }
    answered()
    database.losesAnswers = true
    await clock.advance(2000)
    answered()
    database.losesAnswers = false
    database.down = true
    await clock.advance(2000)
    answered()
    database.down = false
    await clock.advance(1500)
    const span = { fromMs: 0, toMs: NOON * 2, spanMs: HOUR_MS }
    const asked = { teamId: 'team_a', ...span, appId: null, network: null }
    const [counted] = await callGroups(database, asked, 'method', 10)
    expect(counted).toMatchObject({ group: 'eth_call', calls: 3, centiCu: 300 })
    expect(await totals()).toMatchObject({ calls: 3, centiCu: 300 })
  })

  test('alone are written as well', async () => {
    meter.stop()
    const node = { network: 'ETH', upstream: 'node-a', calls: 2, errors: 0, times: [] }
    const figures = openCallFigures(clock, () => [node])
    meter = openUsageMeter(world(), {
      ...alone(),
      figures,
      writer: 'writer_4',
      refresh: async () => {},
    })
    await meter.flush()
    expect(await nodeSeries(database, 0)).toMatchObject([{ upstream: 'node-a', calls: 2 }])
  })
})

describe('flushing', () => {
  test('from many sides at once writes each call once', async () => {
    const flushes: Promise<void>[] = []
    for (let round = 0; round < 50; round++) {
      call(1)
      flushes.push(meter.flush())
    }
    await Promise.all(flushes)
    expect(await totals()).toMatchObject({ calls: 50 })
    expect(account.pendingCentiCu).toBe(0)
  })

  test('takes along what was metered while a batch was on its way', async () => {
    let letGo = () => {}
    database.hold = new Promise((resolve) => {
      letGo = resolve
    })
    call(1)
    const flushed = meter.flush()
    await clock.advance(0)
    call(2)
    letGo()
    database.hold = null
    await flushed
    expect(await totals()).toMatchObject({ calls: 3 })
  })

  test('of nothing asks nothing of the database', async () => {
    await meter.flush()
    expect(database.asked).toBe(0)
  })

  test('ends with the meter', () => {
    meter.stop()
    expect(clock.timers()).toBe(0)
  })
})

/** The needs of the only process that there is. */
function alone() {
  const record = (batch: UsageBatch) => recordUsage(database, batch)
  const figures = { take: () => [], isDue: () => false }
  return { exchange: null, figures, record }
}

const world = () => testWorld({ clock, database, telemetry })

function call(times: number): void {
  for (let made = 0; made < times; made++) meter.add(account, 'app_1', 'ETH', 'eth_call', 100)
}

function totals() {
  return usageTotals(database, 'team_a', 0, NOON * 2)
}

function series(groupBy: 'app' | 'none') {
  const span = { fromMs: 0, toMs: NOON * 2 }
  return usageSeries(database, { teamId: 'team_a', ...span, bucket: 'hour', groupBy })
}

function accountOf(id: string): Promise<TeamAccount> {
  const guard = openSpendGuard(world(), { tiers: new Map(), publicUrl: '', exchange: null })
  return guard.open({ id, name: id, tier: 'free', autoscaling: false, createdAtMs: 0 })
}
