import { describe, expect, test } from 'bun:test'
import { type CourierStage, courierStage } from '../../tests/support/deliveries/courier-stage.ts'
import { newReplay, stepAt } from '../../tests/support/deliveries/replay-store.ts'
import { TEAM_A } from '../../tests/support/deliveries/webhook-store.ts'
import type { Sent } from '../../tests/support/nodes/scripted-egress.ts'
import { deliveryId } from '../core/delivery/delivery-id.ts'
import { resendDelivery } from '../tables/deliveries/resend-delivery.ts'
import { pauseTeamOverLimit } from '../tables/usage/capacity-pause.ts'
import { createReplay, recordReplayStep } from '../tables/webhooks/replays.ts'

const SECOND = 1000

describe('what changes between reading and sending', () => {
  test('one whose result is read slowly is not overtaken by the next, which is at hand', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    const numbers = [await stage.block(id), await stage.block(id)]
    const readResult = gateResults(stage)
    stage.open()
    await stage.rest()
    for (let at = 0; at < 3; at++) numbers.push(await stage.block(id))
    expect(stage.egress.sent).toHaveLength(0)
    readResult()
    await stage.clock.advance(SECOND)
    expect(stage.sentNumbers()).toEqual(numbers)
  })

  test('one that is replayed when its turn is near is in flight once at a time, and billed once', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_1')
    stage.egress.script = () => null
    stage.open()
    const numbers: number[] = []
    for (let at = 0; at < 6; at++) numbers.push(await stage.block(id))
    expect(stage.egress.open()).toBe(4)

    // The last was read along with those before it, and now it waits among what is sent again.
    await createReplay(stage.database, newReplay({ toBlock: 6 }))
    for (let at = 1; at <= 5; at++) {
      await recordReplayStep(stage.database, stepAt(at, { due: null }))
    }
    const atMs = stage.clock.nowMs()
    expect(await recordReplayStep(stage.database, stepAt(6, { atMs }))).toBe('recorded')
    const answered = new Set<Sent>()
    for (let round = 0; round < 8; round++) {
      const open = stage.egress.sent.filter((sent) => !answered.has(sent))
      expect(new Set(open.map(({ json }) => json.id)).size).toBe(open.length)
      for (const sent of open) sent.answer({})
      for (const sent of open) answered.add(sent)
      await stage.clock.advance(SECOND)
    }
    expect([...new Set(stage.sentNumbers())]).toEqual(numbers)
    expect((await stage.rows()).every(({ state }) => state === 'delivered')).toBe(true)
    expect(await stage.billed()).toMatchObject({ calls: 6 })
  })

  test('one that is replayed while it waits in memory is sent once, as the replay', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_1')
    stage.egress.script = () => null
    stage.open()
    for (let at = 0; at < 5; at++) await stage.block(id)
    const last = await stage.block(id)
    expect(stage.egress.open()).toBe(4)
    await createReplay(stage.database, newReplay({ fromBlock: 6, toBlock: 6 }))
    const atMs = stage.clock.nowMs()
    expect(await recordReplayStep(stage.database, stepAt(6, { atMs }))).toBe('recorded')

    await stage.clock.advance(SECOND)
    stage.egress.script = () => ({})
    for (const sent of stage.egress.sent) sent.answer({})
    await stage.clock.advance(2 * SECOND)
    expect(stage.sentNumbers().filter((number) => number === last)).toHaveLength(1)
    expect((await stage.rows()).every(({ state }) => state === 'delivered')).toBe(true)
  })

  test('nothing goes to where a webhook is known not to lead any more', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a', { url: 'https://old.example/hook' })
    await stage.block(id)
    const readResult = gateResults(stage)
    stage.open()
    await stage.rest()
    await stage.change(id, { url: 'https://new.example/hook' })
    await stage.clock.advance(2 * SECOND)
    readResult()
    await stage.clock.advance(SECOND)
    expect(stage.egress.sent.map(({ url }) => url)).toEqual(['https://new.example/hook'])
    expect(await stage.rows()).toMatchObject([{ state: 'delivered', attempts_made: 1 }])
  })

  test('nothing goes to a webhook that is known to be paused', async () => {
    const stage = await courierStage()
    const [id, other] = [await stage.webhook('wh_a'), await stage.webhook('wh_b')]
    await stage.block(id, other)
    const readResult = gateResults(stage)
    stage.open()
    await stage.rest()
    await stage.change(id, { standing: { state: 'paused', reason: 'MANUAL' } })
    await stage.clock.advance(2 * SECOND)
    readResult()
    await stage.clock.advance(SECOND)
    expect(stage.egress.sent.map(({ json }) => json.webhookId)).toEqual([other])
  })

  test('a webhook that is unpaused while the first look for changes takes long is sent to', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    const number = await stage.block(id)
    await stage.change(id, { standing: { state: 'paused', reason: 'MANUAL' } })
    const look = gateFirstLook(stage)
    stage.open()
    stage.signals.publish('webhooks', '')
    await stage.clock.advance(SECOND)
    await stage.change(id, { standing: { state: 'active', reason: null } })
    look()
    await stage.clock.advance(2 * SECOND)
    expect(stage.sentNumbers()).toEqual([number])
  })

  test('one resent while its acceptance is written again is sent and billed too', async () => {
    const stage = await courierStage()
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

describe('the error of a month that is used up', () => {
  test('comes after what was in flight when the webhook was paused', async () => {
    const stage = await courierStage({ monthlyCu: 0 })
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
    const stage = await courierStage()
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
    const stage = await courierStage()
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

/** The first question for the revision of webhooks is not put before the function is called. */
function gateFirstLook({ database }: CourierStage): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { query } = database
  let isFirst = true
  database.query = async (statement) => {
    if (isFirst && statement.parts.some((part) => part.includes('FROM revisions'))) {
      isFirst = false
      await promise
    }
    return query<never>(statement)
  }
  return resolve
}
