import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { managementApi, START_MS } from '../../../../tests/management-api.ts'
import { addTime, newTimes } from '../../../core/rpc/call-times.ts'
import type { FigureRow } from '../../../tables/usage/call-stats.ts'
import { recordUsage } from '../../../tables/usage/usage.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

let api: Awaited<ReturnType<typeof managementApi>>
let batches = 0

beforeEach(async () => {
  api = await managementApi()
})
afterEach(() => api.close())

/** Calls that took so long each, `agoMs` before now. */
async function called(more: Partial<FigureRow> = {}, agoMs = 0, tookMs = 4) {
  const times = newTimes()
  const calls = more.calls ?? 1
  addTime(times, tookMs, calls - (more.errors ?? 0))
  const atMs = START_MS - agoMs
  const figure: FigureRow = {
    teamId: api.teamId,
    appId: 'app_a',
    network: 'ETH_MAINNET',
    split: 'method',
    name: 'eth_call',
    minuteMs: atMs - (atMs % MINUTE_MS),
    calls,
    errors: 0,
    nodeErrors: 0,
    cached: 0,
    coalesced: 0,
    centiCu: 2600 * calls,
    times,
    ...more,
  }
  const batch = { writer: 'test', sequence: ++batches, atMs: START_MS, rows: [] }
  await recordUsage(api.needs.database, { ...batch, figures: [figure] })
}

async function stats(query = '') {
  const { status, body } = await api.call('GET', `/api/call-stats${query}`)
  expect(status).toBe(200)
  return body.data
}

async function series(query = '') {
  const { status, body } = await api.call('GET', `/api/call-stats/time-series${query}`)
  expect(status).toBe(200)
  return body.data
}

describe('the figures of calls', () => {
  test('are none before the first call', async () => {
    expect(await stats()).toEqual([])
    expect(await series()).toEqual([])
  })

  test('say how many went wrong, what came from the cache, and how long they took', async () => {
    await called({ calls: 90, cached: 20, coalesced: 5 }, 0, 4)
    await called({ calls: 10, errors: 2, nodeErrors: 3, centiCu: 1 }, HOUR_MS, 700)
    const [all, ...others] = await stats()
    expect(others).toEqual([])
    expect(all).toMatchObject({ group: null, calls: 100, errors: 2, node_errors: 3 })
    expect(all).toMatchObject({ cached: 20, coalesced: 5, cu: 2340.01, share_percent: 100 })
    expect(all.median_ms).toBeGreaterThan(3)
    expect(all.median_ms).toBeLessThanOrEqual(5)
    expect(all.p99_ms).toBeGreaterThan(500)
    expect(all.p99_ms).toBeLessThanOrEqual(800)
  })

  test('have no times where all calls went wrong', async () => {
    await called({ errors: 1 })
    expect((await stats())[0]).toMatchObject({ calls: 1, errors: 1, median_ms: null, p99_ms: null })
  })

  test('are split by what is asked for, the largest first, with shares of all', async () => {
    await called({ calls: 2 })
    await called({ calls: 1, name: 'eth_getLogs' })
    await called({ calls: 3, name: 'getSlot', network: 'SOLANA_MAINNET', appId: 'app_b' })
    await called({ calls: 6, split: 'status', name: 'ok' })
    await called({ calls: 4, split: 'upstream', name: 'node-a' })
    const shares = async (query: string) =>
      (await stats(query)).map((one: { group: string; calls: number; share_percent: number }) => [
        one.group,
        one.calls,
        one.share_percent,
      ])
    expect(await shares('?group_by=method')).toEqual([
      ['getSlot', 3, 50],
      ['eth_call', 2, 33.33],
      ['eth_getLogs', 1, 16.67],
    ])
    expect(await shares('?group_by=app')).toEqual([
      ['app_a', 3, 50],
      ['app_b', 3, 50],
    ])
    expect(await shares('?group_by=network&app_id=app_a')).toEqual([['ETH_MAINNET', 3, 100]])
    expect(await shares('?group_by=method&network=ETH_MAINNET&app_id=app_b')).toEqual([])
    expect(await shares('?group_by=status')).toEqual([['ok', 6, 100]])
    expect(await shares('?group_by=upstream')).toEqual([['node-a', 4, 100]])
  })

  test('of another team stay unseen, its app’s id named or not', async () => {
    await called({ teamId: 'team_other', appId: 'app_x' })
    await called({ teamId: '', appId: '', split: 'node', name: 'node-a' })
    for (const by of ['none', 'app', 'method', 'network', 'status', 'upstream']) {
      expect(await stats(`?group_by=${by}`)).toEqual([])
      expect(await stats(`?group_by=${by}&app_id=app_x`)).toEqual([])
    }
    expect(await series('?app_id=app_x')).toEqual([])
  })

  test('are at most a hundred groups, and shares count the others too', async () => {
    const names = Array.from({ length: 105 }, (_, at) => `app_${String(at).padStart(3, '0')}`)
    for (const appId of names) await called({ appId })
    const found = await stats('?group_by=app')
    expect(found).toHaveLength(100)
    expect(found[0].share_percent).toBe(0.95)
  })

  test('of the last hours are counted to the minute, older ones to the hour or the day', async () => {
    await called({}, 5 * HOUR_MS)
    await called({}, 5 * HOUR_MS + 2 * MINUTE_MS)
    const since = (agoMs: number, more = '') => stats(`?from=${START_MS - agoMs}${more}`)
    expect((await since(5 * HOUR_MS))[0].calls).toBe(1)
    expect((await since(5 * HOUR_MS + 2 * MINUTE_MS))[0].calls).toBe(2)
    // By method the hour is the least there is.
    expect((await since(5 * HOUR_MS, '&group_by=method'))[0].calls).toBe(2)
    await called({}, 8 * DAY_MS)
    expect((await since(7 * DAY_MS))[0].calls).toBe(2)
    expect((await since(8 * DAY_MS - HOUR_MS))[0].calls).toBe(3)
  })
})

