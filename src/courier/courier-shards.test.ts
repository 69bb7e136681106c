import { describe, expect, test } from 'bun:test'
import { numbersTo, owners, webhooks } from '../../tests/support/deliveries/courier-shards.ts'
import { type CourierStage, courierStage } from '../../tests/support/deliveries/courier-stage.ts'
import { sql } from '../ports/database.ts'
import { joinCouriers } from '../tables/deliveries/shards.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

describe('one process alone', () => {
  test('sends to all webhooks at once, and so does the next one under its name', async () => {
    const stage = await courierStage()
    const ids = await webhooks(stage, 20)
    stage.open().sleep()
    await stage.rest()
    stage.open()
    await stage.block(...ids)
    await stage.rest()
    expect(stage.egress.sent).toHaveLength(20)
    expect(await owners(stage)).toEqual({ courier: 256 })
  })
})

describe('two processes', () => {
  test('share the webhooks evenly, and never send the same delivery', async () => {
    const stage = await courierStage()
    const ids = await webhooks(stage, 10)
    stage.open('a')
    stage.open('b')
    for (let at = 0; at < 20; at++) await stage.block(...ids)
    await stage.clock.advance(5 * SECOND)
    expect(await owners(stage)).toEqual({ a: 128, b: 128 })
    for (let at = 0; at < 20; at++) await stage.block(...ids)
    await stage.clock.advance(5 * SECOND)
    const sent = stage.egress.sent.map(({ json }) => json.id)
    expect(sent).toHaveLength(400)
    expect(new Set(sent).size).toBe(400)
    expect(await stage.billed()).toMatchObject({ calls: 400 })
  })

  test('keep the order of every webhook while one joins and leaves', async () => {
    const stage = await courierStage()
    const ids = await webhooks(stage, 8)
    stage.egress.script = () => null
    stage.open('a')
    const numbers: number[] = []
    const blocks = async (count: number) => {
      for (let at = 0; at < count; at++) {
        numbers.push(await stage.block(...ids))
        for (const sent of stage.egress.sent.slice(0, -5)) sent.answer({})
        await stage.clock.advance(200)
      }
    }
    await blocks(10)
    const other = stage.open('b')
    await blocks(40)
    expect(await owners(stage)).toEqual({ a: 128, b: 128 })
    const stopped = other.stop()
    await blocks(20)
    await stopped
    for (let at = 0; at < 20; at++) {
      for (const sent of stage.egress.sent) sent.answer({})
      await stage.clock.advance(SECOND)
    }
    expect(await owners(stage)).toEqual({ a: 256 })
    for (const id of ids) expect(numbersTo(stage, id)).toEqual(numbers)
  })

  test('share evenly although the store did not say which shards they were given', async () => {
    const stage = await courierStage()
    stage.database.losesAnswers = true
    stage.open('a')
    await stage.rest()
    stage.open('b')
    stage.open('c')
    await stage.rest()
    stage.database.losesAnswers = false
    await stage.clock.advance(10 * SECOND)
    expect(Object.values(await owners(stage)).toSorted()).toEqual([84, 86, 86])
  })

  test('hand over a webhook only when what is in flight of it is over', async () => {
    const stage = await courierStage()
    const [id = ''] = await webhooks(stage, 1)
    await stage.database.query(sql`UPDATE webhooks SET number = 255`)
    stage.egress.script = () => null
    stage.open('a')
    const first = await stage.block(id)
    stage.open('b')
    const second = await stage.block(id)
    await stage.clock.advance(4 * SECOND)
    expect(numbersTo(stage, id)).toEqual([first, second])
    expect(await ownerOf(stage, 255)).toBe('a')
    const third = await stage.block(id)
    await stage.clock.advance(4 * SECOND)
    expect(numbersTo(stage, id)).toEqual([first, second])
    for (const sent of stage.egress.sent) sent.answer({})
    await stage.clock.advance(4 * SECOND)
    expect(numbersTo(stage, id)).toEqual([first, second, third])
    expect(await ownerOf(stage, 255)).toBe('b')
  })
})

describe('a process that died', () => {
  test('is replaced when its lease has lapsed, and what it had in flight is sent again', async () => {
    const stage = await courierStage()
    const [id = ''] = await webhooks(stage, 1)
    stage.egress.script = () => null
    const first = stage.open('a')
    await stage.block(id)
    first.sleep()
    stage.egress.script = () => ({})
    stage.open('b')
    await stage.clock.advance(9 * SECOND)
    expect(stage.egress.sent).toHaveLength(1)
    await stage.clock.advance(7 * SECOND)
    const [sent, again] = stage.egress.sent.map(({ json }) => json.id)
    expect(again).toBe(sent)
    expect(await stage.rows()).toMatchObject([{ state: 'delivered' }])
    expect(await owners(stage)).toEqual({ b: 256 })
  })

  test('loses no retry that became due meanwhile', async () => {
    const stage = await courierStage({ retryDelaysMs: [5 * SECOND] })
    const [id = ''] = await webhooks(stage, 1)
    stage.egress.script = () => ({ status: 500 })
    const first = stage.open('a')
    await stage.block(id)
    await stage.rest()
    first.sleep()
    stage.egress.script = () => ({})
    stage.open('b')
    await stage.clock.advance(20 * SECOND)
    expect(await stage.rows()).toMatchObject([{ state: 'delivered', attempts_made: 2 }])
  })
})

