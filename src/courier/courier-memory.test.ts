import { describe, expect, test } from 'bun:test'
import { courierStage } from '../../tests/support/deliveries/courier-stage.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

async function stageWithWebhook() {
  const stage = await courierStage()
  const id = await stage.webhook('wh_a')
  return {
    ...stage,
    id,
    blocks: async (count: number) => {
      const numbers: number[] = []
      for (let at = 0; at < count; at++) numbers.push(await stage.block(id))
      return numbers
    },
  }
}

describe('a webhook that gets an event after the other', () => {
  test('has each delivered and billed once', async () => {
    const stage = await stageWithWebhook()
    stage.open()
    await stage.blocks(3)
    expect((await stage.rows()).map(({ state }) => state)).toEqual(Array(3).fill('delivered'))
    expect(await stage.billed()).toMatchObject({ calls: 3 })
  })

  test('and refuses one is asked again when it is due', async () => {
    const stage = await stageWithWebhook()
    stage.egress.script = () => ({ status: 503 })
    stage.open()
    const [number = 0] = await stage.blocks(1)
    const waiting = [{ state: 'waiting', attempts_made: 1, sequence_number: number }]
    expect(await stage.rows()).toMatchObject(waiting)
    stage.egress.script = () => ({})
    await stage.clock.advance(MINUTE)
    expect(await stage.rows()).toMatchObject([{ state: 'delivered', attempts_made: 2 }])
    expect(stage.sentNumbers()).toEqual([number, number])
  })

  test('may fall behind by more than is kept in memory; all arrive in order, once', async () => {
    const stage = await stageWithWebhook()
    stage.egress.script = () => null
    stage.open()
    const numbers = await stage.blocks(250)
    stage.egress.script = () => ({})
    for (const one of stage.egress.sent) one.answer({})
    numbers.push(...(await stage.blocks(20)))
    await stage.clock.advance(MINUTE)
    expect(stage.sentNumbers()).toEqual(numbers)
    const states = (await stage.rows()).map(({ state }) => state)
    expect(states).toEqual(numbers.map(() => 'delivered'))
    expect(await stage.billed()).toMatchObject({ calls: numbers.length })
  })

  test('may be paused for long meanwhile, and gets each once', async () => {
    const stage = await stageWithWebhook()
    stage.egress.script = () => null
    stage.open()
    const numbers = await stage.blocks(30)
    await stage.change(stage.id, { standing: { state: 'paused', reason: 'MANUAL' } })
    await stage.clock.advance(MINUTE)
    stage.egress.script = () => ({})
    for (const one of stage.egress.sent) one.answer({})
    await stage.change(stage.id, { standing: { state: 'active', reason: null } })
    await stage.clock.advance(MINUTE)
    expect(stage.sentNumbers()).toEqual(numbers)
    expect((await stage.rows()).every(({ state }) => state === 'delivered')).toBe(true)
    expect(await stage.billed()).toMatchObject({ calls: numbers.length })
  })

  test('gets what came while nobody sent before what is new', async () => {
    const stage = await stageWithWebhook()
    const numbers = await stage.blocks(40)
    stage.open()
    numbers.push(...(await stage.blocks(10)))
    await stage.clock.advance(SECOND)
    expect(stage.sentNumbers()).toEqual(numbers)
    expect((await stage.rows()).every(({ state }) => state === 'delivered')).toBe(true)
  })

  test('loses nothing when the process stops and another begins', async () => {
    const stage = await stageWithWebhook()
    stage.egress.script = () => null
    const courier = stage.open()
    const numbers = await stage.blocks(30)
    const stopping = courier.stop()
    await stage.clock.advance(20 * SECOND)
    await stopping
    stage.egress.script = () => ({})
    stage.open()
    await stage.clock.advance(10 * MINUTE)
    expect(new Set(stage.sentNumbers())).toEqual(new Set(numbers))
    expect((await stage.rows()).every(({ state }) => state === 'delivered')).toBe(true)
  })

  test('strictly in order waits for a store that fails', async () => {
    const stage = await stageWithWebhook()
    const ordered = await stage.webhook('wh_b', { ordered: true })
    stage.open()
    await stage.rest()
    const first = await stage.block(ordered)
    stage.database.down = true
    await stage.clock.advance(SECOND)
    stage.database.down = false
    const second = await stage.block(ordered)
    await stage.clock.advance(20 * SECOND)
    expect(stage.sentNumbers()).toEqual([first, second])
  })
})
