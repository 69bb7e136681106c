import { describe, expect, test } from 'bun:test'
import { courierStage } from '../../tests/support/deliveries/courier-stage.ts'
import { sql } from '../ports/database.ts'
import { OUTCOME_COLUMNS, type OutcomeBatch } from '../tables/deliveries/settle-batch.ts'

const SECOND = 1000
const MINUTE = 60_000

describe('a store that fails', () => {
  test('when an outcome is to be written, gets it later, and nothing is sent or billed twice', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => null
    stage.open()
    await stage.block(id)
    stage.database.down = true
    stage.egress.sent[0]?.answer({})
    // Longer than the lease of our shards lasts.
    await stage.clock.advance(MINUTE)
    stage.database.down = false
    await stage.clock.advance(5 * SECOND)
    expect(await stage.rows()).toMatchObject([{ state: 'delivered', attempts_made: 1 }])
    expect(stage.egress.sent).toHaveLength(1)
    expect(await stage.billed()).toMatchObject({ calls: 1 })
  })

  test('to say that it has committed, is not believed to have failed', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => null
    stage.open()
    await stage.block(id)
    stage.database.losesAnswers = true
    stage.egress.sent[0]?.answer({})
    await stage.clock.advance(SECOND)
    stage.database.losesAnswers = false
    await stage.clock.advance(5 * SECOND)
    expect(await stage.rows()).toMatchObject([{ state: 'delivered', attempts_made: 1 }])
    expect(stage.egress.sent).toHaveLength(1)
    expect(await stage.billed()).toMatchObject({ calls: 1 })
  })

  test('when a result is read, costs no attempt', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.open()
    await stage.rest()
    stage.database.down = true
    await stage.block(id).catch(() => {})
    stage.database.down = false
    const sequence = await stage.block(id)
    stage.database.down = true
    await stage.clock.advance(10 * SECOND)
    stage.database.down = false
    await stage.clock.advance(5 * SECOND)
    expect(stage.sentNumbers()).toEqual([sequence])
    expect(await stage.rows()).toMatchObject([{ state: 'delivered', attempts_made: 1 }])
  })

  test('keeps the order of what waits', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.open()
    const numbers: number[] = []
    for (let at = 0; at < 40; at++) {
      numbers.push(await stage.block(id))
      stage.database.losesAnswers = at % 3 === 0
      stage.database.down = at % 5 === 1
      await stage.clock.advance(100)
      stage.database.losesAnswers = false
      stage.database.down = false
    }
    await stage.clock.advance(MINUTE)
    expect(stage.sentNumbers()).toEqual(numbers)
  })

  test('that never takes one outcome takes all the others', async () => {
    const stage = await courierStage()
    const ids = [await stage.webhook('wh_a'), await stage.webhook('wh_b')]
    await stage.block(...ids)
    const { perform } = stage.database
    stage.database.perform = (procedure, args) => {
      const isPoison = procedure.name === 'settleBatch' && webhooksIn(args).includes(1)
      return isPoison ? Promise.reject(new Error('poison')) : perform(procedure, args)
    }
    stage.open()
    const states = new Map((await stage.rows()).map((row) => [row.webhook_id, row.state]))
    expect(states).toEqual(
      new Map([
        ['wh_a', 'waiting'],
        ['wh_b', 'delivered'],
      ]),
    )
  })
})

test('an outcome that the store refuses for a while is attempted again, though others went on', async () => {
  const stage = await courierStage()
  const id = await stage.webhook('wh_a')
  stage.open()
  const first = await stage.block(id)
  await stage.clock.advance(SECOND)
  const { perform } = stage.database
  stage.database.perform = (procedure, args) => {
    const isRefused = procedure.name === 'settleBatch'
    return isRefused ? Promise.reject(new Error('refused')) : perform(procedure, args)
  }
  const second = await stage.block(id)
  await stage.clock.advance(SECOND)
  stage.database.perform = perform
  const third = await stage.block(id)
  await stage.clock.advance(MINUTE)
  expect((await stage.rows()).map(({ state }) => state)).toEqual(Array(3).fill('delivered'))
  expect(stage.sentNumbers()).toEqual([first, second, third, second])
  expect(await stage.billed()).toMatchObject({ calls: 3 })
})

