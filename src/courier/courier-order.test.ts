import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../tests/support/basics/seeded-chance.ts'
import { courierStage } from '../../tests/support/deliveries/courier-stage.ts'
import { lost, type Sent } from '../../tests/support/nodes/scripted-egress.ts'

const SECOND = 1000
const MINUTE = 60_000

describe('first attempts at a webhook', () => {
  test('start in the order of the chain, whatever waits', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    const numbers: number[] = []
    for (let at = 0; at < 100; at++) numbers.push(await stage.block(id))
    stage.open()
    await stage.clock.advance(SECOND)
    expect(stage.sentNumbers()).toEqual(numbers)
  })

  test('stay in order when reminders are lost, or do not say what of', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    const courier = stage.open()
    const { remind, remindWebhooks } = courier
    const chance = seededChance(7)
    const numbers: number[] = []
    for (let at = 0; at < 300; at++) {
      const kind = chance.pick(['lost', 'plain', 'named', 'named', 'named'] as const)
      courier.remind = (event) => {
        if (kind === 'plain') remindWebhooks([id])
        if (kind === 'named') remind(event)
      }
      stage.egress.script = () => (chance.between(1, 4) === 1 ? null : {})
      numbers.push(await stage.block(id))
      if (chance.between(1, 3) === 1) await stage.clock.advance(100)
      if (stage.egress.open() > 3) for (const sent of stage.egress.sent) sent.answer({})
    }
    for (let at = 0; at < 20; at++) {
      for (const sent of stage.egress.sent) sent.answer({})
      await stage.clock.advance(SECOND)
    }
    expect(stage.sentNumbers()).toEqual(numbers)
  })

  test('go out from memory, without a look at each webhook', async () => {
    const stage = await courierStage()
    const ids: string[] = []
    for (let at = 0; at < 50; at++) ids.push(await stage.webhook(`wh_${at}`))
    stage.open()
    await stage.block(...ids)
    await stage.rest()
    const before = stage.database.asked
    await stage.block(...ids)
    await stage.rest()
    expect(stage.egress.sent).toHaveLength(100)
    // The event, and the outcomes in a group or two.
    expect(stage.database.asked - before).toBeLessThan(12)
  })

  test('stay in order when answers come out of order', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => null
    stage.open()
    const numbers: number[] = []
    for (let at = 0; at < 12; at++) numbers.push(await stage.block(id))
    const open: Sent[] = []
    for (let at = 0; at < 12; at++) {
      open.push(...stage.egress.sent.slice(open.length + at))
      open.pop()?.answer({})
      await stage.rest()
    }
    expect(stage.sentNumbers()).toEqual(numbers)
  })

  test('are not held up by one that failed', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    let first = true
    stage.egress.script = () => {
      if (!first) return {}
      first = false
      return { status: 500 }
    }
    stage.open()
    const numbers = [await stage.block(id), await stage.block(id), await stage.block(id)]
    await stage.clock.advance(16 * SECOND)
    expect(stage.sentNumbers()).toEqual([...numbers, numbers[0] as number])
    expect((await stage.rows()).map(({ state }) => state)).toEqual(Array(3).fill('delivered'))
  })

  test('are no more than eight at a time', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.open()
    for (let at = 0; at < 400; at++) await stage.block(id)
    stage.egress.script = () => null
    for (let at = 0; at < 20; at++) await stage.block(id)
    expect(stage.egress.open()).toBe(8)
  })
})

