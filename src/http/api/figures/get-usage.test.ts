import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { managementApi, START_MS } from '../../../../tests/management-api.ts'
import { cuOf } from '../../../core/billing/plan.ts'
import { recordUsage, type UsageRow } from '../../../tables/usage/usage.ts'

let api: Awaited<ReturnType<typeof managementApi>>

beforeEach(async () => {
  api = await managementApi()
})

afterEach(() => api.close())

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The hour that the clock of the tests stands in. */
const THIS_HOUR_MS = START_MS - (START_MS % HOUR_MS)

/** Doubles are less than a hundredth apart below 2^46. */
const CENTI_CU_MAX = 2 ** 46 * 100 - 1

let batches = 0

async function used(...rows: Partial<UsageRow>[]) {
  const row: UsageRow = {
    teamId: api.teamId,
    appId: 'app_a',
    network: 'ETH_MAINNET',
    method: 'eth_call',
    hourMs: THIS_HOUR_MS,
    calls: 1,
    centiCu: 2600,
    bytes: 0,
  }
  await recordUsage(api.needs.database, {
    writer: 'test',
    sequence: ++batches,
    atMs: START_MS,
    rows: rows.map((given) => ({ ...row, ...given })),
  })
}

async function series(query: string) {
  const { status, body } = await api.call('GET', `/api/usage/time-series${query}`)
  expect(status).toBe(200)
  return body.data
}

describe('the summary', () => {
  test('of a team that used nothing is full of zeroes', async () => {
    const nothing = { calls: 0, cu: 0, bytes: 0 }
    expect((await api.call('GET', '/api/usage/summary')).body.data).toEqual({
      month: '2026-11',
      month_cu: 0,
      limit_cu: 30_000_000,
      remaining_cu: 30_000_000,
      percent_used: 0,
      autoscaling: false,
      forecast_cu: 0,
      time_limit_reached: null,
      time_reset: Date.parse('2026-12-01T00:00:00Z'),
      this_month: nothing,
      last_24_hours: nothing,
      last_7_days: nothing,
    })
  })

  test('adds up the month, the last day and the last week to the hundredth', async () => {
    await used(
      { centiCu: 4, bytes: 1 },
      { hourMs: THIS_HOUR_MS - DAY_MS, centiCu: 1_000_001 },
      { hourMs: THIS_HOUR_MS - DAY_MS - HOUR_MS, centiCu: 20 },
      { hourMs: THIS_HOUR_MS - 8 * DAY_MS, centiCu: 300 },
      { hourMs: THIS_HOUR_MS - 20 * DAY_MS, centiCu: 999 },
      { teamId: 'team_other', centiCu: 77_777 },
    )
    expect((await api.call('GET', '/api/usage/summary')).body.data).toMatchObject({
      month_cu: 10_003.25,
      remaining_cu: 29_989_996.75,
      percent_used: 0.03,
      this_month: { calls: 4, cu: 10_003.25, bytes: 1 },
      last_24_hours: { calls: 2, cu: 10_000.05, bytes: 1 },
      last_7_days: { calls: 3, cu: 10_000.25, bytes: 1 },
    })
  })

  test('of a team past its capacity has nothing left, and more than 100 percent', async () => {
    await used({ centiCu: 4_500_000_000 })
    expect((await api.call('GET', '/api/usage/summary')).body.data).toMatchObject({
      month_cu: 45_000_000,
      remaining_cu: 0,
      percent_used: 150,
    })
  })

  test('of an unlimited tier has no limit', async () => {
    const path = `/api/team?team_id=${api.teamId}`
    await api.call('PATCH', path, { token: api.operatorToken, body: { tier: 'enterprise' } })
    await used({ centiCu: 100 })
    expect((await api.call('GET', '/api/usage/summary')).body.data).toMatchObject({
      month_cu: 1,
      limit_cu: null,
      remaining_cu: null,
      percent_used: null,
    })
  })
})

describe('the forecast', () => {
  const summary = async () => (await api.call('GET', '/api/usage/summary')).body.data

  /** So many days after the team was made, which was half an hour into the month’s 15th day. */
  const daysLater = (days: number) => {
    api.time.nowMs = START_MS + days * DAY_MS
  }

  test('goes on as in the last 7 days, and says when the capacity is used up', async () => {
    daysLater(10)
    const spanMs = 7 * DAY_MS + (START_MS % HOUR_MS)
    // Of 30,000,000 a third was used long ago, and the rest lasts three more days at this pace.
    const centiCu = Math.ceil((1_500_000_000 * spanMs) / (3 * DAY_MS + spanMs))
    await used(
      { centiCu: 1_500_000_000, hourMs: THIS_HOUR_MS },
      { centiCu, hourMs: THIS_HOUR_MS + 4 * DAY_MS },
    )
    const { forecast_cu, time_limit_reached, month_cu, time_reset } = await summary()
    expect(Math.abs(time_limit_reached - (api.time.nowMs + 3 * DAY_MS))).toBeLessThan(1000)
    const rest = BigInt(centiCu) * BigInt(time_reset - api.time.nowMs)
    expect(forecast_cu).toBe(cuOf(Math.round(month_cu * 100) + Number(rest / BigInt(spanMs))))
    expect(forecast_cu).toBeGreaterThan(30_000_000)
  })

  test('is null until the third day of the month', async () => {
    api.time.nowMs = Date.parse('2026-12-02T23:59:59Z')
    expect(await summary()).toMatchObject({ forecast_cu: null, time_limit_reached: null })
    api.time.nowMs += 1000
    expect(await summary()).toMatchObject({ forecast_cu: 0, time_limit_reached: null })
  })

  test('names no time when nothing can be used up', async () => {
    const path = `/api/team?team_id=${api.teamId}`
    await api.call('PATCH', path, { token: api.operatorToken, body: { tier: 'enterprise' } })
    await used({ centiCu: 9_000_000_000 })
    const { forecast_cu, time_limit_reached } = await summary()
    expect(forecast_cu).toBeGreaterThan(90_000_000)
    expect(time_limit_reached).toBeNull()
  })
})

