import { describe, expect, test } from 'bun:test'
import { courierStage } from '../../../tests/support/courier-stage.ts'
import { sql } from '../../ports/database.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** Where one process sends, new deliveries stand on sheets and are in its hands. */
async function stageAlone() {
  const stage = await courierStage({ isAlone: true })
  const id = await stage.webhook('wh_a')
  return {
    ...stage,
    id,
    blocks: async (count: number) => {
      const numbers: number[] = []
      for (let at = 0; at < count; at++) numbers.push(await stage.block(id))
      return numbers
    },
    ownRows: () => stage.database.query(sql`SELECT id, state FROM deliveries`),
  }
}

describe('what is in hand', () => {
  test('and accepted never gets a row, and is billed', async () => {
    const stage = await stageAlone()
    stage.open()
    await stage.blocks(3)
    expect((await stage.rows()).map(({ state }) => state)).toEqual(Array(3).fill('delivered'))
    expect(await stage.ownRows()).toEqual([])
    expect(await stage.billed()).toMatchObject({ calls: 3 })
  })

  test('and refused gets a row with its attempt, and is tried again when it is due', async () => {
    const stage = await stageAlone()
    stage.egress.script = () => ({ status: 503 })
    stage.open()
    const [number = 0] = await stage.blocks(1)
    const waiting = [{ state: 'waiting', attempts_made: 1, sequence_number: number }]
    expect(await stage.rows()).toMatchObject(waiting)
    expect(await stage.ownRows()).toHaveLength(1)
    stage.egress.script = () => ({})
    await stage.clock.advance(MINUTE)
    expect(await stage.rows()).toMatchObject([{ state: 'delivered', attempts_made: 2 }])
    expect(stage.sentNumbers()).toEqual([number, number])
  })

  test('and too much of it gets rows; all arrive in order, once', async () => {
    const stage = await stageAlone()
    stage.egress.script = () => null
    stage.open()
    const numbers = await stage.blocks(250)
    expect((await stage.ownRows()).length).toBeGreaterThan(100)
    stage.egress.script = () => ({})
    for (const one of stage.egress.sent) one.answer({})
    numbers.push(...(await stage.blocks(20)))
    await stage.clock.advance(MINUTE)
    expect(stage.sentNumbers()).toEqual(numbers)
    const states = (await stage.rows()).map(({ state }) => state)
    expect(states).toEqual(numbers.map(() => 'delivered'))
    expect(await stage.billed()).toMatchObject({ calls: numbers.length })
  })

  test('for long gets rows, and is sent once nonetheless', async () => {
    const stage = await stageAlone()
    const paused = { standing: { state: 'paused', reason: 'MANUAL' } } as const
    stage.egress.script = () => null
    stage.open()
    const numbers = await stage.blocks(30)
    await stage.change(stage.id, paused)
    await stage.clock.advance(MINUTE)
    expect(await stage.ownRows()).toHaveLength(30)
    stage.egress.script = () => ({})
    for (const one of stage.egress.sent) one.answer({})
    await stage.change(stage.id, { standing: { state: 'active', reason: null } })
    await stage.clock.advance(MINUTE)
    expect(stage.sentNumbers()).toEqual(numbers)
    expect((await stage.rows()).every(({ state }) => state === 'delivered')).toBe(true)
    expect(await stage.billed()).toMatchObject({ calls: numbers.length })
  })

  test('of a process that died is sent by the next, before what is new', async () => {
    const stage = await stageAlone()
    const numbers = await stage.blocks(40)
    stage.open()
    numbers.push(...(await stage.blocks(10)))
    await stage.clock.advance(SECOND)
    expect(stage.sentNumbers()).toEqual(numbers)
    expect((await stage.rows()).every(({ state }) => state === 'delivered')).toBe(true)
  })

  test('of several webhooks goes back without an attempt when it stops', async () => {
    const stage = await stageAlone()
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

  test('waits for a store that fails, and gets its rows in the end', async () => {
    const stage = await stageAlone()
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
