import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { NO_LISTS } from '../../core/app.ts'
import { type Database, sql } from '../../ports/database.ts'
import { insertApp, removeApp } from '../accounts/apps.ts'
import { insertTeam } from '../accounts/teams.ts'
import {
  pruneMarks,
  recordUsage,
  SERIES_POINTS_MAX,
  teamMonthCentiCu,
  type UsageQuestion,
  type UsageRow,
  usageSeries,
  usageTotals,
} from './usage.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOON_MS = Date.UTC(2026, 10, 15, 12)
const ALL = [0, Number.MAX_SAFE_INTEGER] as const

const ROW: UsageRow = {
  teamId: 'team_a',
  appId: 'app_1',
  network: 'ETH_MAINNET',
  method: 'eth_call',
  hourMs: NOON_MS,
  calls: 1,
  centiCu: 2_600,
  bytes: 0,
}

let db: Database
let sequence: number
beforeEach(async () => {
  db = await freshStore()
  sequence = 0
})
afterEach(() => db.close())

function record(...rows: UsageRow[]): Promise<boolean> {
  sequence += 1
  return recordUsage(db, { writer: 'w', sequence, atMs: NOON_MS, rows })
}

describe('recording', () => {
  test('usage adds up, within a batch and over batches', async () => {
    await record(ROW, { ...ROW, calls: 2, centiCu: 5_200, bytes: 7 })
    await record(ROW)
    expect(await usageTotals(db, 'team_a', ...ALL)).toEqual({
      calls: 4,
      centiCu: 10_400,
      bytes: 7,
    })
    expect(await teamMonthCentiCu(db, 'team_a', '2026-11')).toBe(10_400)
  })

  test('a batch sent again is counted once, and its sender is told', async () => {
    const batch = { writer: 'one', sequence: 8, atMs: NOON_MS, rows: [ROW] }
    expect(await recordUsage(db, batch)).toBe(true)
    expect(await recordUsage(db, batch)).toBe(false)
    expect(await recordUsage(db, { ...batch, sequence: 7 })).toBe(false)
    expect(await recordUsage(db, { ...batch, sequence: 9 })).toBe(true)
    expect(await recordUsage(db, { ...batch, writer: 'two' })).toBe(true)
    expect((await usageTotals(db, 'team_a', ...ALL)).calls).toBe(3)
    expect(await teamMonthCentiCu(db, 'team_a', '2026-11')).toBe(3 * 2_600)
  })

  test('the same batch sent many times at once is counted once', async () => {
    const batch = { writer: 'one', sequence: 1, atMs: NOON_MS, rows: [ROW] }
    const written = await Promise.all(Array.from({ length: 10 }, () => recordUsage(db, batch)))
    expect(written.filter((done) => done)).toHaveLength(1)
    expect((await usageTotals(db, 'team_a', ...ALL)).calls).toBe(1)
  })

  test('a batch that fails leaves neither usage nor a mark, and can be sent again', async () => {
    const good = { ...ROW, appId: 'app_0' }
    const bad = { ...ROW, calls: 0.5 }
    await expect(record(good, bad)).rejects.toThrow()
    expect(await usageTotals(db, 'team_a', ...ALL)).toEqual({ calls: 0, centiCu: 0, bytes: 0 })
    expect(await teamMonthCentiCu(db, 'team_a', '2026-11')).toBe(0)
    const again = { writer: 'w', sequence, atMs: NOON_MS, rows: [good] }
    expect(await recordUsage(db, again)).toBe(true)
  })

  test('a moment that is not a whole hour is refused', async () => {
    await expect(record({ ...ROW, hourMs: NOON_MS + 1 })).rejects.toThrow('whole hours')
  })

  test('an empty batch is fine', async () => {
    expect(await record()).toBe(true)
    expect((await usageTotals(db, 'team_a', ...ALL)).calls).toBe(0)
  })

  test('a batch larger than one statement may be is written whole', async () => {
    const rows = Array.from({ length: 5_001 }, (_, index) => ({
      ...ROW,
      teamId: `team_${index % 1_700}`,
      appId: `app_${index}`,
    }))
    await record(...rows)
    await record(...rows.toReversed())
    const [sum] = await db.query<{ calls: number; lines: number }>(sql`
      SELECT CAST(SUM(calls) AS BIGINT) AS calls, COUNT(*) AS lines FROM usage`)
    expect(sum).toEqual({ calls: 10_002, lines: 5_001 })
    expect(await teamMonthCentiCu(db, 'team_5', '2026-11')).toBe(2 * 3 * 2_600)
  })

  test('writers at once lose nothing', async () => {
    const rows = Array.from({ length: 30 }, (_, index) => ({ ...ROW, appId: `app_${index}` }))
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        recordUsage(db, {
          writer: `writer ${index}`,
          sequence: 1,
          atMs: NOON_MS,
          rows: index % 2 === 0 ? rows : rows.toReversed(),
        }),
      ),
    )
    expect((await usageTotals(db, 'team_a', ...ALL)).calls).toBe(600)
    expect(await teamMonthCentiCu(db, 'team_a', '2026-11')).toBe(600 * 2_600)
  })

  test('a month ends at midnight in UTC', async () => {
    const december = Date.UTC(2026, 11, 1)
    await record({ ...ROW, hourMs: december - HOUR_MS, centiCu: 1 })
    await record({ ...ROW, hourMs: december, centiCu: 2 })
    expect(await teamMonthCentiCu(db, 'team_a', '2026-11')).toBe(1)
    expect(await teamMonthCentiCu(db, 'team_a', '2026-12')).toBe(2)
    expect(await teamMonthCentiCu(db, 'team_a', '2027-01')).toBe(0)
    expect(await teamMonthCentiCu(db, 'team_b', '2026-11')).toBe(0)
  })

  test('the ledger outlives the app', async () => {
    await insertTeam(db, { id: 'team_a', name: 'A', tier: 't', autoscaling: false, createdAtMs: 1 })
    const app = { id: 'app_1', teamId: 'team_a', name: 'x', description: '', networks: [] }
    const key = { hash: 'h', sealed: 's' }
    await insertApp(db, { ...app, isActive: true, allow: NO_LISTS, createdAtMs: 1 }, key)
    await record(ROW)
    await removeApp(db, 'team_a', 'app_1')
    expect((await usageTotals(db, 'team_a', ...ALL)).centiCu).toBe(2_600)
  })

  test('the marks of writers silent for more than a day are forgotten, the others are kept', async () => {
    const batch = { sequence: 1, rows: [ROW] }
    await recordUsage(db, { ...batch, writer: 'gone', atMs: NOON_MS - DAY_MS - 1 })
    await recordUsage(db, { ...batch, writer: 'here', atMs: NOON_MS - DAY_MS })
    await pruneMarks(db, NOON_MS)
    expect(await db.query(sql`SELECT writer FROM usage_marks`)).toEqual([{ writer: 'here' }])
  })
})

