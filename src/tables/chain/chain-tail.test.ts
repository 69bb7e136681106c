import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { eachSeed } from '../../../tests/support/basics/each-seed.ts'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { sized } from '../../../tests/support/basics/sized.ts'
import { eventAt, NETWORK, sequenceAt } from '../../../tests/support/deliveries/webhook-store.ts'
import { type Database, sql } from '../../ports/database.ts'
import { recordEvent } from './chain-events.ts'
import { beginAnew, type ChainMove, followedAt, readChain } from './chain-tail.ts'

const BASE = 1_000_000_000_000
const SEEDS = sized(8, 40)
const EVENTS_PER_SEED = 60

let db: Database
beforeEach(async () => {
  db = await freshStore()
})
afterEach(() => db.close())

/** Records blocks of these heights one after the other: a height already passed is a fork. */
function follow(...heights: number[]): Promise<void> {
  return followOn(NETWORK, heights)
}

async function followOn(network: string, heights: readonly number[]): Promise<void> {
  let tip = -1
  for (const [index, height] of heights.entries()) {
    const kind = index === 0 ? 'first' : height === tip + 1 ? 'extends' : 'forks'
    const previous = index === 0 ? null : BASE + index
    const recorded = await recordEvent(
      db,
      eventAt(height, previous, { network, kind, fork: `-${index}` }),
    )
    expect(recorded).toMatchObject({ sequenceNumber: BASE + index + 1, deliveries: [] })
    tip = height
  }
}

describe('a chain that begins anew under its old name', () => {
  test('is followed from its own first block, and its events go on being counted', async () => {
    await follow(100, 101, 102)
    await beginAnew(db, NETWORK)
    expect(await readChain(db, NETWORK)).toEqual({
      sequenceNumber: BASE + 3,
      finalized: null,
      headers: [],
    })

    const recorded = await recordEvent(db, eventAt(1, BASE + 3, { kind: 'first' }))
    expect(recorded).toMatchObject({ sequenceNumber: BASE + 4 })
    expect(await sequenceAt(db, NETWORK, 1)).toBe(BASE + 4)
    expect(await sequenceAt(db, NETWORK, 102)).toBeNull()
  })
})

describe('the stored chain', () => {
  test('is nothing before the first event, and each network has its own', async () => {
    expect(await readChain(db, NETWORK)).toBeNull()
    await follow(100)
    expect(await readChain(db, 'BASE_MAINNET')).toBeNull()
    expect(await sequenceAt(db, 'BASE_MAINNET', 100)).toBeNull()
  })

  test('starts to count at 1,000,000,000,001', async () => {
    await follow(100)
    expect(await readChain(db, NETWORK)).toEqual({
      sequenceNumber: 1_000_000_000_001,
      finalized: null,
      headers: [{ number: 100, hash: '0x100-0', parentHash: '0x99' }],
    })
  })

  test('is its tail in order, with replaced blocks gone', async () => {
    await follow(100, 101, 102, 103, 102, 103, 104)
    const chain = await readChain(db, NETWORK)
    expect(chain?.sequenceNumber).toBe(BASE + 7)
    expect(chain?.headers.map(({ hash }) => hash)).toEqual([
      '0x100-0',
      '0x101-1',
      '0x102-4',
      '0x103-5',
      '0x104-6',
    ])
  })

  test('lets go of the blocks below the height to keep from', async () => {
    await follow(100, 101, 102)
    await recordEvent(db, eventAt(103, BASE + 3, { keepFrom: 102, finalized: 101 }))
    const chain = await readChain(db, NETWORK)
    expect(chain?.finalized).toBe(101)
    expect(chain?.headers.map(({ number }) => number)).toEqual([102, 103])
  })

  test('what was final stays final when an event cannot say', async () => {
    await recordEvent(db, eventAt(100, null, { finalized: 90 }))
    await recordEvent(db, eventAt(101, BASE + 1))
    expect((await readChain(db, NETWORK))?.finalized).toBe(90)
  })

  test.each<[string, Partial<ChainMove> & { number: number; previous: number | null }]>([
    ['a gap', { number: 103, previous: BASE + 2 }],
    ['an old height as if it extended', { number: 101, previous: BASE + 2 }],
    ['a first event after others', { number: 102, previous: BASE + 2, kind: 'first' }],
    ['a fork before anything', { number: 102, previous: null, kind: 'forks' }],
    ['a tail without its tip', { number: 102, previous: BASE + 2, keepFrom: 103 }],
  ])('refuses %s as a bug and stays as it is', async (_, { number, previous, ...rest }) => {
    await follow(100, 101)
    const before = await readChain(db, NETWORK)
    await expect(recordEvent(db, eventAt(number, previous, rest))).rejects.toThrow('invariant')
    expect(await readChain(db, NETWORK)).toEqual(before)
  })
})

