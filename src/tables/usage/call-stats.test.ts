import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { addTime, newTimes } from '../../core/rpc/call-times.ts'
import { type Database, sql } from '../../ports/database.ts'
import {
  type CallsQuestion,
  callGroups,
  callSeries,
  DAY_MS,
  type FigureRow,
  HOUR_MS,
  MINUTE_MS,
  NODE_SPAN_MS,
  nodeSeries,
  pruneFigures,
} from './call-stats.ts'
import { recordUsage } from './usage.ts'

const NOON_MS = Date.parse('2026-11-15T12:00:00Z')

let db: Database
let sequence = 0

beforeEach(async () => {
  db = await freshStore()
})
afterEach(() => db.close())

function figure(more: Partial<FigureRow> = {}): FigureRow {
  const times = newTimes()
  addTime(times, 4)
  return {
    teamId: 'team_a',
    appId: 'app_1',
    network: 'ETH',
    split: 'method',
    name: 'eth_call',
    minuteMs: NOON_MS,
    calls: 1,
    errors: 0,
    nodeErrors: 0,
    cached: 0,
    coalesced: 0,
    centiCu: 0,
    times,
    ...more,
  }
}

function batchOf(figures: readonly FigureRow[], writer = 'w') {
  return { writer, sequence: ++sequence, atMs: NOON_MS, rows: [], figures }
}

const write = (...figures: FigureRow[]) => recordUsage(db, batchOf(figures))

function asked(more: Partial<CallsQuestion> = {}): CallsQuestion {
  const span = { fromMs: 0, toMs: NOON_MS * 2, spanMs: HOUR_MS }
  return { teamId: 'team_a', ...span, appId: null, network: null, ...more }
}

async function groups(by: Parameters<typeof callGroups>[2], more: Partial<CallsQuestion> = {}) {
  const found = await callGroups(db, asked(more), by, 100)
  return Object.fromEntries(found.map(({ group, calls }) => [group, calls]))
}

describe('figures of calls', () => {
  test('add up over writers, and a batch that is sent twice counts once', async () => {
    const batch = batchOf([figure({ calls: 2, cached: 1 })], 'one')
    await recordUsage(db, batch)
    await recordUsage(db, batch)
    await recordUsage(db, batchOf([figure({ calls: 5 })], 'two'))
    const [sum] = await callGroups(db, asked(), 'none', 100)
    expect(sum).toMatchObject({ calls: 7, cached: 1, callsOfAll: 7 })
    expect(sum?.times.reduce((all, one) => all + one, 0)).toBe(2)
  })

  test('of ten writers at once are all there', async () => {
    const rounds = Array.from({ length: 10 }, (_, at) => `writer_${at}`)
    const some = ['eth_call', 'eth_getLogs', 'eth_gasPrice'].map((name) => figure({ name }))
    await Promise.all(
      rounds.flatMap((writer) => [1, 2, 3].map(() => recordUsage(db, batchOf(some, writer)))),
    )
    // A batch that another of the same writer overtook counts as sent before.
    const counted = await groups('method')
    expect(new Set(Object.values(counted)).size).toBe(1)
    expect(counted.eth_call).toBeGreaterThanOrEqual(10)
  })

  test('are grouped, the largest first, and know how many all have', async () => {
    await write(
      figure({ calls: 3 }),
      figure({ calls: 5, name: 'eth_getLogs', appId: 'app_2' }),
      figure({ calls: 1, name: 'eth_call', network: 'SOL' }),
      figure({ calls: 8, split: 'status', name: 'ok' }),
      figure({ calls: 1, split: 'status', name: 'throughput_exceeded' }),
      figure({ calls: 8, split: 'upstream', name: 'node-a' }),
      figure({ calls: 90, teamId: 'team_b' }),
    )
    expect(await groups('method')).toEqual({ eth_getLogs: 5, eth_call: 4 })
    expect(await groups('app')).toEqual({ app_2: 5, app_1: 4 })
    expect(await groups('network')).toEqual({ ETH: 8, SOL: 1 })
    expect(await groups('status')).toEqual({ ok: 8, throughput_exceeded: 1 })
    expect(await groups('upstream')).toEqual({ 'node-a': 8 })
    expect(await groups('none')).toEqual({ '': 9 })
    expect(await groups('method', { appId: 'app_1' })).toEqual({ eth_call: 4 })
    expect(await groups('method', { appId: 'app_1', network: 'SOL' })).toEqual({ eth_call: 1 })
    const [largest, ...rest] = await callGroups(db, asked(), 'method', 1)
    expect(largest).toMatchObject({ group: 'eth_getLogs', calls: 5, callsOfAll: 9 })
    expect(rest).toEqual([])
  })

  test('are kept by the minute, the hour and the day', async () => {
    const at = [NOON_MS, NOON_MS + MINUTE_MS, NOON_MS + HOUR_MS, NOON_MS + DAY_MS]
    await write(...at.map((minuteMs) => figure({ minuteMs })))
    const starts = async (spanMs: number) =>
      (await callSeries(db, asked({ spanMs }))).map(({ startMs, calls }) => [startMs, calls])
    const midnight = NOON_MS - (NOON_MS % DAY_MS)
    expect(await starts(MINUTE_MS)).toEqual(at.map((startMs) => [startMs, 1]))
    expect(await starts(HOUR_MS)).toEqual([
      [NOON_MS, 2],
      [NOON_MS + HOUR_MS, 1],
      [NOON_MS + DAY_MS, 1],
    ])
    expect(await starts(DAY_MS)).toEqual([
      [midnight, 3],
      [midnight + DAY_MS, 1],
    ])
  })

  test('of nodes belong to nobody, and are kept in spans of five minutes', async () => {
    const node = figure({ teamId: '', appId: '', split: 'node', name: 'node-a', calls: 2 })
    await write(node, { ...node, minuteMs: NOON_MS + 4 * MINUTE_MS, errors: 1 })
    await write({ ...node, minuteMs: NOON_MS - MINUTE_MS })
    expect(await nodeSeries(db, NOON_MS)).toMatchObject([
      { network: 'ETH', upstream: 'node-a', startMs: NOON_MS, calls: 4, errors: 1 },
    ])
    expect(await nodeSeries(db, NOON_MS - NODE_SPAN_MS)).toHaveLength(2)
    expect(await groups('upstream')).toEqual({})
    expect(await groups('none')).toEqual({})
  })

  test('that are too old are forgotten in steps, finer ones earlier', async () => {
    const ages = [8 * HOUR_MS, 27 * HOUR_MS, 9 * DAY_MS, 33 * DAY_MS]
    await write(...ages.map((ageMs) => figure({ minuteMs: NOON_MS - ageMs })))
    await write(
      ...ages.map((ageMs) => figure({ split: 'node', teamId: '', minuteMs: NOON_MS - ageMs })),
    )
    let steps = 0
    while ((await pruneFigures(db, NOON_MS, 2)) > 0) expect(++steps).toBeLessThan(20)
    expect(steps).toBeGreaterThan(4)
    const left = await db.query<{ span_ms: number; count: number }>(sql`
      SELECT span_ms, COUNT(*) AS count FROM call_stats
      WHERE split IN ('none', 'node') GROUP BY span_ms ORDER BY span_ms`)
    // The minute and the five minutes: none; hours of 8 days; days of 32 days.
    expect(left.map(({ span_ms, count }) => [span_ms, Number(count)])).toEqual([
      [NODE_SPAN_MS, 1],
      [HOUR_MS, 2],
      [DAY_MS, 3],
    ])
    expect(await pruneFigures(db, NOON_MS, 100)).toBe(0)
  })
})
