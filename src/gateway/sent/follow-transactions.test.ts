import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { quietTelemetry } from '../../../tests/support/quiet-telemetry.ts'
import {
  blockAt,
  openScriptedNetwork,
  type ScriptedNetwork,
} from '../../../tests/support/scripted-network.ts'
import { openSqlite } from '../../embedded/database/sqlite-database.ts'
import type { Database } from '../../ports/database.ts'
import { migrate } from '../../tables/migrate.ts'
import { listSent } from '../../tables/sent/sent-transactions.ts'
import { followTransactions, type TransactionTracker } from './follow-transactions.ts'

const HASH = `0x${'ab'.repeat(32)}`
const RAW = '0x02'
const FROM = `0x${'22'.repeat(20)}`
const MINUTE = 60_000

let db: Database
let stage: ScriptedNetwork
let tracker: TransactionTracker
/** What each node says of the transaction. */
let receipt: unknown
let inPoolOf: Set<string>
let nonce: string
let height: number

beforeEach(async () => {
  db = openSqlite(':memory:')
  await migrate(db)
  stage = await openScriptedNetwork([{ name: 'a' }, { name: 'b' }])
  receipt = null
  inPoolOf = new Set()
  nonce = '0x5'
  height = 1000
  const polls = stage.outbound.auto
  stage.outbound.auto = (call) => {
    if (polls(call)) return true
    const node = new URL(call.url).hostname
    if (call.method === 'eth_getTransactionReceipt') call.result(receipt)
    else if (call.method === 'eth_sendRawTransaction') call.result(HASH)
    else if (call.method === 'eth_getTransactionByHash') {
      call.result(inPoolOf.has(node) ? { hash: HASH, from: FROM, nonce: '0x5' } : null)
    } else if (call.method === 'eth_getTransactionCount') call.result(nonce)
    else return false
    return true
  }
  tracker = follow('us')
})
afterEach(async () => {
  await tracker.stop()
  stage.network.stop()
  await db.close()
})

function follow(holder: string, database = db): TransactionTracker {
  const { clock, network } = stage
  return followTransactions({ clock, database, telemetry: quietTelemetry(), holder }, network)
}

function note(upstream = 'a', hash = HASH, app = 'app_1'): void {
  const sentAtMs = stage.clock.nowMs()
  stage.network.sent.note({ app, hash, upstream, sentAtMs, raw: RAW })
}

async function mine(blocks = 1): Promise<void> {
  height += blocks
  for (const name of ['a', 'b']) stage.node(name).block = blockAt(height)
  await stage.clock.advance(6000)
}

const log = () => listSent(db, 'app_1', { state: null, after: null, limit: 10 })
const state = async () => (await log())[0]?.state
const asked = (method: string) => stage.outbound.calls.filter((call) => call.method === method)

