import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import {
  eventTo,
  LEASE_MS,
  NOW_MS,
  outcomeOf,
  settle,
  settleOutcomes,
} from '../../../tests/support/delivery-store.ts'
import {
  addWebhooks,
  HOSTILE_TEXTS,
  insertTeams,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from '../../../tests/support/webhook-store.ts'
import { type Database, sql } from '../../ports/database.ts'
import { joinCouriers } from '../couriers/shards.ts'
import { resendDelivery } from '../deliveries/resend-delivery.ts'
import { settleDeliveries } from '../deliveries/settle-deliveries.ts'
import { pauseTeamOverLimit } from '../usage/capacity-pause.ts'
import { changeWebhook } from '../webhooks/webhooks.ts'
import { changesAfter, forgetChanges, lastChange, readChanges } from './delivery-changes.ts'
import { forgetListeners, listenTo, remindCouriers, stopListening } from './listeners.ts'

const UNTIL_MS = NOW_MS + 60_000

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  const ours = ['wh_1', 'wh_2'].map((id) => webhookCalled(id))
  await addWebhooks(db, ...ours, webhookCalled('wh_b', { teamId: TEAM_B }))
})
afterEach(() => db.close())

/** All that was noted since the last time, as texts. */
let seen = 0
beforeEach(() => {
  seen = 0
})
const noted = async (): Promise<string[]> => {
  const fresh = await changesAfter(db, seen, 1_000)
  const changes = await readChanges(
    db,
    fresh.map(({ change }) => change),
  )
  seen = Math.max(seen, await lastChange(db))
  return changes.map(({ teamId, keys }) => {
    return `${teamId} ${keys?.map(({ event, webhook }) => `${event}-${webhook}`) ?? 'too many'}`
  })
}

const keyOf = ({ event, webhook }: { event: number; webhook: number }) => `${event}-${webhook}`

