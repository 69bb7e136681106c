import { describe, expect, test } from 'bun:test'
import type { InterestBearing, MintFacts, ScaledAmount } from '../parse-helps.ts'
import { uiAmount } from './ui-amount.ts'

const YEAR_SECONDS = 31_556_736n
const ONE = 10n ** 18n
const U64_MAX = 2n ** 64n - 1n

describe('an amount of tokens', () => {
  test.each([
    [1n, 0, '1.0', '1'],
    [10n, 0, '10.0', '10'],
    [0n, 0, '0.0', '0'],
    [0n, 9, '0.0', '0'],
    [42n, 2, '0.42', '0.42'],
    [1_000_000_000n, 9, '1.0', '1'],
    [1_234_567_890n, 3, '1234567.89', '1234567.89'],
    [1n, 9, '1e-9', '0.000000001'],
    [15n, 6, '0.000015', '0.000015'],
    [9n, 6, '9e-6', '0.000009'],
    [9_999_999_999_999_998n, 0, '9999999999999998.0', '9999999999999998'],
    [10n ** 16n, 0, '1e+16', '10000000000000000'],
    [U64_MAX, 0, '1.8446744073709552e+19', '18446744073709551615'],
    [U64_MAX, 19, '1.8446744073709551', '1.8446744073709551615'],
    [1_234_567_890n, 20, 'null', '0.0000000000123456789'],
    [0n, 20, 'null', '0'],
    [7n, 255, 'null', `0.${'0'.repeat(254)}7`],
  ])('%p with %p decimals is shown as %s and "%s"', (amount, decimals, double, text) => {
    expect(uiAmount(amount, { decimals, interest: null, scaled: null }, 0n)).toBe(
      `{"amount":"${amount}","decimals":${decimals},` +
        `"uiAmount":${double},"uiAmountString":"${text}"}`,
    )
  })
})

describe('an amount that bears interest', () => {
  test('has grown by the continuous rate since the mint began', () => {
    const facts = bearing({
      averageRateBps: 500,
      currentRateBps: 500,
      updatedAtSeconds: YEAR_SECONDS,
    })
    expect(shown(ONE, facts, YEAR_SECONDS)).toEqual([1.0512710963760241, '1.051271096376024117'])
    expect(shown(10n * ONE, facts, YEAR_SECONDS)).toEqual([
      10.512710963760242,
      '10.512710963760241611',
    ])
  })

  test('grows at the average rate until the last change and at the current one after it', () => {
    const facts = bearing({
      averageRateBps: 500,
      currentRateBps: -500,
      updatedAtSeconds: YEAR_SECONDS,
    })
    expect(shown(ONE, facts, 2n * YEAR_SECONDS)).toEqual([1, '1'])
  })

  test('is "inf" and no number when it has grown beyond all bounds', () => {
    const facts = bearing({ decimals: 0, averageRateBps: 32_767, currentRateBps: 32_767 })
    expect(uiAmount(U64_MAX, facts, YEAR_SECONDS * 1_000n)).toBe(
      `{"amount":"${U64_MAX}","decimals":0,"uiAmount":null,"uiAmountString":"inf"}`,
    )
  })

  test('has no text when its times lie further apart than 64 bits can say', () => {
    const facts = bearing({ initializedAtSeconds: -(2n ** 63n), updatedAtSeconds: 1n })
    expect(shown(ONE, facts, 0n)).toEqual([null, ''])
    expect(shown(ONE, bearing({ updatedAtSeconds: -(2n ** 63n) }), 1n)).toEqual([null, ''])
  })
})

describe('an amount that is scaled', () => {
  test('takes the new multiplier from its second on', () => {
    const facts = scaled({ multiplier: 2, newMultiplier: 3, newMultiplierFromSeconds: 100n })
    expect(shown(ONE, facts, 99n)).toEqual([2, '2'])
    expect(shown(ONE, facts, 100n)).toEqual([3, '3'])
  })

  test('is cut to whole units, never rounded up', () => {
    const facts = scaled({ decimals: 2, newMultiplier: 0.99 })
    expect(shown(101n, facts, 0n)).toEqual([0.99, '0.99'])
    expect(shown(1n, scaled({ decimals: 2, newMultiplier: 0.5 }), 0n)).toEqual([0, '0'])
  })

  test.each([
    [Number.POSITIVE_INFINITY, 'inf'],
    [Number.NEGATIVE_INFINITY, '-inf'],
    [Number.NaN, 'NaN'],
  ])('by %p is no number and says so', (newMultiplier, text) => {
    expect(shown(ONE, scaled({ newMultiplier }), 0n)).toEqual([null, text])
  })

  test('keeps the sign of a multiplier below zero', () => {
    expect(shown(5n, scaled({ decimals: 1, newMultiplier: -1 }), 0n)).toEqual([-0.5, '-0.5'])
    expect(uiAmount(0n, scaled({ decimals: 1, newMultiplier: -1 }), 0n)).toBe(
      '{"amount":"0","decimals":1,"uiAmount":-0.0,"uiAmountString":"-0"}',
    )
  })

  test('gives way to interest, should a mint have both', () => {
    const both = { ...scaled({ newMultiplier: 7 }), interest: bearing({}).interest }
    expect(shown(ONE, both, 0n)).toEqual([1, '1'])
  })
})

function bearing(parts: Partial<InterestBearing> & { decimals?: number }): MintFacts {
  const { decimals = 18, ...rates } = parts
  const still = {
    initializedAtSeconds: 0n,
    averageRateBps: 0,
    updatedAtSeconds: 0n,
    currentRateBps: 0,
  }
  return { decimals, interest: { ...still, ...rates }, scaled: null }
}

function scaled(parts: Partial<ScaledAmount> & { decimals?: number }): MintFacts {
  const { decimals = 18, ...scale } = parts
  const plain = { multiplier: 1, newMultiplierFromSeconds: 0n, newMultiplier: 1 }
  return { decimals, interest: null, scaled: { ...plain, ...scale } }
}

function shown(amount: bigint, facts: MintFacts, unixTimestamp: bigint): [number | null, string] {
  const { uiAmount: double, uiAmountString } = JSON.parse(uiAmount(amount, facts, unixTimestamp))
  return [double, uiAmountString]
}
