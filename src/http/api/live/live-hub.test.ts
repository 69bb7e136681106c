import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../../tests/fresh-store.ts'
import { eventTo, NOW_MS, settle } from '../../../../tests/support/delivery-store.ts'
import { quietTelemetry } from '../../../../tests/support/quiet-telemetry.ts'
import { type TestClock, testClock } from '../../../../tests/support/test-clock.ts'
import { until } from '../../../../tests/support/until.ts'
import * as store from '../../../../tests/support/webhook-store.ts'
import { Failure, type Rejection } from '../../../core/errors.ts'
import { type Database, type Sql, sql } from '../../../ports/database.ts'
import { systemEntropy } from '../../../system/machine/system-entropy.ts'
import type { EventTopic } from '../../contract/contract.ts'
import { type LiveHub, openLiveHub } from './live-hub.ts'

const { TEAM_A, TEAM_B } = store

let db: Database
let clock: TestClock
let hub: LiveHub
let telemetry: ReturnType<typeof quietTelemetry>
let asked = 0
let isAway = false

beforeEach(async () => {
  db = await freshStore()
  await store.insertTeams(db)
  await store.addWebhooks(
    db,
    ...['wh_1', 'wh_2'].map((id) => store.webhookCalled(id)),
    store.webhookCalled('wh_b', { teamId: TEAM_B }),
  )
  asked = 0
  isAway = false
  clock = testClock(NOW_MS)
  telemetry = quietTelemetry()
  const watched: Database = {
    ...db,
    query<Row>(statement: Sql) {
      asked += 1
      if (isAway) throw new Failure('database_unavailable', {})
      return db.query<Row>(statement)
    },
    transaction: (work) => {
      if (isAway) throw new Failure('database_unavailable', {})
      return db.transaction(work)
    },
  }
  hub = openLiveHub({
    clock,
    database: watched,
    entropy: systemEntropy(),
    telemetry,
    tiers: new Map(),
    services: () => [],
    hints: () => () => {},
  })
})
afterEach(async () => {
  await hub.stop()
  await db.close()
})

/** A client that reads; the names of its events, and the data of the last. */
async function client(teamId = TEAM_A, topics: EventTopic[] = ['deliveries']) {
  const connection = { hold() {}, cut() {} }
  const response = await hub.open({
    teamId,
    topics: new Set(topics),
    webhookId: null,
    lastEventId: null,
    connection,
    isStillAllowed: async () => true,
  })
  if (!(response instanceof Response)) throw response
  const events: { name: string; data: { status: string; webhook_id: string } }[] = []
  const reader = response.body?.getReader()
  const read = async () => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done) return
      const text = new TextDecoder().decode(value as Uint8Array)
      for (const [, name = '', data = ''] of text.matchAll(/^event: (.*)\nid: .*\ndata: (.*)$/gm)) {
        events.push({ name, data: JSON.parse(data) })
      }
    }
  }
  void read()
  const leave = async () => reader?.cancel()
  return { events, names: () => events.map(({ name }) => name), leave }
}

/** Time goes on, with all that is done in it. */
async function pass(ms: number, holds: () => boolean, what: string): Promise<void> {
  await until(async () => {
    await clock.advance(ms)
    return holds()
  }, what)
}

describe('what changes', () => {
  test('comes to the team that it belongs to, and to no other', async () => {
    const [ours, theirs] = [await client(), await client(TEAM_B)]
    const { deliveries } = await eventTo(db, [['wh_1', 'wh_b']])
    await pass(1_000, () => ours.events.length + theirs.events.length === 2, 'both hear')
    await settle(
      db,
      deliveries.map(({ id }) => id),
      { kind: 'delivered' },
    )
    await pass(1_000, () => ours.events.length + theirs.events.length === 4, 'both hear')
    const told = ({ events }: typeof ours) =>
      events.map(({ data }) => `${data.webhook_id} ${data.status}`)
    expect(told(ours)).toEqual(['wh_1 waiting', 'wh_1 delivered'])
    expect(told(theirs)).toEqual(['wh_b waiting', 'wh_b delivered'])
  })

  test('while the store is away comes when it is back', async () => {
    const one = await client()
    isAway = true
    await pass(1_000, () => telemetry.events.includes('events_not_read'), 'it fails')
    const { deliveries } = await eventTo(db, [['wh_1']])
    await clock.advance(5_000)
    await settle(db, [deliveries[0]?.id ?? ''], { kind: 'delivered' })
    await clock.advance(5_000)
    expect(one.events).toEqual([])
    isAway = false
    await pass(1_000, () => one.events.length === 1, 'it hears')
    expect(one.events).toMatchObject([{ name: 'delivery', data: { status: 'delivered' } }])
    // One line for all of the time.
    expect(telemetry.events.filter((event) => event === 'events_not_read')).toHaveLength(1)
  })

  test('may have been missed where the store was away for long: a gap says so', async () => {
    const one = await client()
    isAway = true
    await clock.advance(70_000)
    isAway = false
    await pass(1_000, () => one.names().includes('gap'), 'it is told')
  })

  test('and is too much is a gap, once in a while and not at each moment', async () => {
    const [busy, quiet] = [await client(), await client(TEAM_B)]
    const fill = async () => {
      for (let at = 0; at < 101; at++) await eventTo(db, [['wh_1', 'wh_2']])
    }
    await fill()
    await pass(1_000, () => busy.names().includes('gap'), 'it is told')
    await fill()
    await clock.advance(2_000)
    expect(busy.names()).toEqual(['gap'])
    await pass(1_000, () => busy.events.length === 2, 'it is told again')
    expect(busy.names()).toEqual(['gap', 'gap'])
    expect(quiet.events).toEqual([])
  })
})

describe('without a listener', () => {
  test('nothing is read or noted, from a minute after the last has left', async () => {
    await clock.advance(60_000)
    expect(asked).toBe(0)
    const one = await client()
    await clock.advance(5_000)
    expect(asked).toBeGreaterThan(0)
    expect(await db.query(sql`SELECT team_id FROM listeners`)).toEqual([{ team_id: TEAM_A }])
    await one.leave()
    const isOver = async () => (await db.query(sql`SELECT team_id FROM listeners`)).length === 0
    await until(async () => {
      await clock.advance(1_000)
      return isOver()
    }, 'nobody listens')
    // Away for less than a minute it would have been told what it missed.
    expect(clock.nowMs()).toBeGreaterThan(NOW_MS + 120_000)
    asked = 0
    await clock.advance(60_000)
    expect(asked).toBe(0)
  })

  test('one that cannot begin leaves nothing behind', async () => {
    isAway = true
    expect(await client().catch((thrown: unknown) => thrown)).toBeInstanceOf(Failure)
    isAway = false
    const one = await client()
    await eventTo(db, [['wh_1']])
    await pass(1_000, () => one.events.length === 1, 'it hears')
  })

  test('and after a stop there are none', async () => {
    await hub.stop()
    const refused = (await client().catch((thrown: unknown) => thrown)) as Rejection
    expect(refused.httpStatus).toBe(503)
  })
})