describe('what becomes of deliveries is noted', () => {
  test('of the teams that are listened to, and of no others', async () => {
    const { deliveries } = await eventTo(db, [['wh_1', 'wh_2', 'wh_b']])
    const [one, two] = deliveries
    await settle(db, [one?.id ?? ''], { kind: 'retry', dueAtMs: NOW_MS })
    expect(await noted()).toEqual([])

    await listenTo(db, 'api', [TEAM_A], UNTIL_MS)
    await settle(
      db,
      deliveries.map(({ id }) => id),
      { kind: 'delivered' },
    )
    expect(await noted()).toEqual([`${TEAM_A} ${[one!, two!].map(keyOf)}`])
    await stopListening(db, 'api')
    await resendDelivery(db, TEAM_A, one?.id ?? '', NOW_MS)
    expect(await noted()).toEqual([])
  })

  test('by a courier that began before anybody listened, or after', async () => {
    const untilMs = NOW_MS + LEASE_MS
    const before = { courier: 'a', token: await joinCouriers(db, 'a', NOW_MS, untilMs), untilMs }
    await listenTo(db, 'api', [TEAM_A], UNTIL_MS)
    const after = { courier: 'b', token: await joinCouriers(db, 'b', NOW_MS, untilMs), untilMs }
    const { deliveries } = await eventTo(db, [['wh_1', 'wh_2']])
    for (const [at, fence] of [before, after].entries()) {
      await settleDeliveries(db, fence, [outcomeOf(deliveries[at]!)])
      expect(await noted()).toEqual([`${TEAM_A} ${keyOf(deliveries[at]!)}`])
    }
  })

  test('until nobody renews, and again when somebody reminds the couriers', async () => {
    const untilMs = NOW_MS + 3_600_000
    const token = await joinCouriers(db, 'a', NOW_MS, untilMs)
    const { deliveries } = await eventTo(db, [['wh_1', 'wh_2']])
    const settleAt = (at: number) =>
      settleDeliveries(db, { courier: 'a', token, untilMs }, [outcomeOf(deliveries[at]!)])
    await listenTo(db, 'api', [TEAM_A], UNTIL_MS)
    await settleAt(0)
    expect(await noted()).toEqual([])
    await remindCouriers(db, untilMs, untilMs)
    await settleAt(1)
    expect(await noted()).toHaveLength(1)
    await forgetListeners(db, UNTIL_MS + 1)
    expect(await db.query(sql`SELECT * FROM listeners`)).toEqual([])
  })

  test('when it is sent again, by hand or as an error that is renewed', async () => {
    await listenTo(db, 'api', [TEAM_A], UNTIL_MS)
    const [one] = (await eventTo(db, [['wh_1']])).deliveries
    await settle(db, [one?.id ?? ''], { kind: 'failed' })
    await noted()
    await resendDelivery(db, TEAM_A, one?.id ?? '', NOW_MS)
    expect(await noted()).toEqual([`${TEAM_A} ${keyOf(one!)}`])

    const pause = { teamId: TEAM_A, message: 'used up', nowMs: NOW_MS }
    await pauseTeamOverLimit(db, pause)
    await changeWebhook(db, TEAM_A, 'wh_1', { standing: { state: 'active', reason: null } })
    expect(await noted()).toEqual([])
    await pauseTeamOverLimit(db, pause)
    expect(await noted()).toHaveLength(1)
  })

  test('not of attempts that did not count', async () => {
    await listenTo(db, 'api', [TEAM_A], UNTIL_MS)
    const [one] = (await eventTo(db, [['wh_1']])).deliveries
    const held = await settleOutcomes(db, [outcomeOf(one!, { version: 7 })])
    expect(held.size).toBe(0)
    expect(await noted()).toEqual([])
  })

  test('up to two hundred at once; beyond that only that there were too many', async () => {
    await listenTo(db, 'api', [TEAM_A, TEAM_B], UNTIL_MS)
    for (const count of [200, 201]) {
      const ids: string[] = []
      for (let at = 0; at < count; at++) {
        const { deliveries } = await eventTo(db, [at === 0 ? ['wh_1', 'wh_b'] : ['wh_1']])
        ids.push(...deliveries.map(({ id }) => id))
      }
      await settle(db, ids, { kind: 'delivered' })
      const [ours, theirs] = (await noted()).toSorted()
      expect(ours === `${TEAM_A} too many`).toBe(count > 200)
      expect(theirs).toMatch(/^team_b \d+-3$/)
    }
  })

  test('and forgotten after a while', async () => {
    await listenTo(db, 'api', [TEAM_A], UNTIL_MS)
    const [one] = (await eventTo(db, [['wh_1']])).deliveries
    await settle(db, [one?.id ?? ''], { kind: 'failed' })
    await forgetChanges(db, NOW_MS)
    expect(await changesAfter(db, 0, 10)).toHaveLength(1)
    await forgetChanges(db, NOW_MS + 3_600_000)
    expect(await changesAfter(db, 0, 10)).toEqual([])
  })
})

describe('listeners', () => {
  test('of several processes and teams do not end each other', async () => {
    await listenTo(db, 'api-1', [TEAM_A, TEAM_B], UNTIL_MS)
    await listenTo(db, 'api-2', [TEAM_A], UNTIL_MS)
    await stopListening(db, 'api-1', TEAM_A)
    const left = await db.query(sql`SELECT team_id, holder FROM listeners ORDER BY team_id`)
    expect(left).toEqual([
      { team_id: TEAM_A, holder: 'api-2' },
      { team_id: TEAM_B, holder: 'api-1' },
    ])
  })

  test.each(HOSTILE_TEXTS)('may have any text for a name (%#)', async (text) => {
    await listenTo(db, text, [text], UNTIL_MS)
    expect(await db.query(sql`SELECT team_id FROM listeners`)).toEqual([{ team_id: text }])
    await stopListening(db, text, text)
    expect(await db.query(sql`SELECT team_id FROM listeners`)).toEqual([])
  })
})
