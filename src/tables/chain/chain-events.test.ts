import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { deliveriesOf } from '../../../tests/support/deliveries/delivery-store.ts'
import {
  addWebhooks,
  dueTo,
  eventAt,
  insertTeams,
  NETWORK,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { faultyDatabase } from '../../../tests/support/store/faulty-database.ts'
import { deliveryId } from '../../core/delivery/delivery-id.ts'
import { type Database, sql } from '../../ports/database.ts'
import { changeWebhook, deleteWebhook } from '../webhooks/webhooks.ts'
import { recordEvent, webhooksWithDeliveryAt } from './chain-events.ts'
import { readChain } from './chain-tail.ts'

const FIRST = 1_000_000_000_001
const PAUSED = { standing: { state: 'paused', reason: 'MANUAL' } } as const
const ACTIVE = { standing: { state: 'active', reason: null } } as const

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
})
afterEach(() => db.close())

const countOf = async (table: 'results' | 'deliveries' | 'webhook_marks') => {
  const name = {
    results: sql`results`,
    deliveries: sql`deliveries`,
    webhook_marks: sql`webhook_marks`,
  }[table]
  return (await db.query<{ count: number }>(sql`SELECT COUNT(*) AS count FROM ${name}`))[0]?.count
}

describe('an event', () => {
  test('commits what is due with its chain, and says which deliveries those are', async () => {
    await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'))
    const truncation = { fields: ['block.logs'], reason: 'over 10 MB' }
    const due = [dueTo('wh_2'), { data: '{"a":"ü"}', bytes: 10, truncation, webhookIds: ['wh_1'] }]
    const recorded = await recordEvent(db, eventAt(7, null, { due, atMs: 5_000 }))
    const shared = { network: NETWORK, sequenceNumber: FIRST, blockNumber: 7, createdAtMs: 5_000 }
    const told = { ...shared, teamId: TEAM_A, blockHash: '0x7', previousSequence: null }
    const isNew = { kind: 'data', error: null, replay: false, version: 0, attemptsMade: 0 } as const
    const place = (webhook: number) => ({ event: 1, webhook })
    const [second, first] = [deliveryId('wh_2', FIRST), deliveryId('wh_1', FIRST)]
    expect(recorded).toEqual({
      event: 1,
      network: NETWORK,
      sequenceNumber: FIRST,
      deliveries: [
        { ...told, ...isNew, id: second, ...place(2), webhookId: 'wh_2', part: 0, dataBytes: 22 },
        { ...told, ...isNew, id: first, ...place(1), webhookId: 'wh_1', part: 1, dataBytes: 10 },
      ],
      results: due.map(({ webhookIds: _, ...result }) => expect.objectContaining(result)),
    })
    expect(await deliveriesOf(db, 'wh_1', 10)).toEqual([
      {
        id: deliveryId('wh_1', FIRST),
        webhookId: 'wh_1',
        teamId: TEAM_A,
        network: NETWORK,
        kind: 'data',
        sequenceNumber: FIRST,
        blockNumber: 7,
        blockHash: '0x7',
        result: { data: '{"a":"ü"}', truncation },
        error: null,
        previousSequence: null,
        state: 'waiting',
        createdAtMs: 5_000,
        dueAtMs: 5_000,
        attemptsMade: 0,
        attempts: [],
        ...place(1),
        part: 1,
        dataBytes: 10,
        replay: false,
        version: 0,
        doneAtMs: null,
        bodyBytes: null,
        isRerun: false,
        isSuperseded: false,
        lastAttempt: null,
      },
    ])
    expect((await readChain(db, NETWORK))?.sequenceNumber).toBe(FIRST)
  })

  test('stores a result once for all the webhooks that have it', async () => {
    const ids = ['wh_1', 'wh_2', 'wh_3', 'wh_4']
    await addWebhooks(db, ...ids.map((id) => webhookCalled(id)))
    await recordEvent(db, eventAt(7, null, { due: [dueTo('wh_1', 'wh_2', 'wh_3'), dueTo('wh_4')] }))
    expect(await countOf('results')).toBe(2)
    expect(await countOf('deliveries')).toBe(4)
  })

  test('with 1,000 due webhooks takes a dozen statements, not thousands', async () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `wh_${index}`)
    await addWebhooks(db, ...ids.map((id) => webhookCalled(id)))
    let statements = 0
    const counting: Database = {
      ...db,
      transaction: (work) =>
        db.transaction((tx) => {
          const query: Database['query'] = (statement) => {
            statements++
            return tx.query(statement)
          }
          return work({ ...tx, query })
        }),
    }
    const due = ids.map((id) => dueTo(id))
    const recorded = await recordEvent(counting, eventAt(7, null, { due }))
    const deliveries = ids.map((id) => ({ id: deliveryId(id, FIRST) }))
    expect(recorded).toMatchObject({ deliveries })
    expect(statements).toBeLessThan(15)
    expect(await countOf('deliveries')).toBe(1_000)
    expect(await countOf('results')).toBe(1_000)
  })

  test('that fails halfway leaves nothing behind', async () => {
    await addWebhooks(db, webhookCalled('wh_1'))
    const due = [{ ...dueTo('wh_1'), data: 'a text no engine stores: \0' }]
    await expect(recordEvent(db, eventAt(7, null, { due }))).rejects.toThrow('NUL')
    expect(await readChain(db, NETWORK)).toBeNull()
    expect(await recordEvent(db, eventAt(7, null))).toMatchObject({ sequenceNumber: FIRST })
  })

  test('whose commit got no answer can be recorded again, and happens once', async () => {
    await addWebhooks(db, webhookCalled('wh_1'))
    const faulty = faultyDatabase(db)
    const event = eventAt(7, null, { due: [dueTo('wh_1')] })
    faulty.losesAnswers = true
    await expect(recordEvent(faulty, event)).rejects.toThrow('database_unavailable')
    faulty.losesAnswers = false
    expect(await recordEvent(faulty, event)).toBe('lost')
    expect((await readChain(db, NETWORK))?.headers.at(-1)).toEqual(event.header)
    expect(await deliveriesOf(db, 'wh_1', 10)).toHaveLength(1)
  })

  test('refuses two results for one webhook as a bug', async () => {
    await addWebhooks(db, webhookCalled('wh_1'))
    const twice = eventAt(7, null, { due: [dueTo('wh_1'), dueTo('wh_1')] })
    await expect(recordEvent(db, twice)).rejects.toThrow('one result')
  })
})

