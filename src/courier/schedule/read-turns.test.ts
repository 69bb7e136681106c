import { expect, test } from 'bun:test'
import { courierStage } from '../../../tests/support/courier-stage.ts'
import { newReplay, stepAt } from '../../../tests/support/replay-store.ts'
import type { Lane } from '../../tables/deliveries/delivery-claims.ts'
import { webhooksForCourier } from '../../tables/webhooks/courier-webhooks.ts'
import { createReplay, recordReplayStep } from '../../tables/webhooks/replays.ts'
import type { Turn } from './pick-turns.ts'
import { readTurns } from './read-turns.ts'
import { type Line, openSchedule, placeLine } from './schedule.ts'

test('a delivery that is replayed while its turn is near is taken once', async () => {
  const { clock, database, webhook, block } = await courierStage()
  const id = await webhook('wh_1')
  const [first, second] = [await block(id), await block(id)]
  const schedule = openSchedule()
  const line = placeLine(schedule, await placedFrom(database, id)) as Line
  const needs = { clock, database, schedule, outdated() {} }
  const numbersOf = async (...lanes: Lane[]) => {
    const { parcels } = await readTurns(
      needs,
      lanes.map((lane) => turnOf(line, lane)),
    )
    return parcels.map(({ row }) => row.sequenceNumber)
  }
  expect(await numbersOf('first')).toEqual([first])

  // It was read along with the one before it, and now it waits among what is sent again.
  await createReplay(database, newReplay())
  await recordReplayStep(database, stepAt(1, { due: null }))
  expect(await recordReplayStep(database, stepAt(2, { atMs: clock.nowMs() }))).toBe('recorded')
  expect(await numbersOf('first', 'retry')).toEqual([second])
})

async function placedFrom(database: Parameters<typeof webhooksForCourier>[0], id: string) {
  const webhook = (await webhooksForCourier(database, [id])).get(id)
  if (!webhook) throw new Error('it was not stored')
  return { webhook, keys: ['whsec_'] as const, previousKeyUntilMs: 0 }
}

function turnOf(line: Line, lane: Lane): Turn {
  const { host, reminders, setbacks } = line
  return { line, host, lane, places: 1, doubtful: false, reminders, setbacks }
}
