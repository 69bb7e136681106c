import { describe, expect, test } from 'bun:test'
import {
  accountOf,
  f64,
  i64,
  joined,
  u16,
  zeros,
} from '../../../../tests/support/solana/account-bytes.ts'
import {
  extensionBytes,
  helpsWith,
  mintBytes,
  tokenAccountBytes,
} from '../../../../tests/support/solana/token-bytes.ts'
import { readMintFacts } from './parse-helps.ts'
import { parseSplToken } from './spl-token.ts'

describe('what a mint tells about the amounts of its accounts', () => {
  const interest = extensionBytes(10, zeros(32), i64(1n), u16(-2), i64(3n), u16(4))
  const scaled = extensionBytes(25, zeros(32), f64(1.5), i64(-6n), f64(7))

  test('is its decimals, its interest and its scale', () => {
    expect(readMintFacts(mintBytes({ decimals: 255 }))).toEqual({
      decimals: 255,
      interest: null,
      scaled: null,
    })
    expect(readMintFacts(mintBytes({}, extensionBytes(9), interest, scaled))).toEqual({
      decimals: 0,
      interest: {
        initializedAtSeconds: 1n,
        averageRateBps: -2,
        updatedAtSeconds: 3n,
        currentRateBps: 4,
      },
      scaled: { multiplier: 1.5, newMultiplierFromSeconds: -6n, newMultiplier: 7 },
    })
  })

  test('is found behind a kind that nobody knows, though the list is then left out', () => {
    const data = mintBytes({}, extensionBytes(999, zeros(5)), scaled)
    expect(readMintFacts(data)?.scaled?.newMultiplier).toBe(7)
    expect(parseSplToken(accountOf(data), helpsWith({}))).not.toContain('extensions')
  })

  test.each([
    ['of a wrong length', extensionBytes(10, zeros(51))],
    ['that is cut off', interest.subarray(0, -1)],
    ['behind an empty place', joined(zeros(4), interest)],
    ['behind a length beyond the end', joined(u16(9), u16(60_000), interest)],
  ])('leaves out interest %s', (_what, bytes) => {
    expect(readMintFacts(mintBytes({}, bytes))).toEqual({
      decimals: 0,
      interest: null,
      scaled: null,
    })
  })

  test('is nothing for what is no mint', () => {
    expect(readMintFacts(tokenAccountBytes())).toBeNull()
    expect(readMintFacts(mintBytes({ isInitialized: 0 }))).toBeNull()
    expect(readMintFacts(zeros(0))).toBeNull()
  })

  test('decides how the amount of an account is shown', () => {
    const facts = readMintFacts(mintBytes({ decimals: 1 }, scaled))
    const data = tokenAccountBytes({ amount: 10n })
    expect(parseSplToken(accountOf(data), helpsWith(facts, -7n))).toContain(
      '"uiAmountString":"1.5"',
    )
    expect(parseSplToken(accountOf(data), helpsWith(facts, -6n))).toContain('"uiAmountString":"7"')
  })
})
