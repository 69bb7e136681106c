import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../tests/fresh-store.ts'
import { type TestClock, testClock } from '../../tests/support/basics/test-clock.ts'
import { testWorld } from '../../tests/support/basics/test-world.ts'
import {
  addWebhooks,
  insertTeams,
  NETWORK,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from '../../tests/support/deliveries/webhook-store.ts'
import type { Block } from '../core/chain/block.ts'
import { type Database, type Sql, sql } from '../ports/database.ts'
import type { World } from '../ports/world.ts'
import { readRevision, startNewEra } from '../tables/sql/revisions.ts'
import { addItems, deleteVariable, removeItems } from '../tables/webhooks/variables.ts'
import { changeWebhook, deleteWebhook } from '../tables/webhooks/webhooks.ts'
import { openStandingQueries, type StandingQueries } from './standing-queries.ts'

const ALICE = `0x${'a1'.repeat(20)}`
const BOB = `0x${'b0'.repeat(20)}`
const FROM_WHO =
  'query ($who: [Address!]) { block { transactions(filter: {addresses: {from: $who}}) { hash } } }'

let db: Database
let clock: TestClock
let standing: StandingQueries

beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
  clock = testClock()
  standing = open()
})
afterEach(() => db.close())

describe('the standing queries', () => {
  test('are those of active webhooks, each on its network', async () => {
    await addWebhooks(
      db,
      webhookCalled('wh_1'),
      webhookCalled('wh_2', { state: 'paused', reason: 'MANUAL' }),
      webhookCalled('wh_3', { network: 'BASE_MAINNET' }),
    )
    expect(await due()).toEqual(['wh_1'])
    expect(await due('BASE_MAINNET')).toEqual(['wh_3'])
    expect(await due('OTHER')).toEqual([])
  })

  test('are read again when the store has lost the latest changes', async () => {
    await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'))
    expect(await due()).toEqual(['wh_1', 'wh_2'])
    const revision = await readRevision(db, 'webhooks')
    await deleteWebhook(db, TEAM_A, 'wh_1')
    await addItems(db, { teamId: TEAM_A, name: 'who', kind: 'Address', items: [ALICE] })
    expect(await due()).toEqual(['wh_2'])

    // As a standby that is promoted without the last two changes, and has had two others since.
    await db.query(sql`UPDATE webhooks SET state = 'active', revision = ${revision}
      WHERE id = 'wh_1'`)
    await db.query(sql`UPDATE revisions SET revision = ${revision} WHERE topic = 'webhooks'`)
    expect(await due()).toEqual(['wh_1', 'wh_2'])
    await deleteWebhook(db, TEAM_A, 'wh_2')
    await startNewEra(db)
    expect(await due()).toEqual(['wh_1'])
  })

  test('follow every change at the next look', async () => {
    await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'))
    expect(await due()).toEqual(['wh_1', 'wh_2'])
    const paused = { state: 'paused', reason: 'MANUAL' } as const
    await changeWebhook(db, TEAM_A, 'wh_1', { standing: paused })
    expect(await due()).toEqual(['wh_2'])
    await deleteWebhook(db, TEAM_A, 'wh_2')
    expect(await due()).toEqual([])
    await changeWebhook(db, TEAM_A, 'wh_1', { standing: { state: 'active', reason: null } })
    expect(await due()).toEqual(['wh_1'])
    await changeWebhook(db, TEAM_A, 'wh_1', { query: '{ block { hash } }' })
    await standing.refresh()
    expect(standing.engineOf(NETWORK).run(blockFrom(ALICE))[0]?.result.text).toContain('"hash"')
  })

  test('are read page by page, however many there are', async () => {
    const many = Array.from({ length: 450 }, (_, at) => webhookCalled(`wh_${1000 + at}`))
    await addWebhooks(db, ...many)
    expect(await due()).toHaveLength(450)
  })

  test('let everything else go first, again and again, while many of them are read', async () => {
    const many = Array.from({ length: 250 }, (_, at) => webhookCalled(`wh_${1000 + at}`))
    await addWebhooks(db, ...many)
    let rests = 0
    // Each look at the clock finds it a millisecond later, as if a query took that long.
    let nowMs = 0
    const slow = { ...clock, monotonicMs: () => nowMs++, sleep: async () => void rests++ }
    standing = open({ clock: slow })
    expect(await due()).toHaveLength(250)
    expect(rests).toBeGreaterThan(30)
  })

  test('are all there after a first look that the store cut short', async () => {
    const many = Array.from({ length: 250 }, (_, at) => webhookCalled(`wh_${1000 + at}`))
    await addWebhooks(db, ...many, webhookCalled('wh_who', { query: FROM_WHO, skipEmpty: true }))
    await fill([ALICE])
    const failing = storeWith({ answers: 3 })
    standing = open({ database: failing })
    await expect(standing.refresh()).rejects.toThrow('the store is away')
    await deleteWebhook(db, TEAM_A, 'wh_1000')
    expect(await due()).toHaveLength(250)
    expect(await due()).toContain('wh_who')
  })

  test('change all at once or not at all, even if there were none before', async () => {
    const failing = storeWith({ answers: 5 })
    standing = open({ database: failing })
    await standing.refresh()
    const many = Array.from({ length: 250 }, (_, at) => webhookCalled(`wh_${1000 + at}`))
    await addWebhooks(db, ...many)
    await expect(standing.refresh()).rejects.toThrow('the store is away')
    expect(standing.engineOf(NETWORK).size()).toBe(0)
    expect(await due()).toHaveLength(250)
  })

  test('leave out a stored query that cannot be read, and no other', async () => {
    await addWebhooks(db, webhookCalled('wh_1', { query: '{ nonsense' }), webhookCalled('wh_2'))
    expect(await due()).toEqual(['wh_2'])
  })

  test('know who wants to hear of heights that became empty', async () => {
    await addWebhooks(db, webhookCalled('wh_1', { notifyRemoved: true }))
    await standing.refresh()
    expect(standing.notifiesRemoved(NETWORK)).toBe(true)
    expect(standing.notifiesRemoved('OTHER')).toBe(false)
    await changeWebhook(db, TEAM_A, 'wh_1', { notifyRemoved: false })
    await standing.refresh()
    expect(standing.notifiesRemoved(NETWORK)).toBe(false)
  })
})

