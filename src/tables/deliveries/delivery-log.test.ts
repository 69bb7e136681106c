import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import {
  billOf,
  claim,
  LEASE_MS,
  NOW_MS,
  nextEvent,
  outcomeOf,
  readyIds,
  rowOf,
  settle,
  statesOf,
} from '../../../tests/support/delivery-store.ts'
import { seededChance } from '../../../tests/support/seeded-chance.ts'
import {
  addWebhooks,
  HOSTILE_TEXTS,
  insertTeams,
  NETWORK,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from '../../../tests/support/webhook-store.ts'
import type { Database } from '../../ports/database.ts'
import { pauseTeamOverLimit } from '../usage/capacity-pause.ts'
import { changeWebhook, deleteWebhook } from '../webhooks/webhooks.ts'
import {
  type DeliveryState,
  findDeliveryWithAttempts,
  type LogCursor,
  type LoggedDelivery,
  type LogQuestion,
  listDeliveryPage,
  resendDelivery,
} from './delivery-log.ts'
import { writeOutcomes } from './delivery-outcomes.ts'

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
        id,
        webhookId: 'wh_1',
        network: NETWORK,
        kind: 'data',
        sequenceNumber: FIRST,
        blockNumber: 1,
        blockHash: '0x1',
        error: null,
        replay: false,
        state: 'delivered',
        createdAtMs: NOW_MS,
        dueAtMs: NOW_MS,
        doneAtMs: NOW_MS + 6,
        attemptsMade: 1,
        bodyBytes: 2_000,
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

  test.each([1, 2, 3])(
    'is the same page by page as all at once, whatever is asked (%#)',
    async (seed) => {
      const chance = seededChance(seed)
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

  test.each(HOSTILE_TEXTS)('takes any text for a webhook, a cursor or an id (%#)', async (text) => {
    await nextEvent(db, ['wh_1'])
    const after = { createdAtMs: NOW_MS + 1, id: text }
    expect(await listDeliveryPage(db, TEAM_A, { after, limit: 10 })).toHaveLength(1)
    expect(await listDeliveryPage(db, TEAM_A, { webhookId: text, limit: 10 })).toEqual([])
    expect(await findDeliveryWithAttempts(db, TEAM_A, text)).toBeNull()
    expect(await resendDelivery(db, TEAM_A, text, NOW_MS)).toBe('not_found')
  })

  test('has the result of a delivery, and of an error what it says', async () => {
    const [id = ''] = await nextEvent(db, ['wh_1'], { data: '{"a":1}' })
    expect(await findDeliveryWithAttempts(db, TEAM_A, id)).toMatchObject({
      result: { data: '{"a":1}', truncation: null },
      attempts: [],
      bodyBytes: null,
    })
    await pauseTeamOverLimit(db, { teamId: TEAM_A, message: 'used up', nowMs: NOW_MS })
    const [error = ''] = await readyIds(db, 'wh_1', 'errors')
    expect(await findDeliveryWithAttempts(db, TEAM_A, error)).toMatchObject({
      kind: 'error',
      error: 'used up',
      result: null,
      sequenceNumber: null,
    })
  })
})

describe('sending again', () => {
  test.each(['delivered', 'failed'] as const)(
    'what was %s makes it due at once, under the same id, from the first attempt on',
    async (kind) => {
      const [id = ''] = await nextEvent(db, ['wh_1'])
      await settle(db, [id], { kind })
      expect(await resendDelivery(db, TEAM_A, id, NOW_MS + 500)).toBe('resent')
      expect(await rowOf(db, id)).toMatchObject({
        state: 'waiting',
        attempts_made: 0,
        due_at_ms: NOW_MS + 500,
        done_at_ms: null,
        replay: 0,
      })
      expect(await readyIds(db, 'wh_1', 'retry', NOW_MS + 500)).toEqual([id])
    },
  )

  test('keeps the attempts that were made before', async () => {
    const [id = ''] = await nextEvent(db, ['wh_1'])
    await settle(db, [id], { kind: 'failed' })
    await resendDelivery(db, TEAM_A, id, NOW_MS)
    await settle(db, [id], { kind: 'delivered' })
    const found = await findDeliveryWithAttempts(db, TEAM_A, id)
    expect(found?.attempts.map(({ status }) => status)).toEqual([503, 200])
  })

  test('never goes before new blocks', async () => {
    const [old = ''] = await nextEvent(db, ['wh_1'])
    await settle(db, [old], { kind: 'failed' })
    const [fresh = ''] = await nextEvent(db, ['wh_1'])
    await resendDelivery(db, TEAM_A, old, NOW_MS)
    expect(await readyIds(db, 'wh_1', 'first')).toEqual([fresh])
  })

  test('twice at once happens once', async () => {
    const [id = ''] = await nextEvent(db, ['wh_1'])
    await settle(db, [id], { kind: 'failed' })
    const resend = () => resendDelivery(db, TEAM_A, id, NOW_MS)
    const ended = await Promise.all([resend(), resend(), resend()])
    expect(ended.toSorted()).toEqual(['resent', 'waiting', 'waiting'])
    await settle(db, [id], { kind: 'delivered' })
    expect((await billOf(db)).lines).toMatchObject([{ calls: 1 }])
  })

  test('what still waits or is under way changes nothing', async () => {
    const [id = ''] = await nextEvent(db, ['wh_1'])
    expect(await resendDelivery(db, TEAM_A, id, NOW_MS)).toBe('waiting')
    await claim(db, [id], 'lease')
    expect(await resendDelivery(db, TEAM_A, id, NOW_MS + LEASE_MS)).toBe('waiting')
    expect(await writeOutcomes(db, [outcomeOf(id, 'lease')])).toEqual(new Set([id]))
  })

  test('is not possible once the webhook is deleted, and waits while it is paused', async () => {
    const [one = '', two = ''] = await nextEvent(db, ['wh_1', 'wh_2'])
    await settle(db, [one, two], { kind: 'failed' })
    await deleteWebhook(db, TEAM_A, 'wh_1')
    expect(await resendDelivery(db, TEAM_A, one, NOW_MS)).toBe('gone')
    const standing = { state: 'paused', reason: 'MANUAL' } as const
    await changeWebhook(db, TEAM_A, 'wh_2', { standing })
    expect(await resendDelivery(db, TEAM_A, two, NOW_MS)).toBe('resent')
    expect(await readyIds(db, 'wh_2', 'retry')).toEqual([])
    expect(await statesOf(db, [one, two])).toEqual(['cancelled', 'waiting'])
  })

  test('works for errors too', async () => {
    await pauseTeamOverLimit(db, { teamId: TEAM_A, message: 'used up', nowMs: NOW_MS })
    const errors = await readyIds(db, 'wh_1', 'errors')
    await settle(db, errors, { kind: 'failed' })
    expect(await resendDelivery(db, TEAM_A, errors[0]!, NOW_MS)).toBe('resent')
    expect(await readyIds(db, 'wh_1', 'errors')).toEqual(errors)
  })
})

/** Of all states, many of them made in the same moment; newest first. */
async function manyDeliveries(chance: ReturnType<typeof seededChance>): Promise<LoggedDelivery[]> {
  for (let block = 0; block < 20; block++) {
    const atMs = NOW_MS + chance.between(0, 5)
    for (const id of await nextEvent(db, ['wh_1', 'wh_2', 'wh_b'], { atMs })) {
      const kind = chance.pick(['delivered', 'failed', 'retry', 'released'] as const)
      await settle(db, [id], { kind, dueAtMs: atMs + 1 }, atMs)
    }
  }
  await pauseTeamOverLimit(db, { teamId: TEAM_A, message: 'used up', nowMs: NOW_MS + 3 })
  await deleteWebhook(db, TEAM_A, 'wh_2')
  const all = await listDeliveryPage(db, TEAM_A, { limit: 1_000 })
  expect(all).toHaveLength(42)
  expect(new Set(all.map(({ state }) => state)).size).toBe(4)
  return all.toSorted((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1))
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
  for (let after: LogCursor | undefined; ; ) {
    const page = await listDeliveryPage(db, TEAM_A, { ...filter, after, limit })
    ids.push(...page.map(({ id }) => id))
    after = page.at(-1)
    if (!after) return ids
  }
}
