import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { seedsTo } from '../../../tests/support/basics/each-seed.ts'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { sized } from '../../../tests/support/basics/sized.ts'
import { fenceOf, LEASE_MS, NOW_MS } from '../../../tests/support/deliveries/delivery-store.ts'
import { HOSTILE_TEXTS } from '../../../tests/support/deliveries/webhook-store.ts'
import { type Database, sql } from '../../ports/database.ts'
import {
  type Fence,
  joinCouriers,
  leaveCouriers,
  liveCouriers,
  releaseShards,
  renewLease,
  SHARDS,
  shardOf,
  takeShards,
} from './shards.ts'

const ALL = Array.from({ length: SHARDS }, (_, at) => at)
const LATE_MS = NOW_MS + LEASE_MS

let db: Database
beforeEach(async () => {
  db = await freshStore()
})
afterEach(() => db.close())

const ownerOf = async (shard: number) => {
  const [row] = await db.query<{ courier: string | null }>(sql`
    SELECT courier FROM shards WHERE shard = ${shard}`)
  return row?.courier ?? null
}

test('the numbers of webhooks spread evenly over all shards', () => {
  expect(ALL.map((at) => shardOf(1 + at)).toSorted((a, b) => a - b)).toEqual(ALL)
  expect(shardOf(256)).toBe(0)
  expect(shardOf(16_777_215)).toBe(255)
})

test('one courier alone has all shards, and keeps them when it asks again', async () => {
  const only = await fenceOf(db)
  expect(await takeShards(db, only, NOW_MS, SHARDS)).toEqual(ALL)
  expect(await takeShards(db, only, NOW_MS, SHARDS)).toEqual(ALL)
  expect(await liveCouriers(db, NOW_MS)).toBe(1)
})

test.each(HOSTILE_TEXTS)('a courier may have any name (%#)', async (name) => {
  const fence = await fenceOf(db, name)
  expect(await takeShards(db, fence, NOW_MS, 3)).toEqual([0, 1, 2])
  expect(await renewLease(db, fence)).toBe(true)
})

describe('a token', () => {
  test('is higher in each life of a courier, and fences the lives before', async () => {
    const lives: Fence[] = []
    for (let life = 0; life < 3; life++) lives.push(await fenceOf(db))
    expect(lives[1]!.token).toBeGreaterThan(lives[0]!.token)
    expect(lives[2]!.token).toBeGreaterThan(lives[1]!.token)
    expect(await renewLease(db, lives[0]!)).toBe(false)
    expect(await renewLease(db, lives[1]!)).toBe(false)
    expect(await renewLease(db, lives[2]!)).toBe(true)
    expect(await takeShards(db, lives[1]!, NOW_MS, SHARDS)).toEqual([])
  })

  test('is not known of a courier that never joined', async () => {
    expect(await renewLease(db, { courier: 'nobody', token: 1, untilMs: LATE_MS })).toBe(false)
  })

  test('of one that was away for days and is forgotten does not come back', async () => {
    const old = await fenceOf(db, 'old')
    const dayMs = 24 * 3_600_000
    await fenceOf(db, 'other', NOW_MS + 2 * dayMs)
    expect(await db.query(sql`SELECT courier FROM couriers`)).toEqual([{ courier: 'other' }])
    expect(await renewLease(db, old)).toBe(false)
    const again = await fenceOf(db, 'old', NOW_MS + 2 * dayMs)
    expect(again.token).toBeGreaterThan(old.token)
    await leaveCouriers(db, again)
    // Whatever became of its clock.
    expect((await fenceOf(db, 'old', 1_000)).token).toBeGreaterThan(again.token)
  })
})

describe('a lease', () => {
  const untilOf = async () => {
    const [row] = await db.query<{ until_ms: number }>(sql`SELECT until_ms FROM couriers`)
    return row?.until_ms
  }

  test('is not shortened by a renewal that is carried out late', async () => {
    const fence = await fenceOf(db)
    await renewLease(db, { ...fence, untilMs: LATE_MS + 3_000 })
    await renewLease(db, { ...fence, untilMs: LATE_MS + 1_000 })
    expect(await untilOf()).toBe(LATE_MS + 3_000)
    expect(await takeShards(db, fence, NOW_MS, 1)).toEqual([0])
    expect(await untilOf()).toBe(LATE_MS + 3_000)
  })

  test('that a wrong clock put far ahead is put right by the next renewal', async () => {
    const fence = await fenceOf(db)
    await renewLease(db, { ...fence, untilMs: LATE_MS + 3_600_000 })
    await renewLease(db, fence)
    expect(await untilOf()).toBe(LATE_MS)
  })
})