describe('a variable', () => {
  beforeEach(() => addWebhooks(db, webhookCalled('wh_1', { query: FROM_WHO, skipEmpty: true })))

  test('that is missing or empty matches nothing', async () => {
    expect(await due()).toEqual([])
    await fill([ALICE])
    await removeItems(db, TEAM_A, 'who', [ALICE])
    expect(await due()).toEqual([])
  })

  test('acts as it stands at each look: filled, changed, deleted, made again', async () => {
    await fill([BOB])
    expect(await due()).toEqual([])
    await fill([ALICE])
    expect(await due()).toEqual(['wh_1'])
    await removeItems(db, TEAM_A, 'who', [ALICE])
    expect(await due()).toEqual([])
    await fill([ALICE])
    await deleteVariable(db, TEAM_A, 'who')
    expect(await due()).toEqual([])
    await fill([ALICE])
    expect(await due()).toEqual(['wh_1'])
  })

  test('of another team is another variable', async () => {
    await addItems(db, { teamId: TEAM_B, name: 'who', kind: 'Address', items: [ALICE] })
    expect(await due()).toEqual([])
  })

  test('filled before its webhook was made is there from the start', async () => {
    await fill([ALICE])
    await standing.refresh()
    await addWebhooks(db, webhookCalled('wh_2', { query: FROM_WHO, skipEmpty: true }))
    expect(await due()).toEqual(['wh_1', 'wh_2'])
  })

  test('with more items than fit on a page is read whole', async () => {
    const items = Array.from(
      { length: 10_000 },
      (_, at) => `0x${at.toString(16).padStart(40, '0')}`,
    )
    await fill(items)
    await fill([...items.slice(0, 9_000).map((item) => item.replace('0x0', '0x1')), ALICE])
    expect(await due()).toEqual(['wh_1'])
    await removeItems(db, TEAM_A, 'who', [ALICE])
    expect(await due()).toEqual([])
  })
})

function open(parts: Partial<World> = {}): StandingQueries {
  return openStandingQueries(testWorld({ clock, database: db, ...parts }), [1, 2])
}

/** The store, which fails once after so many answers. */
function storeWith({ answers }: { answers: number }): Database {
  let left = answers
  return {
    ...db,
    query: async <Row>(statement: Sql) => {
      if (left-- === 0) throw new Error('the store is away')
      return db.query<Row>(statement)
    },
  }
}

async function fill(items: string[]): Promise<void> {
  await addItems(db, { teamId: TEAM_A, name: 'who', kind: 'Address', items })
}

/** Whose queries have something to say on a block with one transaction of Alice's. */
async function due(network = NETWORK): Promise<string[]> {
  await standing.refresh()
  const results = standing.engineOf(network).run(blockFrom(ALICE))
  return results.flatMap(({ ids }) => ids).sort()
}

function blockFrom(from: string): Block {
  const hash = `0x${'cc'.repeat(32)}`
  const raw = { hash, from, transactionIndex: '0x0' }
  const transaction = { index: 0, hash, from, to: null, raw, receipt: null, logs: [] }
  return {
    header: { number: 1, hash, parentHash: hash },
    raw: { number: '0x1', hash },
    has: { transactions: true, receipts: true, traces: true },
    transactionCount: 1,
    transactions: [transaction],
    logs: [],
    traces: [],
  }
}