describe('a process that slept past its lease', () => {
  test('writes nothing when it wakes, sends nothing, and then takes its part again', async () => {
    const stage = await courierStage()
    const ids = await webhooks(stage, 4)
    stage.egress.script = () => null
    const first = stage.open('a')
    await stage.block(...ids)
    first.sleep()
    stage.open('b')
    await stage.clock.advance(MINUTE)
    expect(stage.egress.sent).toHaveLength(8)
    for (const sent of stage.egress.sent.slice(0, 4)) sent.answer({ status: 500 })
    first.wake()
    await stage.rest()
    expect(stage.egress.sent).toHaveLength(8)
    expect((await stage.rows()).map(({ attempts_made }) => attempts_made)).toEqual([0, 0, 0, 0])
    expect(stage.telemetry.counts.get('headgate_courier_fenced_total')).toBe(1)

    for (const sent of stage.egress.sent) sent.answer({})
    await stage.clock.advance(10 * SECOND)
    expect(await owners(stage)).toEqual({ a: 128, b: 128 })
    await stage.block(...ids)
    for (const sent of stage.egress.sent) sent.answer({})
    await stage.clock.advance(SECOND)
    expect(stage.egress.sent).toHaveLength(12)
    expect((await stage.rows()).every(({ state }) => state === 'delivered')).toBe(true)
    expect(await stage.billed()).toMatchObject({ calls: 8 })
  })

  test('alone goes on where it was', async () => {
    const stage = await courierStage()
    const [id = ''] = await webhooks(stage, 1)
    stage.egress.script = () => null
    const courier = stage.open()
    const numbers = [await stage.block(id)]
    courier.sleep()
    await stage.clock.advance(MINUTE)
    numbers.push(await stage.block(id))
    stage.egress.sent[0]?.answer({})
    courier.wake()
    await stage.clock.advance(5 * SECOND)
    expect(stage.sentNumbers()).toEqual(numbers)
    expect(await stage.rows()).toMatchObject([{ state: 'delivered' }, { state: 'waiting' }])
    expect(stage.telemetry.counts.get('headgate_courier_fenced_total')).toBeUndefined()
  })

  test('whose machine slept from that lease on sends what came meanwhile', async () => {
    const stage = await courierStage()
    const [id = ''] = await webhooks(stage, 1)
    stage.open()
    await stage.clock.advance(0)
    // The clock that counts durations stands still in such a sleep.
    stage.clock.setWall(stage.clock.nowMs() + MINUTE)
    const number = await stage.block(id)
    await stage.clock.advance(SECOND)
    expect(stage.sentNumbers()).toEqual([number])
  })
})

describe('a process that was fenced and owns its shards again', () => {
  const fence = async ({ database, clock }: CourierStage) => {
    await joinCouriers(database, 'courier', clock.nowMs(), clock.nowMs() + 1)
    await clock.advance(10 * SECOND)
  }

  test('lets what it had in flight end before it sends the same again', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => null
    stage.open()
    const numbers = [await stage.block(id), await stage.block(id)]
    await fence(stage)
    expect(stage.sentNumbers()).toEqual(numbers)
    stage.egress.sent[0]?.answer({})
    await stage.clock.advance(SECOND)
    expect(stage.sentNumbers()).toEqual(numbers)
    stage.egress.sent[1]?.answer({ fault: 'timeout' })
    await stage.rest()
    expect(stage.sentNumbers()).toEqual([...numbers, ...numbers])
  })

  test('lets what it had in flight end before the next in strict order', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a', { ordered: true })
    stage.egress.script = () => null
    stage.open()
    const number = await stage.block(id)
    await fence(stage)
    expect(stage.telemetry.counts.get('headgate_courier_fenced_total')).toBe(1)
    expect(stage.sentNumbers()).toEqual([number])
    stage.egress.sent[0]?.answer({})
    await stage.rest()
    // Its outcome does not count: it was sent under another lease.
    expect(stage.sentNumbers()).toEqual([number, number])
    expect(await stage.rows()).toMatchObject([{ state: 'waiting', attempts_made: 0 }])
  })

  test('lets it end before the error of a pause', async () => {
    const stage = await courierStage({ undeliveredBytesMax: 1 })
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => null
    stage.open()
    await stage.block(id)
    await fence(stage)
    expect(stage.egress.sent).toHaveLength(1)
    stage.egress.sent[0]?.answer({})
    await stage.rest()
    const [, error] = stage.egress.sent
    expect(error?.json.event.error).toBeDefined()
  })
})

describe('a process that stops', () => {
  test('hands everything over at once', async () => {
    const stage = await courierStage()
    const ids = await webhooks(stage, 10)
    const first = stage.open('a')
    stage.open('b')
    await stage.clock.advance(5 * SECOND)
    await first.stop()
    await stage.rest()
    expect(await owners(stage)).toEqual({ b: 256 })
    await stage.block(...ids)
    await stage.rest()
    expect(stage.egress.sent).toHaveLength(10)
  })
})

async function ownerOf({ database }: CourierStage, shard: number): Promise<string | undefined> {
  const [row] = await database.query<{ courier: string }>(sql`
    SELECT courier FROM shards WHERE shard = ${shard}`)
  return row?.courier
}
