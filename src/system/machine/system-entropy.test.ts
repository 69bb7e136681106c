import { describe, expect, test } from 'bun:test'
import { systemEntropy } from './system-entropy.ts'

describe('the system entropy', () => {
  const entropy = systemEntropy()

  test('gives as many bytes as asked for, never the same twice', () => {
    expect(entropy.bytes(0)).toEqual(new Uint8Array(0))
    expect(entropy.bytes(200_000)).toHaveLength(200_000)
    expect(entropy.bytes(32)).not.toEqual(entropy.bytes(32))
  })

  test('a key has exactly the promised length and alphabet', () => {
    for (const length of [0, 1, 16, 24, 32, 1000]) {
      expect(entropy.alphanumeric(length)).toMatch(new RegExp(`^[a-z0-9]{${length}}$`))
    }
    const keys = new Set(Array.from({ length: 10_000 }, () => entropy.alphanumeric(32)))
    expect(keys.size).toBe(10_000)
  })

  test('every letter and digit is equally likely', () => {
    const seen = new Map<string, number>()
    for (const character of entropy.alphanumeric(360_000)) {
      seen.set(character, (seen.get(character) ?? 0) + 1)
    }
    expect(seen.size).toBe(36)

    // Without the rejection of unfair bytes the first four would come 14 % too often. Nine
    // standard deviations (a tenth of the mean) never happen by chance.
    for (const times of seen.values()) expect(Math.abs(times - 10_000)).toBeLessThan(900)
  })

  test('a fraction is at least 0, below 1, and spread evenly', () => {
    const tenths = new Array<number>(10).fill(0)
    for (let round = 0; round < 100_000; round++) {
      const fraction = entropy.fraction()
      expect(fraction >= 0 && fraction < 1).toBe(true)
      tenths[Math.floor(fraction * 10)]! += 1
    }
    for (const times of tenths) expect(Math.abs(times - 10_000)).toBeLessThan(900)
  })

  test('refuses a length that is not a bounded whole number', () => {
    for (const length of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31]) {
      expect(() => entropy.bytes(length)).toThrow('broken invariant')
      expect(() => entropy.alphanumeric(length)).toThrow('broken invariant')
    }
  })
})