describe('shards', () => {
  test('of a living courier are left to it', async () => {
    await takeShards(db, await fenceOf(db, 'a'), NOW_MS, 200)
    const b = await fenceOf(db, 'b')
    expect(await takeShards(db, b, LATE_MS - 1, SHARDS)).toEqual(ALL.slice(200))
    expect(await ownerOf(0)).toBe('a')
  })

  test('of one whose lease lapsed are taken, and it is fenced with that', async () => {
    const a = await fenceOf(db, 'a')
    await takeShards(db, a, NOW_MS, SHARDS)
    const b = await fenceOf(db, 'b', LATE_MS)
    expect(await takeShards(db, b, LATE_MS, 10)).toEqual(ALL.slice(0, 10))
    expect(await renewLease(db, a)).toBe(false)
    expect(await takeShards(db, a, LATE_MS, SHARDS)).toEqual([])
    expect(await ownerOf(100)).toBeNull()
  })

  test('are given up by their owner alone', async () => {
    const a = await fenceOf(db, 'a')
    const b = await fenceOf(db, 'b')
    await takeShards(db, a, NOW_MS, 4)
    await releaseShards(db, b, [0, 1])
    expect(await ownerOf(0)).toBe('a')
    const later = await fenceOf(db, 'a')
    await releaseShards(db, a, [0, 1])
    expect(await ownerOf(0)).toBe('a')
    await releaseShards(db, later, [0, 1])
    await releaseShards(db, later, [])
    expect(await takeShards(db, b, NOW_MS, 2)).toEqual([0, 1])
  })

  test('beyond what is wanted are kept until they are released', async () => {
    const a = await fenceOf(db, 'a')
    await takeShards(db, a, NOW_MS, SHARDS)
    expect(await takeShards(db, a, NOW_MS, 100)).toEqual(ALL)
    await releaseShards(db, a, ALL.slice(100))
    expect(await takeShards(db, a, NOW_MS, 100)).toEqual(ALL.slice(0, 100))
  })

  test('are free at once when their courier leaves', async () => {
    const a = await fenceOf(db, 'a')
    await takeShards(db, a, NOW_MS, SHARDS)
    await leaveCouriers(db, a)
    expect(await liveCouriers(db, NOW_MS)).toBe(0)
    expect(await renewLease(db, a)).toBe(false)
    const b = await fenceOf(db, 'b')
    expect(await takeShards(db, b, NOW_MS, SHARDS)).toEqual(ALL)
  })

  test('stay where they are when an earlier life leaves late', async () => {
    const old = await fenceOf(db, 'a')
    const young = await fenceOf(db, 'a')
    await takeShards(db, young, NOW_MS, SHARDS)
    await leaveCouriers(db, old)
    expect(await ownerOf(0)).toBe('a')
    expect(await renewLease(db, young)).toBe(true)
  })
})

test.each(seedsTo(sized(1, 4)))(
  'whoever comes and goes, no shard has two owners that may write (%d)',
  async (seed) => {
    const chance = seededChance(seed)
    const believed = new Map<Fence, Set<number>>()
    let nowMs = NOW_MS
    for (let step = 0; step < 120; step++) {
      const deed = chance.between(0, 9)
      const [fence, shards] = believed.size > 0 ? chance.pick([...believed]) : [null, null]
      if (!fence || deed === 0) {
        const courier = chance.pick(['a', 'b', 'c'])
        const untilMs = nowMs + LEASE_MS
        const token = await joinCouriers(db, courier, nowMs, untilMs)
        believed.set({ courier, token, untilMs }, new Set())
      } else if (deed < 5) {
        const taken = await takeShards(db, fence, nowMs, chance.between(1, SHARDS))
        for (const shard of taken) shards.add(shard)
      } else if (deed < 7) {
        fence.untilMs = nowMs + LEASE_MS
        await renewLease(db, fence)
      } else if (deed < 8) {
        const some = [...shards].filter(() => chance.fraction() < 0.3)
        for (const shard of some) shards.delete(shard)
        await releaseShards(db, fence, some)
      } else if (deed < 9) nowMs += chance.between(1, LEASE_MS)
      else {
        await leaveCouriers(db, fence)
        believed.delete(fence)
      }
      const owners = new Map<number, number>()
      for (const [one, mine] of believed) {
        const [held] = await db.query(sql`
          SELECT token FROM couriers WHERE courier = ${one.courier} AND token = ${one.token}`)
        if (!held) continue
        for (const shard of mine) owners.set(shard, (owners.get(shard) ?? 0) + 1)
      }
      expect([...owners.values()].filter((count) => count > 1)).toEqual([])
    }
  },
)
