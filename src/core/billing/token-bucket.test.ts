import { describe, expect, test } from 'bun:test'
import { type Chance, seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import {
  burstCu,
  fullBucket,
  returnToBucket,
  type TokenBucket,
  takeFromBucket,
} from './token-bucket.ts'

const RATE_CU = 500
/** An `eth_call`, in hundredths of a compute unit. */
const CALL_CENTI_CU = 2600
/** A `debug_*` call's throughput. */
const DEAREST_CENTI_CU = 100_000

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
    take(bucket, 500_000, 0)
    for (let call = 0; call < 100; call++) expect(take(bucket, 2000, 0)).toBe(false)
    expect(bucket.tokens).toBe(0)
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
        if (takeFromBucket(bucket, rate, price, nowMs) === 0) taken += price
        expect(Number.isInteger(bucket.tokens)).toBe(true)
      }
      // Nothing was ever lost at the brim, since it was never full.
      expect(taken * 1000 + bucket.tokens).toBe(nowMs * rate * 100)
    }
  })

  test('in any window, at most the burst, the rate times the window and one call get through', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const chance = seededChance(seed)
      const admitted = admittedCalls(chance, RATE_CU, 3000)
      for (const windowMs of [1, 1000, 10_000, 60_000]) {
        const boundCentiCu =
          RATE_CU * 100 * 10 + (RATE_CU * 100 * windowMs) / 1000 + DEAREST_CENTI_CU
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

  test('a call dearer than what is there passes, and the next ones wait for its debt', () => {
    const bucket = fullBucket(50, 0)
    take(bucket, 49_999, 0, 50)
    expect(take(bucket, 300_000, 0, 50)).toBe(true)
    // 0.01 CU were left of the 3000 CU: at 50 CU a second, a minute's wait.
    expect(takeFromBucket(bucket, 50, 1, 0)).toBe(60)
    expect(takeFromBucket(bucket, 50, 1, 30_000)).toBe(30)
    expect(take(bucket, 1, 59_999, 50)).toBe(false)
    expect(take(bucket, 1, 60_000, 50)).toBe(true)
  })

  test('one call is all that a debt can come from, so it is never more than its price', () => {
    const chance = seededChance(3)
    const bucket = fullBucket(RATE_CU, 0)
    for (let call = 0; call < 5000; call++) {
      take(bucket, chance.between(1, DEAREST_CENTI_CU), call * chance.between(0, 3))
      expect(bucket.tokens).toBeGreaterThan(-DEAREST_CENTI_CU * 1000)
    }
  })

  test('a call that costs nothing waits for no debt', () => {
    const bucket = fullBucket(50, 0)
    take(bucket, 300_000, 0, 50)
    const { tokens } = bucket
    expect(take(bucket, 0, 0, 50)).toBe(true)
    expect(bucket.tokens).toBe(tokens)
  })

  test('the wait that a refusal names is enough, and not a second too long', () => {
    const chance = seededChance(9)
    for (let round = 0; round < 500; round++) {
      const bucket = { tokens: -chance.between(0, 3_000_000_000), atMs: 0, refunds: null }
      const waitS = takeFromBucket({ ...bucket }, RATE_CU, 1, 0)
      expect(Number.isInteger(waitS)).toBe(true)
      expect(waitS).toBeGreaterThanOrEqual(1)
      expect(take({ ...bucket }, 1, waitS * 1000)).toBe(true)
      if (waitS > 1) expect(take({ ...bucket }, 1, (waitS - 1) * 1000)).toBe(false)
    }
  })

  test('what is given back can be taken again, and never overfills', () => {
    const bucket = emptyBucket()
    returnToBucket(bucket, RATE_CU, CALL_CENTI_CU, 0)
    expect(take(bucket, CALL_CENTI_CU, 0)).toBe(true)
    expect(take(bucket, 1, 0)).toBe(false)
    const full = fullBucket(RATE_CU, 0)
    returnToBucket(full, RATE_CU, CALL_CENTI_CU, 0)
    expect(full.tokens).toBe(fullBucket(RATE_CU, 0).tokens)
  })

  test('whoever makes nothing but failing calls gets twice the limit, and no more', () => {
    const bucket = fullBucket(RATE_CU, 0)
    let failed = 0
    for (let nowMs = 0; nowMs <= 60_000; nowMs++) {
      for (let call = 0; call < 10; call++) {
        if (!take(bucket, CALL_CENTI_CU, nowMs)) continue
        returnToBucket(bucket, RATE_CU, CALL_CENTI_CU, nowMs)
        failed += CALL_CENTI_CU
      }
    }
    const limitCentiCu = RATE_CU * 100 * (10 + 60)
    expect(failed).toBeGreaterThan(2 * limitCentiCu - 4 * CALL_CENTI_CU)
    expect(failed).toBeLessThanOrEqual(2 * limitCentiCu + 2 * CALL_CENTI_CU)
  })

  test('a debt that came from a failing call is given back with it', () => {
    const bucket = fullBucket(50, 0)
    take(bucket, 300_000, 0, 50)
    returnToBucket(bucket, 50, 300_000, 0)
    expect(bucket.tokens).toBe(fullBucket(50, 0).tokens)
    take(bucket, 300_000, 0, 50)
    // The second is not: more was given back than the bucket holds.
    returnToBucket(bucket, 50, 300_000, 0)
    expect(takeFromBucket(bucket, 50, 1, 0)).toBe(51)
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

function take(bucket: TokenBucket, priceCentiCu: number, nowMs: number, rateCu = RATE_CU): boolean {
  return takeFromBucket(bucket, rateCu, priceCentiCu, nowMs) === 0
}

function emptyBucket(): TokenBucket {
  return { tokens: 0, atMs: 0, refunds: null }
}

type Taken = { atMs: number; centiCu: number }

/** Calls in bursts and pauses, with what was refused left out. */
function admittedCalls(chance: Chance, rateCu: number, calls: number): Taken[] {
  const bucket = fullBucket(rateCu, 0)
  const admitted: Taken[] = []
  let nowMs = 0
  for (let call = 0; call < calls; call++) {
    nowMs += chance.pick([0, 0, 0, 1, 5, 50, 400, 15_000])
    const centiCu = chance.pick([0, 1000, 2000, 2600, 6000, 25_000, DEAREST_CENTI_CU])
    if (takeFromBucket(bucket, rateCu, centiCu, nowMs) === 0)
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
