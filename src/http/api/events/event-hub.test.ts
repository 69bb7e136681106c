import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../../tests/fresh-store.ts'
import { quietTelemetry } from '../../../../tests/support/basics/quiet-telemetry.ts'
import { type TestClock, testClock } from '../../../../tests/support/basics/test-clock.ts'
import { testWorld } from '../../../../tests/support/basics/test-world.ts'
import { until } from '../../../../tests/support/basics/until.ts'
import { eventTo, NOW_MS, settle } from '../../../../tests/support/deliveries/delivery-store.ts'
import { newReplay, stepAt } from '../../../../tests/support/deliveries/replay-store.ts'
import * as store from '../../../../tests/support/deliveries/webhook-store.ts'
import { Failure, type Rejection } from '../../../core/errors.ts'
import type { Database, Sql } from '../../../ports/database.ts'
import { openMachineSignals } from '../../../ports/driver-parts/machine-signals.ts'
import type { Signals } from '../../../ports/signals.ts'
import { resendDelivery } from '../../../tables/deliveries/resend-delivery.ts'
import { createReplay, recordReplayStep } from '../../../tables/webhooks/replays.ts'
import { deleteWebhook } from '../../../tables/webhooks/webhooks.ts'
import type { EventTopic } from '../../contract/contract.ts'
import { type EventHub, openEventHub, RESENT_TOPIC } from './event-hub.ts'

const { TEAM_A, TEAM_B } = store

let db: Database
let clock: TestClock
let hub: EventHub
let signals: Signals
/** An event whose transaction is not committed yet. */
let hidden: number | null = null
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
  hidden = null
  signals = openMachineSignals()
  clock = testClock(NOW_MS)
  telemetry = quietTelemetry()
  const watched: Database = {
    ...db,
    async query<Row>(statement: Sql) {
      asked += 1
      if (isAway) throw new Failure('database_unavailable', {})
      const rows = await db.query<Row>(statement)
      return rows.filter((row) => (row as { event?: number }).event !== (hidden ?? Number.NaN))
    },
  }
  const world = testWorld({ clock, database: watched, signals, telemetry })
  hub = openEventHub(world, { tiers: new Map(), services: () => [] })
})
afterEach(async () => {
  hub.stop()
  await db.close()
})

/** A client that reads; the names of its events, and the data of the last. */
async function client(
  teamId = TEAM_A,
  topics: EventTopic[] = ['deliveries'],
  lastEventId: string | null = null,
) {
  const held = { hold() {}, cut() {} }
  const response = await hub.open({
    teamId,
    topics: new Set(topics),
    webhookId: null,
    lastEventId,
    client: held,
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

  test('is noticed when its transaction is committed after a later one', async () => {
    const one = await client()
    const first = await eventTo(db, [['wh_1']])
    hidden = first.event
    await eventTo(db, [['wh_2']])
    await pass(1_000, () => one.events.length === 1, 'it hears of the later one')
    hidden = null
    await pass(1_000, () => one.events.length === 2, 'it hears of the first one')
    expect(one.events.map(({ data }) => data.webhook_id)).toEqual(['wh_2', 'wh_1'])
    await clock.advance(20_000)
    expect(one.events).toHaveLength(2)
  })

  test('of a delivery from before the stream is noticed: attempts, a resend, the end', async () => {
    const [old] = (await eventTo(db, [['wh_1']])).deliveries
    const one = await client()
    await settle(db, [old!.id], { kind: 'retry', dueAtMs: NOW_MS })
    await pass(1_000, () => one.events.length === 1, 'it hears of the attempt')
    await settle(db, [old!.id], { kind: 'delivered' })
    await pass(1_000, () => one.events.length === 2, 'it hears of the end')

    await resendDelivery(db, TEAM_A, old!.id, NOW_MS)
    await settle(db, [old!.id], { kind: 'failed' })
    signals.publish(RESENT_TOPIC, `${TEAM_A} ${old!.event} ${old!.webhook}`)
    await pass(1_000, () => one.events.length === 3, 'it hears of the resend')
    expect(one.events.map(({ data }) => data.status)).toEqual(['waiting', 'delivered', 'failed'])
  })

  test('by a replay is noticed, also of deliveries from long ago', async () => {
    const [old] = (await eventTo(db, [['wh_1']])).deliveries
    await settle(db, [old!.id], { kind: 'delivered' })
    const one = await client(TEAM_A, ['deliveries', 'replays'])
    await createReplay(db, newReplay({ toBlock: 1 }))
    expect(await recordReplayStep(db, stepAt(1))).toBe('recorded')
    await settle(db, [old!.id], { kind: 'failed' })
    await pass(1_000, () => one.events.length === 2, 'it hears of both')
    expect(one.names()).toEqual(['replay', 'delivery'])
    expect(one.events.at(-1)?.data.status).toBe('failed')
  })

  test('with a webhook that is deleted is told of its deliveries too', async () => {
    await eventTo(db, [['wh_1']])
    const one = await client(TEAM_A, ['deliveries', 'webhooks'])
    await deleteWebhook(db, TEAM_A, 'wh_1')
    await pass(1_000, () => one.events.length === 2, 'it hears of both')
    expect(one.names()).toEqual(['webhook', 'delivery'])
    expect(one.events.at(-1)?.data.status).toBe('cancelled')
  })

  test('among too many that wait is a gap, once in a while', async () => {
    for (let at = 0; at < 251; at++) await eventTo(db, [['wh_1', 'wh_2']])
    const one = await client()
    await pass(1_000, () => one.events.length === 2, 'it is told, and again')
    expect(one.names()).toEqual(['gap', 'gap'])
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

describe('a client that comes back', () => {
  test('is told to fetch again, for nothing is kept for it', async () => {
    const one = await client(TEAM_A, ['deliveries', 'webhooks'], 'any id')
    await until(() => one.events.length === 1, 'it is told')
    expect(one.events).toMatchObject([
      { name: 'gap', data: { topics: ['deliveries', 'webhooks'], reason: 'too_old' } },
    ])
  })
})

describe('without a stream', () => {
  test('nothing is read', async () => {
    await clock.advance(60_000)
    expect(asked).toBe(0)
    const one = await client()
    await clock.advance(5_000)
    expect(asked).toBeGreaterThan(0)
    await one.leave()
    // A reading may still be under way.
    await until(async () => {
      const before = asked
      await clock.advance(5_000)
      return asked === before
    }, 'the last reading has ended')
    asked = 0
    signals.publish('deliveries', '1 ')
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
    hub.stop()
    const refused = (await client().catch((thrown: unknown) => thrown)) as Rejection
    expect(refused.httpStatus).toBe(503)
  })
})
