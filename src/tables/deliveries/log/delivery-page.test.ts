import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../../tests/fresh-store.ts'
import { seedsTo } from '../../../../tests/support/basics/each-seed.ts'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import { sized } from '../../../../tests/support/basics/sized.ts'
import {
  NOW_MS,
  nextEvent,
  settle,
  waitingIds,
} from '../../../../tests/support/deliveries/delivery-store.ts'
import {
  addWebhooks,
  HOSTILE_TEXTS,
  insertTeams,
  NETWORK,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from '../../../../tests/support/deliveries/webhook-store.ts'
import { type Database, type Sql, sql } from '../../../ports/database.ts'
import { pauseTeamOverLimit } from '../../usage/capacity-pause.ts'
import { deleteWebhook } from '../../webhooks/webhooks.ts'
import type { DeliveryKey, DeliveryState } from '../delivery.ts'
import { resendDelivery } from '../resend-delivery.ts'
import {
  findDelivery,
  findDeliveryWithAttempts,
  type LoggedDelivery,
  listDeliveryPage,
} from './delivery-page.ts'
import type { LogQuestion } from './page-entries.ts'

const FIRST = 1_000_000_000_001

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  await addWebhooks(
    db,
    webhookCalled('wh_1'),
    webhookCalled('wh_2'),
    webhookCalled('wh_b', { teamId: TEAM_B }),
  )
})
afterEach(() => db.close())

describe('the log', () => {
  test('tells of each delivery what became of it', async () => {
    const [id = ''] = await nextEvent(db, ['wh_1'])
    await settle(db, [id], { kind: 'delivered' })
    expect(await listDeliveryPage(db, TEAM_A, { limit: 10 })).toEqual([
      {
        event: 1,
        webhook: 1,
        id,
        webhookId: 'wh_1',
        teamId: TEAM_A,
        network: NETWORK,
        kind: 'data',
        sequenceNumber: FIRST,
        blockNumber: 1,
        blockHash: '0x1',
        part: 0,
        dataBytes: 22,
        error: null,
        previousSequence: null,
        replay: false,
        createdAtMs: NOW_MS,
        version: 0,
        state: 'delivered',
        dueAtMs: null,
        doneAtMs: NOW_MS + 6,
        attemptsMade: 1,
        bodyBytes: 2_000,
        isRerun: false,
        isSuperseded: false,
        lastAttempt: { status: 200, fault: null, tookMs: 6 },
      },
    ])
  })

  test('shows nobody the deliveries of another team', async () => {
    const [ours = '', theirs = ''] = await nextEvent(db, ['wh_1', 'wh_b'])
    const seen = async (question: Partial<LogQuestion>) =>
      (await listDeliveryPage(db, TEAM_A, { limit: 10, ...question })).map(({ id }) => id)
    expect(await seen({})).toEqual([ours])
    expect(await seen({ block: 1 })).toEqual([ours])
    expect(await seen({ webhookId: 'wh_b' })).toEqual([])
    expect(await seen({ webhookId: 'wh_b', block: 1 })).toEqual([])
    expect(await findDeliveryWithAttempts(db, TEAM_A, theirs)).toBeNull()
    expect(await resendDelivery(db, TEAM_A, theirs, NOW_MS)).toBe('not_found')
  })

  test.each(seedsTo(sized(1, 3)))(
    'is the same page by page as all at once, whatever is asked (%#)',
    async (seed) => {
      const chance = seededChance(seed)
      await listEvery(chance.between(1, 40))
      const all = await manyDeliveries(chance)
      const states = [undefined, 'waiting', 'delivered', 'failed', 'cancelled'] as const
      for (const status of states) {
        for (const webhookId of [undefined, 'wh_1', 'wh_2', 'wh_none']) {
          for (const block of [undefined, 3]) {
            const question = { status, webhookId, block }
            const expected = all.filter((one) => isMeant(one, question)).map(({ id }) => id)
            const pages = await readPages(question, chance.between(1, 7))
            expect({ question, ids: pages }).toEqual({ question, ids: expected })
          }
        }
      }
    },
  )

  test.each(HOSTILE_TEXTS)('takes any text for a webhook or an id (%#)', async (text) => {
    await nextEvent(db, ['wh_1'])
    expect(await listDeliveryPage(db, TEAM_A, { webhookId: text, limit: 10 })).toEqual([])
    expect(await findDeliveryWithAttempts(db, TEAM_A, text)).toBeNull()
    expect(await resendDelivery(db, TEAM_A, text, NOW_MS)).toBe('not_found')
  })

  test('goes by the order of commits, whatever the clocks said', async () => {
    const ids: string[] = []
    for (const atMs of [NOW_MS + 9_000, NOW_MS, NOW_MS + 4_000]) {
      ids.push(...(await nextEvent(db, ['wh_1'], { atMs })))
    }
    const page = await listDeliveryPage(db, TEAM_A, { limit: 10 })
    expect(page.map(({ id }) => id)).toEqual(ids.toReversed())
  })

  test.each([1, 2, 3, 1_000])(
    'has each delivery once while they are settled and listed between its statements (%d)',
    async (created) => {
      await listEvery(created)
      const ids: string[] = []
      for (let at = 0; at < 9; at++) ids.push(...(await nextEvent(db, ['wh_1', 'wh_2'])))
      const left = ids.toReversed()
      const busy: Database = {
        ...db,
        async query<Row>(statement: Sql) {
          const rows = await db.query<Row>(statement)
          await settle(db, left.splice(0, 1), { kind: 'delivered' })
          await nextEvent(db, ['wh_b'])
          return rows
        },
      }
      for (const limit of [100, 5]) {
        const page = await listDeliveryPage(busy, TEAM_A, { limit })
        expect(page.map(({ id }) => id).toSorted()).toEqual(ids.slice(-limit).toSorted())
      }
      for (const status of ['waiting', 'delivered'] as const) {
        const page = await listDeliveryPage(busy, TEAM_A, { status, limit: 100 })
        expect(page.map(({ state }) => state)).toEqual(page.map(() => status))
      }
    },
  )

  test('finds a delivery by its id for its team alone, also when it is of an error', async () => {
    const [id = ''] = await nextEvent(db, ['wh_1'])
    await pauseTeamOverLimit(db, { teamId: TEAM_A, message: 'used up', nowMs: NOW_MS })
    const [error = ''] = await waitingIds(db, 'wh_2', 'error')
    for (const known of [id, error]) {
      expect(await findDelivery(db, TEAM_A, known)).toMatchObject({ id: known })
      expect(await findDelivery(db, TEAM_B, known)).toBeNull()
    }
    expect(await findDelivery(db, TEAM_A, 'whevt_none')).toBeNull()
    expect(await findDelivery(db, TEAM_A, `whevt_${'z'.repeat(16)}`)).toBeNull()
    expect(await findDelivery(db, TEAM_A, `${id.slice(0, -1)}~`)).toBeNull()
  })

  test('has the result of a delivery, and of an error what it says', async () => {
    const [id = ''] = await nextEvent(db, ['wh_1'], { data: '{"a":1}' })
    expect(await findDeliveryWithAttempts(db, TEAM_A, id)).toMatchObject({
      result: { data: '{"a":1}', truncation: null },
      attempts: [],
      bodyBytes: null,
    })
    await pauseTeamOverLimit(db, { teamId: TEAM_A, message: 'used up', nowMs: NOW_MS })
    const [error = ''] = await waitingIds(db, 'wh_1', 'error')
    expect(await findDeliveryWithAttempts(db, TEAM_A, error)).toMatchObject({
      kind: 'error',
      error: 'used up',
      result: null,
      sequenceNumber: null,
    })
  })
})

