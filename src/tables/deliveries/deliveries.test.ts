import { afterEach, beforeEach, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import {
  addWebhooks,
  dueTo,
  eventAt,
  HOSTILE_TEXTS,
  insertTeams,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from '../../../tests/support/webhook-store.ts'
import { deliveryId } from '../../core/delivery/delivery-id.ts'
import { type Database, sql } from '../../ports/database.ts'
import { recordEvent } from '../chain/chain-events.ts'
import { findDelivery, listDeliveries } from './deliveries.ts'

const FIRST = 1_000_000_000_001

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, webhookCalled('wh_1'))
})
afterEach(() => db.close())

test.each([...HOSTILE_TEXTS, 'x'.repeat(10_000_000)])(
  'a result comes back exactly as it went in (%#)',
  async (text) => {
    const truncation = { fields: [text.slice(0, 100)], reason: text.slice(0, 100) }
    const result = { data: text, bytes: Buffer.byteLength(text), truncation }
    await recordEvent(db, eventAt(7, null, { due: [{ ...result, webhookIds: ['wh_1'] }] }))
    const found = await findDelivery(db, TEAM_A, deliveryId('wh_1', FIRST))
    expect(found?.result).toEqual(result)
  },
)

test('a delivery is found by its team alone', async () => {
  await recordEvent(db, eventAt(7, null, { due: [dueTo('wh_1')] }))
  const id = deliveryId('wh_1', FIRST)
  expect(await findDelivery(db, TEAM_A, id)).toMatchObject({ id, blockNumber: 7 })
  expect(await findDelivery(db, TEAM_B, id)).toBeNull()
  expect(await findDelivery(db, TEAM_A, 'whevt_none')).toBeNull()
})

test('deliveries are listed newest first, those of one moment by their number', async () => {
  const times = [10, 20, 20, 30]
  for (const [index, atMs] of times.entries()) {
    const previous = index === 0 ? null : FIRST + index - 1
    await recordEvent(db, eventAt(7 + index, previous, { atMs, due: [dueTo('wh_1')] }))
  }
  const heights = async (limit: number) =>
    (await listDeliveries(db, 'wh_1', limit)).map(({ blockNumber }) => blockNumber)
  expect(await heights(10)).toEqual([10, 9, 8, 7])
  expect(await heights(2)).toEqual([10, 9])
  expect(await listDeliveries(db, 'wh_none', 10)).toEqual([])
})

test('an error has neither a block nor a result', async () => {
  await db.query(sql`
    INSERT INTO deliveries (id, webhook_id, team_id, network, kind, error, state, created_at_ms,
      due_at_ms, attempts_made, lease_until_ms, replay)
    VALUES ('whevt_1', 'wh_1', ${TEAM_A}, 'ETH_MAINNET', 'error', 'too much', 'waiting', 1, 1, 0,
      0, 0)`)
  expect(await findDelivery(db, TEAM_A, 'whevt_1')).toMatchObject({
    kind: 'error',
    error: 'too much',
    sequenceNumber: null,
    blockNumber: null,
    blockHash: null,
    result: null,
  })
})