describe('a transaction that was sent', () => {
  test('is in the log within a second, with all who took it', async () => {
    note('a')
    note('b')
    expect(await log()).toEqual([])
    await stage.clock.advance(1000)
    expect(await log()).toMatchObject([{ state: 'pending', hash: HASH, upstreams: ['a', 'b'] }])
    note('c')
    await stage.clock.advance(1000)
    expect((await log())[0]?.upstreams).toEqual(['a', 'b', 'c'])
  })

  test.each([
    ['mined', '0x1'],
    ['failed', '0x0'],
    ['mined', undefined],
  ])('is %s once a receipt says %p, and is not asked about again', async (wanted, status) => {
    note()
    await mine()
    expect(await state()).toBe('pending')
    receipt = { blockNumber: '0x3ea', status }
    await mine()
    await stage.clock.advance(1000)
    expect(await log()).toMatchObject([{ state: wanted, blockNumber: 1002 }])
    const before = asked('eth_getTransactionReceipt').length
    await mine()
    expect(asked('eth_getTransactionReceipt').length).toBe(before)
  })

  test('is dropped when no node has had it for ten minutes, and not before', async () => {
    note()
    for (let minute = 0; minute < 9; minute++) await stage.clock.advance(MINUTE)
    expect(await state()).toBe('pending')
    await stage.clock.advance(2 * MINUTE)
    expect(await log()).toMatchObject([{ state: 'dropped', blockNumber: null }])
  })

  test('is pending for as long as any node has it', async () => {
    note()
    inPoolOf = new Set(['b'])
    for (let minute = 0; minute < 30; minute++) await stage.clock.advance(MINUTE)
    expect(await state()).toBe('pending')
    inPoolOf = new Set()
    await stage.clock.advance(12 * MINUTE)
    expect(await state()).toBe('dropped')
  })

  test('is dropped soon when another one took its nonce', async () => {
    note()
    inPoolOf = new Set(['a', 'b'])
    await stage.clock.advance(MINUTE)
    inPoolOf = new Set()
    nonce = '0x6'
    await stage.clock.advance(2 * MINUTE)
    expect(await state()).toBe('dropped')
  })

  test('is sent again, now and then, while no pool has it', async () => {
    note()
    inPoolOf = new Set(['a', 'b'])
    await stage.clock.advance(3 * MINUTE)
    expect(asked('eth_sendRawTransaction')).toHaveLength(0)
    inPoolOf = new Set()
    await stage.clock.advance(3 * MINUTE)
    const again = asked('eth_sendRawTransaction')
    expect(again.map(({ params }) => params)).toEqual(again.map(() => [RAW]))
    expect(again.length).toBeGreaterThanOrEqual(2)
    expect(again.length).toBeLessThanOrEqual(4)
  })

  test('is pending while nodes do not answer', async () => {
    note()
    const silent = ['eth_getTransactionReceipt', 'eth_getTransactionByHash']
    const usual = stage.outbound.auto
    stage.outbound.auto = (call) => {
      if (!silent.includes(call.method)) return usual(call)
      call.status(500)
      return true
    }
    await stage.clock.advance(15 * MINUTE)
    expect(await state()).toBe('pending')
  })
})

describe('of two processes', () => {
  test('one follows a transaction, and the other when it has stopped', async () => {
    note()
    await stage.clock.advance(1000)
    await tracker.stop()
    tracker = follow('them')
    receipt = { blockNumber: '0x3ea', status: '0x1' }
    await stage.clock.advance(MINUTE)
    expect(await state()).toBe('mined')
  })

  test('the other waits for a minute when it was killed', async () => {
    await tracker.stop()
    let isKilled = false
    const dead = () => Promise.reject(new Error('killed'))
    const mortal: Database = {
      ...db,
      query: (statement) => (isKilled ? dead() : db.query(statement)),
      each: (statement, rows) => (isKilled ? dead() : db.each(statement, rows)),
    }
    const killed = follow('killed', mortal)
    note()
    await stage.clock.advance(1000)
    isKilled = true
    tracker = follow('them')
    receipt = { blockNumber: '0x3ea', status: '0x1' }
    await stage.clock.advance(MINUTE / 2)
    expect(await state()).toBe('pending')
    await stage.clock.advance(MINUTE)
    expect(await state()).toBe('mined')
    await killed.stop()
  })
})

test('an app that sends a lot leaves room for others', async () => {
  for (let at = 0; at < 1500; at++) note('a', `0x${at.toString(16).padStart(64, '0')}`, 'app_2')
  note()
  await stage.clock.advance(1000)
  const ofOthers = await listSent(db, 'app_2', { state: null, after: null, limit: 2000 })
  expect(ofOthers).toHaveLength(1500)
  receipt = { blockNumber: '0x3ea', status: '0x1' }
  for (let block = 0; block < 4; block++) await mine()
  expect(await state()).toBe('mined')
  // Those beyond its share are taken up as others are done.
  await stage.clock.advance(3 * MINUTE)
  const left = await listSent(db, 'app_2', { state: 'pending', after: null, limit: 2000 })
  expect(left).toHaveLength(0)
})

test('what cannot be written is kept until it can', async () => {
  await tracker.stop()
  let isAway = true
  const flaky: Database = {
    ...db,
    query: (statement) => (isAway ? Promise.reject(new Error('away')) : db.query(statement)),
  }
  tracker = follow('us', flaky)
  note()
  await stage.clock.advance(3000)
  expect(await log()).toEqual([])
  isAway = false
  await stage.clock.advance(1000)
  expect(await state()).toBe('pending')
})
