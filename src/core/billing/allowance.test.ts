import { describe, expect, test } from 'bun:test'
import { type Chance, seededChance } from '../../../tests/support/seeded-chance.ts'
import {
  type Bucket,
  burstCu,
  fullBucket,
  monthIsFull,
  returnToBucket,
  takeFromBucket,
} from './allowance.ts'

const RATE_CU = 500
/** An `eth_call`, in hundredths of a compute unit. */
const CALL_CENTI_CU = 2600

describe('throughput', () => {
  test('a full bucket holds ten seconds of the rate, to the last hundredth', () => {
    const bucket = fullBucket(RATE_CU, 0)
    expect(burstCu(RATE_CU)).toBe(5000)
    for (let call = 0; call < 250; call++) expect(take(bucket, 2000, 0)).toBe(true)
    expect(take(bucket, 1, 0)).toBe(false)
    expect(take(bucket, 0, 0)).toBe(true)
  })

  test('a refused call takes nothing', () => {
    const bucket = fullBucket(RATE_CU, 0)
    take(bucket, 499_999, 0)
    for (let call = 0; call < 100; call++) expect(take(bucket, 2, 0)).toBe(false)
    expect(take(bucket, 1, 0)).toBe(true)
  })

  test('refills with the rate, however often one looks', () => {
    for (const stepMs of [1, 3, 7, 100, 999, 1000]) {
      const bucket = emptyBucket()
      for (let nowMs = stepMs; nowMs <= 6993; nowMs += stepMs)
        takeFromBucket(bucket, RATE_CU, 0, nowMs)
      takeFromBucket(bucket, RATE_CU, 0, 6993)
      // 500 CU a second for 6.993 seconds.
      expect(take(bucket, 349_650, 6993)).toBe(true)
      expect(take(bucket, 1, 6993)).toBe(false)
    }
  })

  test('never drifts, however long and oddly the calls come', () => {
    const chance = seededChance(5)
    for (const rate of [1, 3, 50, 499, 10_000, 12_345]) {
      const bucket = emptyBucket()
      let nowMs = 0
      let taken = 0
      for (let call = 0; call < 20_000; call++) {
        nowMs += chance.between(0, 40)
        const price = chance.between(1, rate * 10)
        if (takeFromBucket(bucket, rate, price, nowMs).admitted) taken += price
        expect(Number.isInteger(bucket.tokens)).toBe(true)
      }
      // Nothing was ever lost at the brim, since it was never full.
      expect(taken * 1000 + bucket.tokens).toBe(nowMs * rate * 100)
    }
  })

  test('in any window, at most the burst and the rate times the window get through', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const chance = seededChance(seed)
      const admitted = admittedCalls(chance, RATE_CU, 3000)
      for (const windowMs of [1, 1000, 10_000, 60_000]) {
        const boundCentiCu = RATE_CU * 100 * 10 + (RATE_CU * 100 * windowMs) / 1000
        expect(mostInWindow(admitted, windowMs)).toBeLessThanOrEqual(boundCentiCu)
      }
    }
  })

  test('and whoever keeps asking gets the whole rate', () => {
    const bucket = emptyBucket()
    let taken = 0
    for (let nowMs = 1; nowMs <= 60_000; nowMs++) {
      if (take(bucket, 50, nowMs)) taken += 50
    }
    expect(taken).toBe(60 * RATE_CU * 100)
  })

  test('the wait that a refusal names is enough, and not a second too long', () => {
    const chance = seededChance(9)
    for (let round = 0; round < 500; round++) {
      const bucket = { tokens: chance.between(0, 1_000_000), atMs: 0 }
      const price = chance.between(1001, 500_000)
      const refusal = takeFromBucket({ ...bucket }, RATE_CU, price, 0)
      if (refusal.admitted) throw new Error('not refused')
      expect(Number.isInteger(refusal.retryAfterS)).toBe(true)
      expect(refusal.retryAfterS).toBeGreaterThanOrEqual(1)
      expect(take({ ...bucket }, price, refusal.retryAfterS * 1000)).toBe(true)
      const sooner = (refusal.retryAfterS - 1) * 1000
      if (sooner > 0) expect(take({ ...bucket }, price, sooner)).toBe(false)
    }
  })

  test('a refusal tells what is left, in whole units, rounded down', () => {
    const bucket = fullBucket(RATE_CU, 0)
    take(bucket, 500_000 - 1299, 0)
    expect(takeFromBucket(bucket, RATE_CU, CALL_CENTI_CU, 0)).toMatchObject({ remainingCu: 12 })
  })

  test('a call dearer than the whole burst waits for a full bucket and empties it', () => {
    const bucket = fullBucket(50, 0)
    expect(takeFromBucket(bucket, 50, 300_000, 0).admitted).toBe(true)
    expect(takeFromBucket(bucket, 50, 1, 0).admitted).toBe(false)
    expect(takeFromBucket(bucket, 50, 300_000, 9_999)).toMatchObject({ retryAfterS: 1 })
    expect(takeFromBucket(bucket, 50, 300_000, 10_000).admitted).toBe(true)
  })

  test('what is given back can be taken again, and never overfills', () => {
    const bucket = emptyBucket()
    returnToBucket(bucket, RATE_CU, CALL_CENTI_CU)
    expect(take(bucket, CALL_CENTI_CU, 0)).toBe(true)
    expect(take(bucket, 1, 0)).toBe(false)
    const full = fullBucket(RATE_CU, 0)
    returnToBucket(full, RATE_CU, CALL_CENTI_CU)
    expect(full.tokens).toBe(fullBucket(RATE_CU, 0).tokens)
  })

  test('a year of silence fills it once, exactly', () => {
    const bucket = emptyBucket()
    takeFromBucket(bucket, RATE_CU, 0, 365 * 86_400_000)
    expect(bucket.tokens).toBe(fullBucket(RATE_CU, 0).tokens)
  })

  test('a clock that is set back takes nothing away and goes on refilling', () => {
    const bucket = fullBucket(RATE_CU, 1_000_000)
    take(bucket, 500_000, 1_000_000)
    expect(take(bucket, 1, 400_000)).toBe(false)
    expect(take(bucket, 50_000, 401_000)).toBe(true)
  })

  test.each([0.5, -1, Number.NaN])('a price of %p is a bug of ours', (price) => {
    expect(() => takeFromBucket(fullBucket(RATE_CU, 0), RATE_CU, price, 0)).toThrow('invariant')
  })
})