describe('the time series', () => {
  test('shows the last day by the hour, without empty hours', async () => {
    await called({ calls: 2, errors: 1, nodeErrors: 1 })
    await called({}, 3 * HOUR_MS)
    await called({}, 30 * HOUR_MS)
    const thisHour = START_MS - (START_MS % HOUR_MS)
    expect(await series()).toMatchObject([
      { start: thisHour - 3 * HOUR_MS, calls: 1, errors: 0 },
      { start: thisHour, calls: 2, errors: 1, node_errors: 1 },
    ])
  })

  test('goes by the minute and by the day as well', async () => {
    await called()
    await called({}, MINUTE_MS)
    await called({}, 2 * DAY_MS)
    expect(await series('?bucket=minute')).toMatchObject([
      { start: START_MS - MINUTE_MS, calls: 1 },
      { start: START_MS, calls: 1 },
    ])
    const today = START_MS - (START_MS % DAY_MS)
    expect(await series('?bucket=day')).toMatchObject([
      { start: today - 2 * DAY_MS, calls: 1 },
      { start: today, calls: 2 },
    ])
  })
})

describe('a question that cannot be is refused, and the parameter named', () => {
  test.each([
    ['/api/call-stats?group_by=team', 'group_by'],
    ['/api/call-stats?from=yesterday', 'from'],
    ['/api/call-stats?from=2026-13-45', 'from'],
    ['/api/call-stats?to=-5', 'to'],
    ['/api/call-stats?to=2026-02-31T25:00:00Z', 'to'],
    ['/api/call-stats?from=2026-11-15&to=2026-11-14', 'from'],
    ['/api/call-stats?from=2026-09-01', 'from, to: at most 31 days'],
    ['/api/call-stats?app_id=', 'app_id'],
    [`/api/call-stats?network=${'x'.repeat(101)}`, 'network'],
    ['/api/call-stats/time-series?bucket=month', 'bucket'],
    ['/api/call-stats/time-series?bucket=minute&from=2026-11-14', 'from, to: at most 6 hours'],
    ['/api/call-stats/time-series?from=2026-11-01', 'from, to: at most 7 days by the hour'],
    ['/api/call-stats/time-series?bucket=day&from=2026-10-01', 'from, to: at most 31 days'],
  ])('%s', async (path, words) => {
    const { status, body } = await api.call('GET', path)
    expect([status, body.name]).toEqual([400, 'ValidationError'])
    expect(body.message).toStartWith(words)
  })

  test('and so is one without a token', async () => {
    expect((await api.call('GET', '/api/call-stats', { token: 'none' })).status).toBe(401)
    expect((await api.call('GET', '/api/call-stats', { token: api.operatorToken })).status).toBe(
      400,
    )
  })
})
