import { describe, expect, test } from 'bun:test'
import { type CourierStage, courierStage } from '../../tests/support/courier-stage.ts'
import { TEAM_A } from '../../tests/support/webhook-store.ts'
import { deliveryId } from '../core/delivery/delivery-id.ts'
import { sql } from '../ports/database.ts'
import { resendDelivery } from '../tables/deliveries/delivery-log.ts'
import { pauseTeamOverLimit } from '../tables/usage/capacity-pause.ts'

const SECOND = 1000

describe('what changes between reading and sending', () => {
  test('one that could not be claimed is not overtaken by the next, which is ready', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => null
    stage.open()
    const numbers = [await stage.block(id)]
    // The outcome of the first takes several commits; the second waits for them to be claimed.
    stage.database.losesAnswers = true
    stage.egress.sent[0]?.answer({})
    await stage.clock.advance(10)
    stage.database.losesAnswers = false
    numbers.push(await stage.block(id))
    stage.database.losesAnswers = true
    const readResult = gateResults(stage)
    await stage.clock.advance(0)
    stage.database.losesAnswers = false
    numbers.push(await stage.block(id))
    stage.database.losesAnswers = true
    await stage.clock.advance(150)
    stage.database.losesAnswers = false
    readResult()
    for (let round = 0; round < 20; round++) await answerAll(stage)
    expect(stage.sentNumbers()).toEqual(numbers)
  })

  test('one that somebody else has tried meanwhile is given back and sent at once', async () => {
    const stage = await courierStage({ namesEvents: false })
    const id = await stage.webhook('wh_a')
    stage.open()
    const readResult = gateResults(stage)
    await stage.block(id)
    await stage.database.query(sql`UPDATE deliveries SET attempts_made = 1, lane = 'retry'`)
    readResult()
    await stage.rest()
    expect(await stage.rows()).toMatchObject([{ state: 'delivered', attempts_made: 2 }])
  })

  test('nothing goes to where a webhook is known not to lead any more', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a', { url: 'https://old.example/hook' })
    await stage.block(id)
    const hearOfClaim = gateNextCommit(stage)
    stage.open()
    await stage.rest()
    await stage.change(id, { url: 'https://new.example/hook' })
    await stage.clock.advance(2 * SECOND)
    hearOfClaim()
    await stage.clock.advance(SECOND)
    expect(stage.egress.sent.map(({ url }) => url)).toEqual(['https://new.example/hook'])
    expect(await stage.rows()).toMatchObject([{ state: 'delivered', attempts_made: 1 }])
  })

  test('nothing goes to a webhook that is known to be paused, claimed or not', async () => {
    const stage = await courierStage({ isAlone: true, namesEvents: false })
    const id = await stage.webhook('wh_a')
    stage.open()
    await stage.block(id)
    const readResult = gateResults(stage)
    const other = await stage.webhook('wh_b')
    await stage.block(id, other)
    await stage.change(id, { standing: { state: 'paused', reason: 'MANUAL' } })
    await stage.clock.advance(2 * SECOND)
    readResult()
    await stage.clock.advance(SECOND)
    expect(stage.egress.sent.map(({ json }) => json.webhookId)).toEqual([id, other])
  })

  test('one resent while its acceptance is written again is sent and billed too', async () => {
    const stage = await courierStage({ isAlone: true })
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => null
    stage.open()
    const number = await stage.block(id)
    for (const times of [2, 3]) {
      stage.database.losesAnswers = true
      stage.egress.sent.at(-1)?.answer({})
      await stage.rest()
      stage.database.losesAnswers = false
      const delivery = deliveryId(id, number)
      const nowMs = stage.clock.nowMs()
      // The last one is accepted at once, and heard of.
      if (times === 3) stage.egress.script = () => ({})
      expect(await resendDelivery(stage.database, TEAM_A, delivery, nowMs)).toBe('resent')
      await stage.clock.advance(SECOND)
      expect(stage.sentNumbers()).toEqual(Array.from({ length: times }, () => number))
    }
    expect(await stage.billed()).toMatchObject({ calls: 3 })
  })
})

describe.each([
  ['alone', true],
  ['beside others', false],
])('the error of a month that is used up, sent %s', (_, isAlone) => {
  test('comes after what was on its way when the webhook was paused', async () => {
    const stage = await courierStage({ isAlone, monthlyCu: 0 })
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => null
    stage.open()
    await stage.block(id)
    await stage.clock.advance(2 * SECOND)
    expect(kindsSent(stage)).toEqual(['data'])
    stage.egress.sent[0]?.answer({})
    await stage.rest()
    expect(kindsSent(stage)).toEqual(['data', 'error'])
  })

  test('does so although nobody has said that it is paused', async () => {
    const stage = await courierStage({ isAlone })
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => null
    stage.open()
    await stage.block(id)
    const nowMs = stage.clock.nowMs()
    await pauseTeamOverLimit(stage.database, { teamId: TEAM_A, message: 'used up', nowMs })
    // A look for what waits finds the error before the next look for changes.
    await stage.clock.advance(SECOND / 2)
    await stage.rest()
    expect(kindsSent(stage)).toEqual(['data'])
    stage.egress.sent[0]?.answer({})
    await stage.rest()
    expect(kindsSent(stage)).toEqual(['data', 'error'])
  })

  test('goes out although its webhook is unpaused before it could', async () => {
    const stage = await courierStage({ isAlone })
    const id = await stage.webhook('wh_a')
    stage.open()
    await stage.block(id)
    const nowMs = stage.clock.nowMs()
    await pauseTeamOverLimit(stage.database, { teamId: TEAM_A, message: 'used up', nowMs })
    await stage.change(id, { standing: { state: 'active', reason: null } })
    await stage.clock.advance(SECOND)
    expect(kindsSent(stage)).toEqual(['data', 'error'])
  })
})

function kindsSent({ egress }: CourierStage): string[] {
  return egress.sent.map(({ json }) => (json.event.error === undefined ? 'data' : 'error'))
}

async function answerAll({ egress, clock, rest }: CourierStage): Promise<void> {
  for (const sent of egress.sent) sent.answer({})
  await clock.advance(SECOND)
  await rest()
}

/** From now on results are not told before the returned function is called. */
function gateResults({ database }: CourierStage): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { query } = database
  database.query = async (statement) => {
    const rows = await query<never>(statement)
    if (statement.parts.some((part) => part.includes('FROM results'))) await promise
    return rows
  }
  return resolve
}

/** The next commit is not heard of before the returned function is called. */
function gateNextCommit({ database }: CourierStage): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { transaction } = database
  database.transaction = async (work) => {
    database.transaction = transaction
    const result = await transaction(work)
    await promise
    return result
  }
  return resolve
}
