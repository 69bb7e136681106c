import { describe, expect, test } from 'bun:test'
import { type CourierStage, courierStage } from '../../tests/support/deliveries/courier-stage.ts'
import { NETWORK } from '../../tests/support/deliveries/webhook-store.ts'
import { lost } from '../../tests/support/nodes/scripted-egress.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** A host that never answered gets four attempts at once, and one team 455 to all such hosts. */
const HOSTS = 130
const BLOCKS = 5

const GAUGE = 'headgate_oldest_waiting_delivery_seconds'

const ageS = ({ telemetry }: CourierStage) => telemetry.gauges.get(`${GAUGE} ${NETWORK}`)?.() ?? 0

async function crowdedStage() {
  const stage = await courierStage()
  stage.egress.script = () => null
  const courier = stage.open()
  await stage.rest()
  const ids: string[] = []
  for (let at = 0; at < HOSTS; at++) ids.push(await stage.webhook(`wh_${at}`))
  for (let at = 0; at < BLOCKS; at++) {
    await stage.block(...ids)
    await stage.clock.advance(SECOND)
  }
  return { stage, courier }
}

describe('the age of the oldest waiting delivery', () => {
  test('grows while this process has no room for it, and ends with it', async () => {
    const { stage } = await crowdedStage()
    expect(stage.egress.open()).toBeLessThan(HOSTS * 4)
    const before = ageS(stage)
    expect(before).toBeGreaterThan(0)
    await stage.clock.advance(2 * SECOND)
    expect(ageS(stage)).toBe(before + 2)

    for (let round = 0; round < BLOCKS * 2; round++) {
      for (const sent of stage.egress.sent) sent.answer({})
      await stage.clock.advance(SECOND)
    }
    expect(stage.egress.sent).toHaveLength(HOSTS * BLOCKS)
    expect(ageS(stage)).toBe(0)
  })

  test('is not shown by a process that has stopped', async () => {
    const { stage, courier } = await crowdedStage()
    const shown = () => [...stage.telemetry.gauges.keys()].filter((one) => one.startsWith(GAUGE))
    expect(shown()).toHaveLength(1)
    const stopped = courier.stop()
    await stage.clock.advance(MINUTE)
    await stopped
    expect(shown()).toEqual([])
  })

  test.each([
    ['a destination that has as many as it takes', async (_: CourierStage) => null],
    ['a destination that is given up', async () => lost('connect')],
  ] as const)('does not tell of %s', async (_what, reply) => {
    const stage = await courierStage({ retryDelaysMs: [10 * MINUTE] })
    const answer = await reply(stage)
    stage.egress.script = () => answer
    stage.open()
    await stage.rest()
    const id = await stage.webhook('wh_1')
    for (let at = 0; at < 12; at++) await stage.block(id)
    for (let at = 0; at < 30; at++) {
      await stage.clock.advance(500)
      expect(ageS(stage)).toBe(0)
    }
    expect((await stage.rows()).some(({ attempts_made }) => attempts_made === 0)).toBe(true)
  })

  test('does not tell of webhooks that are paused, or wait for a retry to keep their order', async () => {
    const stage = await courierStage({ retryDelaysMs: [10 * MINUTE] })
    stage.egress.script = () => ({ status: 404 })
    stage.open()
    await stage.rest()
    const ordered = await stage.webhook('wh_ordered', { ordered: true })
    const paused = await stage.webhook('wh_paused')
    await stage.block(ordered)
    stage.egress.script = () => null
    for (let at = 0; at < 12; at++) await stage.block(ordered, paused)
    await stage.change(paused, { standing: { state: 'paused', reason: 'MANUAL' } })
    for (const sent of stage.egress.sent) sent.answer({})
    for (let at = 0; at < 30; at++) {
      await stage.clock.advance(SECOND)
      expect(ageS(stage)).toBe(0)
    }
    const waiting = (await stage.rows()).filter(({ state }) => state === 'waiting')
    expect(waiting.length).toBeGreaterThan(12)
  })
})