/** Deliveries are listed when so many more were created. */
async function listEvery(created: number): Promise<void> {
  await db.query(sql`UPDATE listing SET created_max = ${created}`)
}

/** Of all states, many of them made in the same moment; newest first. */
async function manyDeliveries(chance: ReturnType<typeof seededChance>): Promise<LoggedDelivery[]> {
  for (let block = 0; block < 20; block++) {
    const atMs = NOW_MS + chance.between(0, 5)
    for (const id of await nextEvent(db, ['wh_1', 'wh_2', 'wh_b'], { atMs })) {
      const kind = chance.pick(['delivered', 'failed', 'retry', null] as const)
      if (kind) await settle(db, [id], { kind, dueAtMs: atMs + 1 })
    }
  }
  await pauseTeamOverLimit(db, { teamId: TEAM_A, message: 'used up', nowMs: NOW_MS + 3 })
  await deleteWebhook(db, TEAM_A, 'wh_2')
  const all = await listDeliveryPage(db, TEAM_A, { limit: 1_000 })
  expect(all).toHaveLength(42)
  expect(new Set(all.map(({ state }) => state)).size).toBe(4)
  const newestFirst = all.toSorted((a, b) => b.event - a.event || b.webhook - a.webhook)
  expect(all).toEqual(newestFirst)
  return all
}

type Filter = {
  status: DeliveryState | undefined
  webhookId: string | undefined
  block: number | undefined
}

function isMeant(one: LoggedDelivery, { status, webhookId, block }: Filter): boolean {
  if (status !== undefined && one.state !== status) return false
  if (webhookId !== undefined && one.webhookId !== webhookId) return false
  return block === undefined || one.blockNumber === block
}

async function readPages(filter: Filter, limit: number): Promise<string[]> {
  const ids: string[] = []
  for (let after: DeliveryKey | undefined; ; ) {
    const page = await listDeliveryPage(db, TEAM_A, { ...filter, after, limit })
    ids.push(...page.map(({ id }) => id))
    after = page.at(-1)
    if (!after) return ids
  }
}
