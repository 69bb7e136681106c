import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import { openKeySet } from './key-set.ts'
import { hashReadKey, PUBLIC_SEED, readKey } from './read-key.ts'

const SEEDS = 30

function numbered(number: number, chars = 40): string {
  return `0x${number.toString(16).padStart(chars, '0')}`
}

describe('a live set of keys', () => {
  test('agrees with a plain set, whatever is added and deleted in whatever order', () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const chance = seededChance(seed)
      const keys = openKeySet([seed, seed * 7])
      const plain = new Set<string>()
      const pool = Array.from({ length: chance.between(1, 3000) }, (_, at) =>
        numbered(at, chance.pick([40, 64])),
      )
      for (let step = 0; step < 6000; step++) {
        const key = chance.pick(pool)
        // Long runs of one kind, so that it grows far and shrinks far.
        if ((step >> 9) % 3 < 2) {
          expect(keys.add(key)).toBe(!plain.has(key))
          plain.add(key)
        } else {
          expect(keys.delete(key)).toBe(plain.delete(key))
        }
      }
      expect(keys.size).toBe(plain.size)
      for (const key of pool) expect(keys.has(key)).toBe(plain.has(key))
    }
  })

  test('holds a hundred thousand keys and gives up every one of them', () => {
    const keys = openKeySet()
    for (let at = 0; at < 100_000; at++) keys.add(numbered(at))
    expect(keys.size).toBe(100_000)
    for (let at = 0; at < 100_000; at++) {
      if (!keys.has(numbered(at))) throw new Error(`lost ${at}`)
    }
    expect(keys.has(numbered(100_000))).toBe(false)
    for (let at = 0; at < 100_000; at += 2) keys.delete(numbered(at))
    for (let at = 0; at < 100_000; at++) {
      if (keys.has(numbered(at)) !== (at % 2 === 1)) throw new Error(`wrong about ${at}`)
    }
    for (let at = 1; at < 100_000; at += 2) keys.delete(numbered(at))
    expect(keys.size).toBe(0)
  })

  test('knows the zero address like any other', () => {
    const keys = openKeySet()
    expect(keys.has(numbered(0))).toBe(false)
    keys.add(numbered(0))
    expect(keys.has(numbered(0))).toBe(true)
    expect(keys.has(numbered(0, 64))).toBe(false)
  })

  test('takes nothing that is no key, and finds none there', () => {
    const keys = openKeySet()
    const odd = ['', '0x', numbered(1, 38), numbered(1, 66), `0x${'g'.repeat(40)}`]
    for (const text of [...odd, `0x${'é'.repeat(40)}`, `0x${'中'.repeat(40)}`]) {
      expect(keys.add(text)).toBe(false)
      expect(keys.has(text)).toBe(false)
      expect(keys.delete(text)).toBe(false)
    }
    expect(keys.size).toBe(0)
  })

  test('works on when keys were chosen to share the low bits of their hashes', () => {
    const keys = openKeySet()
    const chosen: string[] = []
    for (let at = 0; chosen.length < 5000; at++) {
      const key = numbered(at)
      if ((hashReadKey(readKey(key), PUBLIC_SEED) & 0xff) === 7) chosen.push(key)
    }
    for (const key of chosen) keys.add(key)
    expect(keys.size).toBe(5000)
    expect(chosen.every((key) => keys.has(key))).toBe(true)
  })
})

test('another seed puts keys in another order, and every word of a key counts', () => {
  const hash = (key: string, seed = PUBLIC_SEED) => hashReadKey(readKey(key), seed)
  const base = `0x${'0'.repeat(64)}`
  const hashes = new Set([hash(base), hash(base, [1, 2]), hash(numbered(0))])
  for (let word = 0; word < 8; word++) {
    const at = 2 + word * 8
    hashes.add(hash(`${base.slice(0, at)}80000000${base.slice(at + 8)}`))
    hashes.add(hash(`${base.slice(0, at)}00000001${base.slice(at + 8)}`))
  }
  expect(hashes.size).toBe(19)
})
