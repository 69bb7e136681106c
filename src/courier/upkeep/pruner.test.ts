import { expect, test } from 'bun:test'
import { courierStage } from '../../../tests/support/courier-stage.ts'
import { sql } from '../../ports/database.ts'

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