describe('the time series', () => {
  test('shows the last 24 hours by the hour unless told otherwise', async () => {
    await used(
      { calls: 2, centiCu: 5201 },
      { method: 'eth_getLogs', centiCu: 6000 },
      { hourMs: THIS_HOUR_MS - DAY_MS },
      { hourMs: THIS_HOUR_MS - DAY_MS - HOUR_MS },
    )
    expect(await series('')).toEqual([
      { start: THIS_HOUR_MS - DAY_MS, group: null, calls: 1, cu: 26, bytes: 0 },
      { start: THIS_HOUR_MS, group: null, calls: 3, cu: 112.01, bytes: 0 },
    ])
  })

  test.each([
    ['method', ['eth_call', 'eth_getLogs']],
    ['network', ['ETH_MAINNET', 'SOLANA_MAINNET']],
    ['app', ['app_a', 'app_b']],
  ])('splits a bucket by %s', async (groupBy, groups) => {
    await used({}, { method: 'eth_getLogs', network: 'SOLANA_MAINNET', appId: 'app_b' })
    const points = await series(`?group_by=${groupBy}`)
    expect(points.map(({ group }: { group: string }) => group).sort()).toEqual(groups)
  })

  test('adds hours up to days and months in UTC', async () => {
    await used({}, { hourMs: Date.parse('2026-11-14T23:00:00Z') })
    await used({ hourMs: Date.parse('2026-10-31T23:00:00Z') })
    const starts = async (query: string) =>
      (await series(query)).map(({ start }: { start: number }) => new Date(start).toISOString())
    expect(await starts('?bucket=day&from=2026-11-01')).toEqual([
      '2026-11-14T00:00:00.000Z',
      '2026-11-15T00:00:00.000Z',
    ])
    expect(await starts('?bucket=month&from=2026-01-01')).toEqual([
      '2026-10-01T00:00:00.000Z',
      '2026-11-01T00:00:00.000Z',
    ])
  })

  test.each([
    ['milliseconds', `from=${THIS_HOUR_MS - HOUR_MS}&to=${THIS_HOUR_MS}`],
    ['a moment in UTC', 'from=2026-11-14T23:00:00Z&to=2026-11-15T00:00:00.000Z'],
    ['a moment elsewhere', 'from=2026-11-15T01:00%2B02:00&to=2026-11-15T02:00%2B02:00'],
    ['the middle of an hour', 'from=2026-11-14T23:59Z&to=2026-11-15'],
  ])('takes from and to as %s', async (_title, range) => {
    await used({}, { hourMs: THIS_HOUR_MS - HOUR_MS, calls: 7 }, { hourMs: THIS_HOUR_MS - DAY_MS })
    expect(await series(`?${range}`)).toMatchObject([{ calls: 7 }])
  })

  test.each([
    ['bucket=week', 'bucket'],
    ['bucket=', 'bucket'],
    ['group_by=team', 'group_by'],
    ['from=yesterday', 'from'],
    ['from=2026-11-15T00:00:00', 'from'],
    ['from=2026-13-45', 'from'],
    ['to=9999999999999999', 'to'],
    ['from=-5', 'from'],
    ['from=1e3', 'from'],
    ['from=2026-11-15&to=2026-11-14', 'from'],
    ['from=5&to=5', 'from'],
    ['from=2026-10-01', '31 days'],
    ['bucket=day&from=2025-01-01', '366 days'],
    ['bucket=month&from=0', '3660 days'],
  ])('refuses %s', async (query, named) => {
    const answer = await api.call('GET', `/api/usage/time-series?${query}`)
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError'])
    expect(answer.body.message).toContain(named)
  })

  test('refuses an answer that would have to be cut', async () => {
    const rows = Array.from({ length: 10_000 }, (_, at) => ({ method: `method_${at}` }))
    await used(...rows)
    const answer = await api.call('GET', '/api/usage/time-series?group_by=method')
    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain('points')
    expect(await series('?group_by=none')).toMatchObject([{ calls: 10_000 }])
  })
})

test('hundredths of a compute unit are printed exactly, up to 70 trillion units', () => {
  const amounts = [0, 1, 4, 10, 99, 100, 101, 2_999_999_999_99, CENTI_CU_MAX]
  for (let step = 0; step < 2000; step++) amounts.push(Math.floor(1.0177 ** step) + step)
  for (const centiCu of amounts.filter((amount) => amount <= CENTI_CU_MAX)) {
    const digits = String(centiCu).padStart(3, '0')
    const exact = `${digits.slice(0, -2)}.${digits.slice(-2)}`.replace(/\.?0+$/, '')
    expect(JSON.stringify(cuOf(centiCu))).toBe(exact)
  }
})
