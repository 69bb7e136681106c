import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { listedWrongly } from '../../../tests/support/blocks/log-counts.ts'
import {
  deliveryCalled,
  NOW_MS,
  nextEvent,
  settle,
} from '../../../tests/support/deliveries/delivery-store.ts'
import {
  listDeliveryPage,
  resendDelivery,
} from '../../../tests/support/deliveries/delivery-tables.ts'
import {
  addWebhooks,
  insertTeams,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { WORLD } from '../../../tests/support/product/world.ts'
import { type Database, sql } from '../../ports/database.ts'

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'))
  await db.query(sql`UPDATE listing SET created_max = 4`)
})
afterEach(async () => {
  expect(await listedWrongly(db)).toEqual([])
  await db.close()
})

const BOTH = ['wh_1', 'wh_2']

/** The events whose deliveries are listed as delivered. */
async function listedEvents(): Promise<number[]> {
  const rows = await db.query<{ event: number }>(sql`
    SELECT DISTINCT event FROM done_deliveries WHERE state = 1 ORDER BY event`)
  return rows.map(({ event }) => event)
}

async function deliveredEvents(): Promise<number[]> {
  const page = await listDeliveryPage(db, TEAM_A, { status: 'delivered', limit: 100 })
  return [...new Set(page.map(({ event }) => event))].sort((a, b) => a - b)
}

// PostgreSQL lists each delivery when it is delivered.
describe.skipIf(WORLD === 'postgres')('what is delivered is listed', () => {
  test('some time later, with the others of its time, and is in the log all along', async () => {
    for (let event = 1; event <= 8; event++) {
      await settle(db, await nextEvent(db, BOTH), { kind: 'delivered' })
      expect(await deliveredEvents()).toEqual(Array.from({ length: event }, (_, at) => at + 1))
    }
    // Every second event fills the room, and what came before the last time is listed.
    expect(await listedEvents()).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('at once when the others of its time are listed already', async () => {
    const late = await nextEvent(db, BOTH)
    for (let event = 2; event <= 6; event++) await nextEvent(db, BOTH)
    expect(await listedEvents()).toEqual([])
    await settle(db, late, { kind: 'delivered' })
    expect(await listedEvents()).toEqual([1])
    expect(await deliveredEvents()).toEqual([1])
  })

  test('at once where there is no row of the listing', async () => {
    await db.query(sql`DELETE FROM listing`)
    await settle(db, await nextEvent(db, BOTH), { kind: 'delivered' })
    await settle(db, await nextEvent(db, BOTH), { kind: 'delivered' })
    expect(await listedEvents()).toEqual([1, 2])
    expect(await deliveredEvents()).toEqual([1, 2])
    await db.query(sql`
      INSERT INTO listing (id, event, next_event, created, created_max) VALUES (1, 2, 2, 0, 4)`)
  })

  test.each([1, 8])('not while it is sent again, %d events later', async (later) => {
    const [id = ''] = await nextEvent(db, ['wh_1'])
    await settle(db, [id], { kind: 'delivered' })
    for (let event = 0; event < later; event++) await nextEvent(db, BOTH)
    expect(await resendDelivery(db, TEAM_A, id, NOW_MS)).toBe('resent')
    expect(await deliveredEvents()).toEqual([])
    for (let event = 0; event < 8; event++) await nextEvent(db, BOTH)
    expect(await listedEvents()).toEqual([])
    const { version, attemptsMade } = await deliveryCalled(db, id)
    expect({ version, attemptsMade }).toEqual({ version: 1, attemptsMade: 0 })
    await settle(db, [id], { kind: 'delivered' })
    expect(await deliveredEvents()).toEqual([1])
    expect(await listedEvents()).toEqual([1])
  })

  test('however many deliveries an event has', async () => {
    await db.query(sql`UPDATE listing SET created_max = 1`)
    for (let event = 1; event <= 5; event++) {
      await settle(db, await nextEvent(db, BOTH), { kind: 'delivered' })
    }
    expect(await listedEvents()).toEqual([1, 2, 3, 4])
    expect(await deliveredEvents()).toEqual([1, 2, 3, 4, 5])
  })
})