describe('asking', () => {
  const ask = (question: Partial<UsageQuestion>) =>
    usageSeries(db, {
      teamId: 'team_a',
      fromMs: ALL[0],
      toMs: ALL[1],
      bucket: 'hour',
      groupBy: 'none',
      ...question,
    })

  test('totals count the hours from the first moment up to the last, without it', async () => {
    for (let hour = 0; hour < 4; hour++) await record({ ...ROW, hourMs: NOON_MS + hour * HOUR_MS })
    await record({ ...ROW, teamId: 'team_b' })
    const totals = await usageTotals(db, 'team_a', NOON_MS + HOUR_MS, NOON_MS + 3 * HOUR_MS)
    expect(totals).toEqual({ calls: 2, centiCu: 5_200, bytes: 0 })
    const series = await ask({ fromMs: NOON_MS + HOUR_MS, toMs: NOON_MS + 3 * HOUR_MS })
    expect(series.map((point) => point.startMs)).toEqual([NOON_MS + HOUR_MS, NOON_MS + 2 * HOUR_MS])
  })

  test.each(['hour', 'day', 'month'] as const)(
    'no usage is an empty series by %s',
    async (bucket) => {
      await record({ ...ROW, teamId: 'team_b' })
      expect(await ask({ bucket })).toEqual([])
    },
  )

  test('days begin at midnight in UTC', async () => {
    const midnight = Date.UTC(2026, 10, 15)
    await record({ ...ROW, hourMs: midnight - HOUR_MS })
    await record({ ...ROW, hourMs: midnight })
    await record({ ...ROW, hourMs: midnight + 23 * HOUR_MS, bytes: 3 })
    const point = { group: '', calls: 1, centiCu: 2_600, bytes: 0 }
    expect(await ask({ bucket: 'day' })).toEqual([
      { ...point, startMs: midnight - DAY_MS },
      { ...point, startMs: midnight, calls: 2, centiCu: 5_200, bytes: 3 },
    ])
  })

  test('months are those of the calendar in UTC, over a leap year and the turn of a year', async () => {
    const months = [
      [2027, 10],
      [2027, 11],
      [2028, 0],
      [2028, 1],
      [2028, 2],
    ] as const
    for (const [year, month] of months) {
      const start = Date.UTC(year, month, 1)
      const end = Date.UTC(year, month + 1, 1)
      await record({ ...ROW, hourMs: start }, { ...ROW, hourMs: end - HOUR_MS })
    }
    await record({ ...ROW, hourMs: Date.UTC(2028, 5, 15), calls: 9 })
    const series = await ask({ bucket: 'month' })
    expect(series.map(({ startMs, calls }) => [startMs, calls])).toEqual([
      ...months.map(([year, month]) => [Date.UTC(year, month, 1), 2]),
      [Date.UTC(2028, 5, 1), 9],
    ])
  })

  test('a month asked for in part counts in part', async () => {
    await record(ROW, { ...ROW, hourMs: NOON_MS + DAY_MS })
    const series = await ask({ bucket: 'month', fromMs: NOON_MS + 1 })
    expect(series).toEqual([
      { startMs: Date.UTC(2026, 10, 1), group: '', calls: 1, centiCu: 2_600, bytes: 0 },
    ])
  })

  test.each([
    [
      'method',
      [
        ['eth_call', 3],
        ['eth_getLogs', 4],
      ],
    ],
    [
      'network',
      [
        ['BASE', 2],
        ['ETH_MAINNET', 5],
      ],
    ],
    [
      'app',
      [
        ['app_1', 1],
        ['app_2', 6],
      ],
    ],
    ['none', [['', 7]]],
  ] as const)('grouped by %s', async (groupBy, expected) => {
    await record(
      { ...ROW, calls: 1 },
      { ...ROW, calls: 2, appId: 'app_2', network: 'BASE' },
      { ...ROW, calls: 4, appId: 'app_2', method: 'eth_getLogs' },
    )
    for (const bucket of ['hour', 'day', 'month'] as const) {
      const series = await ask({ bucket, groupBy })
      expect(series.map(({ group, calls }) => [group, calls])).toEqual(expected.map((e) => [...e]))
    }
  })

  test('a series is never longer than its limit, and its months are whole all the same', async () => {
    const hours = Array.from({ length: SERIES_POINTS_MAX + 5 }, (_, index) => ({
      ...ROW,
      hourMs: Date.UTC(2026, 0, 1) + index * HOUR_MS,
    }))
    await record(...hours)
    expect(await ask({})).toHaveLength(SERIES_POINTS_MAX)
    const months = await ask({ bucket: 'month' })
    expect(months.reduce((sum, month) => sum + month.calls, 0)).toBe(hours.length)
  })
})