describe('the sequence number of a height', () => {
  test('is that of the event that made it canonical, after several forks too', async () => {
    //           1    2    3    4    5    6    7    8    9
    await follow(100, 101, 102, 103, 102, 103, 104, 101, 102)
    const numbers = await Promise.all(
      [99, 100, 101, 102, 103].map((n) => sequenceAt(db, NETWORK, n)),
    )
    expect(numbers).toEqual([null, BASE + 1, BASE + 8, BASE + 9, null])
  })

  test('blocks that merely extend the chain take up no room', async () => {
    await follow(...Array.from({ length: 50 }, (_, index) => 100 + index))
    expect(await db.query(sql`SELECT COUNT(*) AS count FROM chain_spans`)).toEqual([{ count: 1 }])
  })

  test('agrees with a list that notes every height', () =>
    eachSeed(SEEDS, async (seed) => {
      const network = `NETWORK_${seed}`
      const chance = seededChance(seed)
      const first = chance.between(0, 1_000)
      const heights = [first]
      const noted = new Map([[first, BASE + 1]])
      for (let event = 2; event <= EVENTS_PER_SEED; event++) {
        const tip = heights.at(-1) ?? first
        const forks = chance.fraction() < 0.3
        const height = forks ? chance.between(Math.max(first, tip - 12), tip) : tip + 1
        heights.push(height)
        for (const above of noted.keys()) if (above > height) noted.delete(above)
        noted.set(height, BASE + event)
      }

      await followOn(network, heights)
      for (let height = first - 2; height <= first + EVENTS_PER_SEED; height++) {
        expect(await sequenceAt(db, network, height)).toBe(noted.get(height) ?? null)
      }
    }))
})

describe('a height', () => {
  test('has the number of the event that made its block canonical, reorganised or not', async () => {
    await follow(100, 101, 102, 101, 102, 103)
    const shown = async (number: number) => {
      const { sequenceNumber, header } = (await followedAt(db, NETWORK, number)) ?? {}
      return [sequenceNumber, header?.hash]
    }
    expect(await shown(100)).toEqual([BASE + 1, '0x100-0'])
    expect(await shown(101)).toEqual([BASE + 4, '0x101-3'])
    expect(await shown(103)).toEqual([BASE + 6, '0x103-5'])
  })

  test('has no number when it is older than anything followed', async () => {
    await follow(100, 101)
    expect(await followedAt(db, NETWORK, 99)).toEqual({ sequenceNumber: null, header: null })
  })

  test('that has left the tail keeps its number', async () => {
    await follow(100, 101)
    await recordEvent(db, eventAt(102, BASE + 2, { keepFrom: 102 }))
    expect(await followedAt(db, NETWORK, 101)).toEqual({
      sequenceNumber: BASE + 2,
      header: null,
    })
  })

  test('is unknown above the tip, for a stranger, and where the chain began anew', async () => {
    expect(await followedAt(db, NETWORK, 100)).toBeNull()
    await follow(100, 101)
    expect(await followedAt(db, NETWORK, 102)).toBeNull()
    expect(await followedAt(db, 'BASE_MAINNET', 100)).toBeNull()
    await beginAnew(db, NETWORK)
    expect(await followedAt(db, NETWORK, 100)).toBeNull()
    expect(await followedAt(db, NETWORK, 1)).toBeNull()
  })
})
