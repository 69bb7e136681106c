import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../../tests/fresh-store.ts'
import { NOW_MS } from '../../../../tests/support/delivery-store.ts'
import {
  arrive,
  bytesMiscounted,
  eventTo,
  outcomeAt,
} from '../../../../tests/support/sheet-store.ts'
import {
  addWebhooks,
  insertTeams,
  NETWORK,
  TEAM_A,
  webhookCalled,
} from '../../../../tests/support/webhook-store.ts'
import { type Database, sql } from '../../../ports/database.ts'
import { listDeliveryPage, resendDelivery } from '../delivery-log.ts'
import { writeOutcomes } from '../delivery-outcomes.ts'
import { logBytes } from '../log-sizes.ts'
import { pruneDelivered } from '../retention.ts'

const ALL = { olderThanMs: NOW_MS * 2, bytesMax: Number.MAX_SAFE_INTEGER, rowsMax: 1_000 }

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'))
  await addWebhooks(db, webhookCalled('wh_3', { network: 'BASE_MAINNET' }))
})
afterEach(async () => {
  expect(await bytesMiscounted(db)).toBe(0)
  await db.close()
})

const countOf = async (table: 'sheets' | 'results' | 'log_spans' | 'deliveries') => {
  const query = { parts: [`SELECT 1 FROM ${table}`], values: [] }
  return (await db.query(query)).length
}

const heights = async () =>
  (await listDeliveryPage(db, TEAM_A, { limit: 1_000 })).map(({ blockNumber }) => blockNumber)

/** Events that arrive a second apart. */
async function arrived(count: number, wish: { network?: string; data?: string } = {}) {
  const { network = NETWORK } = wish
  const lists = [network === NETWORK ? ['wh_1', 'wh_2'] : ['wh_3']]
  for (let at = 0; at < count; at++) {
    const atMs = NOW_MS + at * 1_000
    await arrive(db, await eventTo(db, lists, { ...wish, atMs }), { startedAtMs: atMs })
  }
}

describe('retention of what stands on sheets', () => {
  test('takes what arrived longer ago, to the millisecond, and all that belongs to it', async () => {
    await arrived(3)
    expect(await pruneDelivered(db, { ...ALL, olderThanMs: NOW_MS + 1_006 })).toBe(2)
    expect(await heights()).toEqual([3, 3, 2, 2])
    expect(await countOf('results')).toBe(2)
    expect(await pruneDelivered(db, ALL)).toBe(4)
    expect(await pruneDelivered(db, ALL)).toBe(0)
    for (const table of ['sheets', 'results', 'log_spans', 'deliveries'] as const) {
      expect(await countOf(table)).toBe(0)
    }
    expect(await logBytes(db)).toBe(0)
  })

  test('counts from the last arrival, so that none is kept for less than is promised', async () => {
    const event = await eventTo(db, [['wh_1', 'wh_2']], { atMs: NOW_MS - 60_000 })
    await arrive(db, event, { except: ['wh_2'], startedAtMs: NOW_MS - 60_000 })
    await writeOutcomes(db, [outcomeAt(event, 1, { kind: 'delivered' }, NOW_MS)])
    expect(await pruneDelivered(db, { ...ALL, olderThanMs: NOW_MS + 6 })).toBe(0)
    expect(await pruneDelivered(db, { ...ALL, olderThanMs: NOW_MS + 7 })).toBe(2)
  })

  test('never takes what is open, nor what came after it, whatever the size', async () => {
    const open = await eventTo(db, [['wh_1', 'wh_2']])
    await arrive(db, open, { except: ['wh_2'] })
    await arrived(2)
    expect(await pruneDelivered(db, { ...ALL, bytesMax: 0 })).toBe(0)
    expect(await heights()).toHaveLength(6)
    await writeOutcomes(db, [outcomeAt(open, 1, { kind: 'failed' }, NOW_MS)])
    expect(await pruneDelivered(db, { ...ALL, bytesMax: 0 })).toBe(5)
    expect(await listDeliveryPage(db, TEAM_A, { limit: 9 })).toMatchObject([{ state: 'failed' }])
    expect(await countOf('results')).toBe(1)
  })

  test('goes in steps, whatever the network, the oldest first', async () => {
    await arrived(4)
    await arrived(4, { network: 'BASE_MAINNET' })
    expect(await pruneDelivered(db, { ...ALL, rowsMax: 6 })).toBe(6)
    expect((await heights()).toSorted()).toEqual([3, 3, 3, 4, 4, 4])
    expect(await pruneDelivered(db, { ...ALL, rowsMax: 1 })).toBeGreaterThan(0)
  })

  test('removes no more than is needed for the log to fit, rows among sheets by their age', async () => {
    await arrived(2, { data: 'x'.repeat(50_000) })
    const row = await eventTo(db, [['wh_1']], {
      atMs: NOW_MS + 500,
      inHand: false,
      data: 'y'.repeat(50_000),
    })
    await arrive(db, row, { startedAtMs: NOW_MS + 500 })
    const bytesMax = (await logBytes(db)) - 60_000
    expect(await pruneDelivered(db, { ...ALL, olderThanMs: 0, bytesMax })).toBe(3)
    expect(await heights()).toEqual([2, 2])
    expect(await pruneDelivered(db, { ...ALL, olderThanMs: 0, bytesMax })).toBe(0)
  })

  test('keeps a result as long as a row or a sheet of its event is there', async () => {
    await arrived(1)
    const [one] = await listDeliveryPage(db, TEAM_A, { webhookId: 'wh_1', limit: 1 })
    await resendDelivery(db, TEAM_A, one?.id ?? '', NOW_MS)
    expect(await pruneDelivered(db, ALL)).toBe(1)
    expect([await countOf('sheets'), await countOf('results')]).toEqual([0, 1])
    await db.query(sql`UPDATE deliveries SET state = 'delivered', done_at_ms = 1`)
    expect(await pruneDelivered(db, ALL)).toBe(1)
    expect(await countOf('results')).toBe(0)
  })
})
