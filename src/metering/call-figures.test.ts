import { beforeEach, describe, expect, test } from 'bun:test'
import { type TestClock, testClock } from '../../tests/support/basics/test-clock.ts'
import type { FigureRow } from '../tables/usage/call-stats.ts'
import { type CallFigures, type NodeFigure, openCallFigures } from './call-figures.ts'

const NOON = Date.UTC(2026, 4, 10, 12)
const APP = { id: 'app_1', teamId: 'team_a' }
const OTHER = { id: 'app_2', teamId: 'team_b' }

const OK = {
  method: 'eth_call',
  centiCu: 2600,
  cache: 'miss' as const,
  upstream: 'node-a',
  nodeErrorCode: 0,
  rejection: null,
}

let clock: TestClock
let nodes: NodeFigure[]
let figures: CallFigures

beforeEach(() => {
  clock = testClock(NOON)
  nodes = []
  figures = openCallFigures(clock, () => nodes.splice(0))
})

function rowsOf(split: FigureRow['split'], rows: readonly FigureRow[]) {
  return rows.filter((row) => row.split === split)
}

describe('figures of calls', () => {
  test('say what was answered, refused, cached and wrong, by method, status and upstream', () => {
    figures.add(APP, 'ETH', OK, 4)
    figures.add(APP, 'ETH', { ...OK, cache: 'hit' }, 0.2)
    figures.add(APP, 'ETH', { ...OK, cache: 'coalesced', upstream: 'node-b' }, 4)
    figures.add(APP, 'ETH', { ...OK, nodeErrorCode: 3 }, 4)
    const refused = { ...OK, centiCu: 0, upstream: 'none', rejection: { code: 'paid_only' } }
    figures.add(APP, 'ETH', refused, 0.1)
    const rows = figures.take()
    const [method, ...others] = rowsOf('method', rows)
    expect(others).toEqual([])
    expect(method).toMatchObject({ teamId: 'team_a', appId: 'app_1', network: 'ETH' })
    expect(method).toMatchObject({ name: 'eth_call', minuteMs: NOON, calls: 5, errors: 1 })
    expect(method).toMatchObject({ nodeErrors: 1, cached: 1, coalesced: 1, centiCu: 4 * 2600 })
    // The refusal has no time.
    expect(method?.times.reduce((sum, one) => sum + one, 0)).toBe(4)
    const named = (split: FigureRow['split']) =>
      rowsOf(split, rows).map(({ name, calls }) => [name, calls])
    expect(named('status')).toEqual([
      ['ok', 3],
      ['node_error', 1],
      ['paid_only', 1],
    ])
    expect(named('upstream')).toEqual([
      ['node-a', 3],
      ['node-b', 1],
    ])
  })

  test('keep apps, networks and minutes apart', async () => {
    figures.add(APP, 'ETH', OK, 1)
    figures.add(OTHER, 'ETH', OK, 1)
    figures.add(APP, 'SOL', { ...OK, method: '' }, 1)
    await clock.advance(60_000)
    figures.add(APP, 'ETH', OK, 1)
    clock.setWall(NOON - 1)
    figures.add(APP, 'ETH', OK, 1)
    const rows = rowsOf('method', figures.take())
    expect(rows.map((row) => [row.appId, row.network, row.name, row.minuteMs])).toEqual([
      ['app_1', 'ETH', 'eth_call', NOON],
      ['app_1', 'SOL', 'none', NOON],
      ['app_2', 'ETH', 'eth_call', NOON],
      ['app_1', 'ETH', 'eth_call', NOON + 60_000],
      ['app_1', 'ETH', 'eth_call', NOON - 60_000],
    ])
  })

  test('are taken once, with those of nodes', async () => {
    expect(figures.isDue()).toBe(false)
    figures.add(APP, 'ETH', OK, 1)
    expect(figures.isDue()).toBe(true)
    nodes = [{ network: 'ETH', upstream: 'node-a', calls: 2, errors: 1, times: [] }]
    expect(rowsOf('node', figures.take())).toMatchObject([
      { teamId: '', appId: '', network: 'ETH', name: 'node-a', calls: 2, errors: 1 },
    ])
    expect(figures.take()).toEqual([])
    expect(figures.isDue()).toBe(false)
    // Those of nodes alone are not worth a write each time.
    await clock.advance(5000)
    expect(figures.isDue()).toBe(true)
  })

  test('while nobody takes them, take a bounded room', async () => {
    for (let minute = 0; minute < 30; minute++) {
      for (let at = 0; at < 1000; at++) {
        figures.add({ id: `app_${at}`, teamId: 'team_a' }, 'ETH', OK, 1)
      }
      await clock.advance(60_000)
    }
    expect(figures.take().length).toBeLessThanOrEqual(20_000)
    figures.add(APP, 'ETH', OK, 1)
    expect(figures.take()).toHaveLength(3)
  })
})
