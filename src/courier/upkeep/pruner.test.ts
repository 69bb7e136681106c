import { expect, test } from 'bun:test'
import { courierStage } from '../../../tests/support/deliveries/courier-stage.ts'
import { sql } from '../../ports/database.ts'
import { recordUsage } from '../../tables/usage/usage.ts'

const MINUTE = 60_000
const DAY = 24 * 3_600_000

test('what was delivered a week ago is forgotten, what was not is kept', async () => {
  const stage = await courierStage({ retryDelaysMs: [] })
  const ids = [await stage.webhook('wh_ok'), await stage.webhook('wh_failing')]
  const paused = await stage.webhook('wh_paused')
  stage.egress.script = ({ url }) => (url.includes('failing') ? { status: 400 } : {})
  await stage.block(paused)
  await stage.change(paused, { standing: { state: 'paused', reason: 'MANUAL' } })
  stage.open()
  for (let at = 0; at < 3; at++) await stage.block(...ids)
  await stage.rest()

  stage.clock.setWall(stage.clock.nowMs() + 7 * DAY - 2 * MINUTE)
  await stage.clock.advance(MINUTE)
  expect(await stage.rows()).toHaveLength(7)
  stage.clock.setWall(stage.clock.nowMs() + 2 * MINUTE)
  await stage.clock.advance(MINUTE)
  const left = (await stage.rows()).map((row) => `${row.webhook_id} ${row.state}`)
  expect(left.toSorted()).toEqual([
    'wh_failing failed',
    'wh_failing failed',
    'wh_failing failed',
    'wh_paused waiting',
  ])
  const [results] = await stage.database.query<{ n: number }>(
    sql`SELECT COUNT(*) AS n FROM results`,
  )
  expect(results?.n).toBe(4)
})

test('figures of calls are forgotten when they are too old', async () => {
  const stage = await courierStage({})
  const minuteMs = stage.clock.nowMs() - (stage.clock.nowMs() % MINUTE)
  const whose = { teamId: 'team_a', appId: 'app_1', network: 'ETH', name: 'eth_call' }
  const counts = { calls: 1, errors: 0, nodeErrors: 0, cached: 0, coalesced: 0, centiCu: 0 }
  const times = Array<number>(20).fill(0)
  const figure = { ...whose, split: 'method' as const, minuteMs, ...counts, times }
  const batch = { writer: 'w', sequence: 1, atMs: minuteMs, rows: [], figures: [figure] }
  await recordUsage(stage.database, batch)
  stage.open()
  const spans = async () => {
    const rows = await stage.database.query<{ span_ms: number }>(
      sql`SELECT DISTINCT span_ms FROM call_stats ORDER BY span_ms`,
    )
    return rows.map(({ span_ms }) => span_ms)
  }
  await stage.clock.advance(MINUTE)
  expect(await spans()).toEqual([MINUTE, 60 * MINUTE, DAY])
  stage.clock.setWall(minuteMs + 8 * 60 * MINUTE)
  await stage.clock.advance(MINUTE)
  expect(await spans()).toEqual([60 * MINUTE, DAY])
  stage.clock.setWall(minuteMs + 33 * DAY)
  await stage.clock.advance(MINUTE)
  expect(await spans()).toEqual([])
})