describe('the month', () => {
  test.each([
    ['has room up to the last unit', 2_999_999_900, 100, 30_000_000, false],
    ['has none beyond it', 2_999_999_901, 100, 30_000_000, true],
    ['has none when it is used up, not even for a free call', 3_000_000_000, 0, 30_000_000, true],
    ['has room for a free call before that', 2_999_999_999, 0, 30_000_000, false],
    ['has none in a tier of nothing', 0, 0, 0, true],
    ['never ends without a limit', Number.MAX_SAFE_INTEGER, 100, null, false],
  ])('%s', (_title, usedCentiCu, priceCentiCu, monthlyCu, full) => {
    expect(monthIsFull(usedCentiCu, priceCentiCu, monthlyCu)).toBe(full)
  })
})

function take(bucket: Bucket, priceCentiCu: number, nowMs: number): boolean {
  return takeFromBucket(bucket, RATE_CU, priceCentiCu, nowMs).admitted
}

function emptyBucket(): Bucket {
  return { tokens: 0, atMs: 0 }
}

type Taken = { atMs: number; centiCu: number }

/** Calls in bursts and pauses, with what was refused left out. */
function admittedCalls(chance: Chance, rateCu: number, calls: number): Taken[] {
  const bucket = fullBucket(rateCu, 0)
  const admitted: Taken[] = []
  let nowMs = 0
  for (let call = 0; call < calls; call++) {
    nowMs += chance.pick([0, 0, 0, 1, 5, 50, 400, 15_000])
    const centiCu = chance.pick([0, 1000, 2000, 2600, 6000, 25_000, 100_000])
    if (takeFromBucket(bucket, rateCu, centiCu, nowMs).admitted)
      admitted.push({ atMs: nowMs, centiCu })
  }
  return admitted
}

function mostInWindow(admitted: readonly Taken[], windowMs: number): number {
  let most = 0
  let sum = 0
  let from = 0
  for (const { atMs, centiCu } of admitted) {
    sum += centiCu
    while ((admitted[from]?.atMs ?? 0) < atMs - windowMs) sum -= admitted[from++]?.centiCu ?? 0
    most = Math.max(most, sum)
  }
  return most
}