describe('reminders', () => {
  test('may all be lost: what is due is found within a second', async () => {
    const stage = await courierStage()
    const ids = [await stage.webhook('wh_a'), await stage.webhook('wh_b')]
    const courier = stage.open()
    courier.remind = () => {}
    await stage.rest()
    for (let at = 0; at < 5; at++) await stage.block(...ids)
    await stage.clock.advance(SECOND)
    expect(stage.egress.sent).toHaveLength(10)
  })

  test('may come twice or for nothing', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    const courier = stage.open()
    await stage.block(id)
    for (let at = 0; at < 10; at++) courier.remindWebhooks([id, id, 'wh_unknown'])
    await stage.clock.advance(SECOND)
    expect(stage.egress.sent).toHaveLength(1)
  })
})

describe('a result that is lost', () => {
  test('fails its delivery, for somebody to look at, and nothing is sent', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    await stage.block(id)
    await stage.database.query(sql`DELETE FROM results`)
    stage.open()
    expect(await stage.rows()).toMatchObject([{ state: 'failed', attempts_made: 1 }])
    expect(stage.egress.sent).toHaveLength(0)
  })
})

describe('stopping', () => {
  test('waits for what is on its way and commits it', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => null
    const courier = stage.open()
    await stage.block(id)
    let isStopped = false
    const stopped = courier.stop().then(() => {
      isStopped = true
    })
    await stage.clock.advance(3 * SECOND)
    expect(isStopped).toBe(false)
    await stage.block(id)
    stage.egress.sent[0]?.answer({})
    await stage.rest()
    await stopped
    expect((await stage.rows()).map(({ state }) => state)).toEqual(['delivered', 'waiting'])
    expect(stage.egress.sent).toHaveLength(1)
    expect(stage.clock.timers()).toBe(0)
  })

  test('leaves what was read and not sent as it was, without an attempt', async () => {
    const stage = await courierStage()
    const ids: string[] = []
    for (let at = 0; at < 100; at++) ids.push(await stage.webhook(`wh_${at}`))
    await stage.block(...ids)
    const { promise, resolve } = Promise.withResolvers<void>()
    const { query } = stage.database
    stage.database.query = async (statement) => {
      const rows = await query<never>(statement)
      if (statement.parts.some((part) => part.includes('FROM results'))) await promise
      return rows
    }
    const courier = stage.open()
    await stage.rest()
    const stopped = courier.stop()
    resolve()
    await stage.rest()
    await stopped
    const rows = await stage.rows()
    expect(rows).toHaveLength(100)
    for (const { state, attempts_made } of rows)
      expect([state, attempts_made]).toEqual(['waiting', 0])
    expect(stage.egress.sent).toHaveLength(0)
    expect(stage.clock.timers()).toBe(0)
  })

  test('does not wait for ever, neither for a destination nor for the store', async () => {
    const stage = await courierStage()
    const ids = [await stage.webhook('wh_a'), await stage.webhook('wh_b')]
    stage.egress.script = () => null
    const courier = stage.open()
    await stage.block(...ids)
    stage.database.down = true
    stage.egress.sent[0]?.answer({})
    const stopped = courier.stop()
    await stage.clock.advance(8 * SECOND)
    await stopped
    await stage.clock.advance(MINUTE)
    expect(stage.clock.timers()).toBe(0)
  })
})

/** The numbers of the webhooks that outcomes on their way to the store are for. */
function webhooksIn(args: unknown): number[] {
  const [{ numbers }] = args as [OutcomeBatch]
  const webhooks: number[] = []
  for (let at = 1; at < numbers.length; at += OUTCOME_COLUMNS) webhooks.push(numbers[at] ?? 0)
  return webhooks
}