describe('a webhook that wants strict order', () => {
  test('gets one after the other', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a', { ordered: true })
    stage.egress.script = () => null
    stage.open()
    const numbers = [await stage.block(id), await stage.block(id), await stage.block(id)]
    expect(stage.sentNumbers()).toEqual(numbers.slice(0, 1))
    await stage.clock.advance(10 * SECOND)
    stage.egress.sent[0]?.answer({})
    await stage.rest()
    expect(stage.sentNumbers()).toEqual(numbers.slice(0, 2))
    stage.egress.sent[1]?.answer({})
    await stage.rest()
    expect(stage.sentNumbers()).toEqual(numbers)
  })

  test('waits for retries, and goes on when one is given up', async () => {
    const stage = await courierStage({ retryDelaysMs: [15 * SECOND, MINUTE] })
    const id = await stage.webhook('wh_a', { ordered: true })
    stage.egress.script = () => ({ status: 500 })
    stage.open()
    const [a, b] = [await stage.block(id), await stage.block(id)]
    await stage.clock.advance(14 * SECOND)
    expect(stage.sentNumbers()).toEqual([a])
    await stage.clock.advance(SECOND)
    expect(stage.sentNumbers()).toEqual([a, a])
    stage.egress.script = ({ body }) => (body.includes(`"${a}"`) ? { status: 500 } : {})
    await stage.clock.advance(MINUTE)
    await stage.rest()
    expect(stage.sentNumbers()).toEqual([a, a, a, b])
    expect((await stage.rows()).map(({ state }) => state)).toEqual(['failed', 'delivered'])
  })

  test('starts the next only when the outcome of the last is committed', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a', { ordered: true })
    stage.egress.script = () => null
    stage.open()
    const numbers = [await stage.block(id), await stage.block(id)]
    stage.database.down = true
    stage.egress.sent[0]?.answer({})
    await stage.clock.advance(2 * SECOND)
    expect(stage.sentNumbers()).toEqual(numbers.slice(0, 1))
    stage.database.down = false
    await stage.clock.advance(3 * SECOND)
    expect(stage.sentNumbers()).toEqual(numbers)
  })
})

describe('a host that does not answer', () => {
  test('is given up, and its deliveries keep all their attempts', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => lost('connect')
    stage.open()
    for (let at = 0; at < 50; at++) await stage.block(id)
    await stage.clock.advance(3 * SECOND)
    const tried = stage.egress.sent.length
    expect(tried).toBeLessThan(10)
    await stage.clock.advance(10 * MINUTE)
    // Probed one at a time, less and less often.
    expect(stage.egress.sent.length - tried).toBeLessThan(10)
    const untouched = (await stage.rows()).filter(({ attempts_made }) => attempts_made === 0)
    expect(untouched.length).toBeGreaterThan(30)

    stage.egress.script = () => ({})
    await stage.clock.advance(15 * MINUTE)
    expect((await stage.rows()).every(({ state }) => state === 'delivered')).toBe(true)
  })

  test('does not slow down the others, not even three hundred of them', async () => {
    const stage = await courierStage()
    const dead: string[] = []
    for (let at = 0; at < 300; at++) dead.push(await stage.webhook(`wh_dead${at}`))
    const alive = await stage.webhook('wh_alive')
    stage.egress.script = ({ url }) => (url.includes('dead') ? null : {})
    stage.open()
    const numbers: number[] = []
    for (let at = 0; at < 20; at++) numbers.push(await stage.block(...dead, alive))
    await stage.clock.advance(SECOND)
    const arrived = stage.egress.sent.filter(({ url }) => url.includes('alive'))
    expect(arrived.map(({ json }) => Number(json.event.sequenceNumber))).toEqual(numbers)
    expect(stage.egress.open()).toBeLessThan(600)
  })
})

describe('what is sent again', () => {
  test('leaves most of a host to what is new', async () => {
    const stage = await courierStage({ retryDelaysMs: [10 * SECOND] })
    const old = await stage.webhook('wh_old', { url: 'https://h.example/old' })
    const fresh = await stage.webhook('wh_fresh', { url: 'https://h.example/fresh' })
    stage.egress.script = () => ({ status: 400 })
    const before = stage.open()
    for (let at = 0; at < 60; at++) await stage.block(old)
    await stage.rest()
    await before.stop()
    await stage.clock.advance(10 * SECOND)
    for (let at = 0; at < 60; at++) await stage.block(fresh)

    stage.egress.sent.length = 0
    stage.egress.script = () => null
    stage.open()
    await stage.rest()
    const paths = stage.egress.sent.map(({ url }) => url.split('/').at(-1))
    expect(paths).toHaveLength(4)
    expect(paths.filter((path) => path === 'fresh').length).toBeGreaterThanOrEqual(3)
  })
})
