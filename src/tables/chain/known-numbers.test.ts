import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshPostgres, freshStore } from '../../../tests/fresh-store.ts'
import { quietTelemetry } from '../../../tests/support/basics/quiet-telemetry.ts'
import { testClock } from '../../../tests/support/basics/test-clock.ts'
import { testWorld } from '../../../tests/support/basics/test-world.ts'
import {
  addWebhooks,
  eventAt,
  insertTeams,
  NETWORK,
  sequenceAt,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { lacksPostgres } from '../../../tests/support/product/world.ts'
import { faultyDatabase } from '../../../tests/support/store/faulty-database.ts'
import { type Database, sql } from '../../ports/database.ts'
import { openMachineSignals } from '../../ports/driver-parts/machine-signals.ts'
import { bumpRevision, isOtherHistory, readRevision } from '../sql/revisions.ts'
import { type RecordedEvent, recordEvent } from './chain-events.ts'
import { readChain } from './chain-tail.ts'
import { type KnownNumbers, openKnownNumbers } from './known-numbers.ts'

const BASE = 1_000_000_000_000
const DATA = '{"block":{}}'

let standby: Database
let telemetry: ReturnType<typeof quietTelemetry>
let known: KnownNumbers
const signals = openMachineSignals()

/** A process that was connected to the primary, and is to its standby now. */
function open(): KnownNumbers {
  return openKnownNumbers(testWorld({ clock: testClock(), database: standby, signals, telemetry }))
}

beforeEach(async () => {
  standby = await freshStore()
  telemetry = quietTelemetry()
  known = open()
})
afterEach(() => standby.close())

/** All that was announced so far has reached every process. */
async function heard(): Promise<void> {
  const last = Promise.withResolvers<void>()
  const unsubscribe = signals.subscribe('numbers', (text) => text === 'last' && last.resolve())
  signals.publish('numbers', 'last')
  await last.promise
  unsubscribe()
}

/** Has a store follow blocks from 100 on; the number of the last event. */
async function follow(db: Database, count: number): Promise<number> {
  for (let at = 0; at < count; at++) {
    const kind = at === 0 ? 'first' : 'extends'
    await recordEvent(db, eventAt(100 + at, at === 0 ? null : BASE + at, { kind }))
  }
  return BASE + count
}

/** Records one more event, as a follower does that has read the chain. */
async function next(height: number, kind: 'first' | 'extends' | 'forks'): Promise<RecordedEvent> {
  const chain = await readChain(standby, NETWORK)
  const previous = chain?.sequenceNumber ?? null
  const recorded = await recordEvent(standby, eventAt(height, previous, { kind, fork: '-new' }))
  if (recorded === 'lost') throw new Error('another moved the chain')
  return recorded
}

describe('a store that has lost its latest commits', () => {
  test('gives no number again that was used, and keeps those of older heights', async () => {
    await follow(standby, 3)
    known.note(NETWORK, BASE + 6, 12)
    await known.restore()
    expect((await next(103, 'extends')).sequenceNumber).toBe(BASE + 7)
    expect((await next(104, 'extends')).sequenceNumber).toBe(BASE + 8)
    const numbers = [100, 101, 102, 103, 104].map((height) => sequenceAt(standby, NETWORK, height))
    expect(await Promise.all(numbers)).toEqual([1, 2, 3, 7, 8].map((at) => BASE + at))
    expect(telemetry.events).toEqual(['store_went_back'])
  })

  test('may go on with another branch', async () => {
    await follow(standby, 3)
    known.note(NETWORK, BASE + 6, 12)
    await known.restore()
    expect((await next(101, 'forks')).sequenceNumber).toBe(BASE + 7)
    expect((await next(102, 'extends')).sequenceNumber).toBe(BASE + 8)
    const numbers = [100, 101, 102].map((height) => sequenceAt(standby, NETWORK, height))
    expect(await Promise.all(numbers)).toEqual([1, 7, 8].map((at) => BASE + at))
  })

  test('may lack the network altogether', async () => {
    known.note(NETWORK, BASE + 6, 12)
    await known.restore()
    expect((await next(103, 'first')).sequenceNumber).toBe(BASE + 7)
    expect(await sequenceAt(standby, NETWORK, 50)).toBeNull()
    expect(await sequenceAt(standby, NETWORK, 103)).toBe(BASE + 7)
  })

  test('is restored once by all processes, and again when one knows more', async () => {
    await follow(standby, 3)
    await bumpRevision(standby, 'webhooks')
    const other = open()
    for (const one of [known, other]) one.note(NETWORK, BASE + 6, 12)
    await Promise.all([known.restore(), other.restore()])
    expect(telemetry.events).toEqual(['store_went_back'])
    const revision = await readRevision(standby, 'webhooks')
    await known.restore()
    expect(await readRevision(standby, 'webhooks')).toBe(revision)
    other.note(NETWORK, BASE + 9, 15)
    await other.restore()
    expect((await next(103, 'extends')).sequenceNumber).toBe(BASE + 10)
  })

  test('has everything that was held in memory read again', async () => {
    await follow(standby, 3)
    const before = await bumpRevision(standby, 'webhooks')
    known.note(NETWORK, BASE + 6, 12)
    await known.restore()
    const after = await readRevision(standby, 'webhooks')
    // A process may have read revisions that the store lost.
    for (const held of [before, before + 5]) expect(isOtherHistory(held, after)).toBe(true)
    expect(isOtherHistory(after, await bumpRevision(standby, 'webhooks'))).toBe(false)
  })

  test('is recognized by what other processes have announced', async () => {
    await follow(standby, 3)
    open().announce({ network: NETWORK, sequenceNumber: BASE + 6, event: 12 })
    await heard()
    await known.restore()
    expect((await next(103, 'extends')).sequenceNumber).toBe(BASE + 7)
  })
})

describe('a store that has all of its commits', () => {
  test('is not taken for one that lost those that are made while it is read', async () => {
    const faulty = faultyDatabase(standby)
    const last = await follow(standby, 3)
    known = openKnownNumbers(
      testWorld({ clock: testClock(), database: faulty, signals, telemetry }),
    )
    known.note(NETWORK, last, 3)
    const answer = Promise.withResolvers<void>()
    faulty.hold = answer.promise
    const restored = known.restore()
    faulty.hold = null
    const { sequenceNumber } = await next(103, 'extends')
    known.note(NETWORK, sequenceNumber, 4)
    answer.resolve()
    await restored
    expect(telemetry.events).toEqual([])
    expect((await readChain(standby, NETWORK))?.sequenceNumber).toBe(sequenceNumber)
  })

  test('is not raised to a number that no failover explains', async () => {
    const last = await follow(standby, 3)
    known.note(NETWORK, last + 1_000_001, 3)
    await known.restore()
    expect((await readChain(standby, NETWORK))?.sequenceNumber).toBe(last)
  })

  test('is left as it is', async () => {
    const last = await follow(standby, 3)
    known.note(NETWORK, last, 3)
    // A replay of a height from before anything was followed carries its block number.
    known.note('OTHER', 42, 4)
    await known.restore()
    expect((await readChain(standby, NETWORK))?.sequenceNumber).toBe(last)
    expect(await readChain(standby, 'OTHER')).toBeNull()
    expect(telemetry.events).toEqual([])
  })

  test('ignores announcements that are none', async () => {
    const last = await follow(standby, 3)
    for (const text of ['', 'x', '1 2', '99999999999999999999 1 A', `-5 1 ${NETWORK}`]) {
      signals.publish('numbers', text)
    }
    await heard()
    await known.restore()
    expect((await readChain(standby, NETWORK))?.sequenceNumber).toBe(last)
  })
})

describe.skipIf(lacksPostgres())('on PostgreSQL', () => {
  test('the numbers of events continue above those that were lost', async () => {
    await standby.close()
    standby = await freshPostgres()
    known = open()
    await insertTeams(standby)
    await addWebhooks(standby, webhookCalled('wh_1'))
    await follow(standby, 3)
    const due = [{ data: DATA, bytes: 12, truncation: null, isVerified: false }]
    const withDelivery = async (height: number) => {
      const previous = (await readChain(standby, NETWORK))?.sequenceNumber ?? null
      const event = eventAt(height, previous, { kind: 'extends' })
      const results = due.map((one) => ({ ...one, webhookIds: ['wh_1'] }))
      return (await recordEvent(standby, { ...event, due: results })) as RecordedEvent
    }
    const { event } = await withDelivery(103)
    known.note(NETWORK, BASE + 50, (event ?? 0) + 1000)
    await known.restore()
    expect((await withDelivery(104)).event).toBeGreaterThan((event ?? 0) + 1000)
    const [counted] = await standby.query<{ events: number }>(sql`
      SELECT COUNT(*) AS events FROM events`)
    expect(counted?.events).toBe(2)
  })
})