describe('whoever was stopped between evaluation and commit gets nothing', () => {
  test('paused, deleted or never there: no delivery, no result, no mark', async () => {
    await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'), webhookCalled('wh_3'))
    await changeWebhook(db, TEAM_A, 'wh_1', PAUSED)
    await deleteWebhook(db, TEAM_A, 'wh_2')
    const due = [dueTo('wh_1'), dueTo('wh_2', 'wh_none'), dueTo('wh_3')]
    expect(await recordEvent(db, eventAt(7, null, { due }))).toMatchObject({
      sequenceNumber: FIRST,
      deliveries: [{ id: deliveryId('wh_3', FIRST), webhookId: 'wh_3', part: 0 }],
      results: [due[2]],
    })
    expect(await countOf('results')).toBe(1)
    expect(await countOf('deliveries')).toBe(1)
    expect(await countOf('webhook_marks')).toBe(1)
    expect((await deliveriesOf(db, 'wh_3', 1))[0]?.result?.data).toBe(dueTo().data)
  })
})

describe('each delivery names the one before it', () => {
  test('without a gap, over skipped blocks, forks and a pause', async () => {
    await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'))
    const event = (index: number, height: number, ...ids: string[]) =>
      recordEvent(
        db,
        eventAt(height, index === 0 ? null : FIRST + index - 1, {
          kind: index === 0 ? 'first' : index === 3 ? 'forks' : 'extends',
          due: ids.length > 0 ? [dueTo(...ids)] : [],
        }),
      )
    await event(0, 7, 'wh_1', 'wh_2')
    await event(1, 8, 'wh_1')
    await event(2, 9)
    await event(3, 8, 'wh_1')
    await changeWebhook(db, TEAM_A, 'wh_1', PAUSED)
    await event(4, 9, 'wh_1')
    await changeWebhook(db, TEAM_A, 'wh_1', ACTIVE)
    await event(5, 10, 'wh_1', 'wh_2')

    const links = async (id: string) =>
      (await deliveriesOf(db, id, 10)).map((one) => [one.sequenceNumber, one.previousSequence])
    expect(await links('wh_1')).toEqual([
      [FIRST + 5, FIRST + 3],
      [FIRST + 3, FIRST + 1],
      [FIRST + 1, FIRST],
      [FIRST, null],
    ])
    expect(await links('wh_2')).toEqual([
      [FIRST + 5, FIRST],
      [FIRST, null],
    ])
  })
})

describe('who is told that a height came out empty after a fork', () => {
  test('active webhooks that asked for it and had a delivery of that height', async () => {
    const told = { notifyRemoved: true }
    await addWebhooks(
      db,
      webhookCalled('wh_told', told),
      webhookCalled('wh_nothing_there', told),
      webhookCalled('wh_never_asked'),
      webhookCalled('wh_paused', told),
      webhookCalled('wh_deleted', told),
      webhookCalled('wh_elsewhere', { ...told, network: 'BASE_MAINNET' }),
    )
    const due = [dueTo('wh_told', 'wh_never_asked', 'wh_paused', 'wh_deleted')]
    await recordEvent(db, eventAt(7, null, { due }))
    await recordEvent(db, eventAt(8, FIRST, { due: [dueTo('wh_nothing_there')] }))
    const elsewhere = { network: 'BASE_MAINNET', due: [dueTo('wh_elsewhere')] }
    await recordEvent(db, eventAt(7, null, elsewhere))
    await changeWebhook(db, TEAM_A, 'wh_paused', PAUSED)
    await deleteWebhook(db, TEAM_A, 'wh_deleted')

    expect(await webhooksWithDeliveryAt(db, NETWORK, 7)).toEqual(new Set(['wh_told']))
    expect(await webhooksWithDeliveryAt(db, NETWORK, 8)).toEqual(new Set(['wh_nothing_there']))
    expect(await webhooksWithDeliveryAt(db, NETWORK, 9)).toEqual(new Set())
    expect(await webhooksWithDeliveryAt(db, 'BASE_MAINNET', 7)).toEqual(new Set(['wh_elsewhere']))
  })
})
