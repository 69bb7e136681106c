import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import { hex } from '../../../../tests/support/blocks/node-json.ts'
import { openBloomFilter } from './bloom-filter.ts'

describe('a Bloom filter of keys', () => {
  test('never misses a key that is there, however many came and went', () => {
    const chance = seededChance(3)
    const keys = new Set<string>()
    const filter = openBloomFilter(() => keys)
    for (let step = 0; step < 60_000; step++) {
      if (step % 20_000 < 15_000) {
        const key = hex(chance, chance.pick([4, 20, 32]))
        if (keys.has(key)) continue
        filter.add(key)
        keys.add(key)
      } else {
        for (const key of keys) {
          keys.delete(key)
          filter.delete()
          break
        }
      }
    }
    expect(keys.size).toBeGreaterThan(25_000)
    for (const key of keys) if (!filter.mayHave(key)) throw new Error(`it misses ${key}`)
  })

  test('turns away most keys that are not there, and after deleting all, all again', () => {
    const chance = seededChance(4)
    const keys = new Set(Array.from({ length: 20_000 }, () => hex(chance, 20)))
    const inside = new Set<string>()
    const filter = openBloomFilter(() => inside)
    for (const key of keys) {
      filter.add(key)
      inside.add(key)
    }
    const strangers = Array.from({ length: 2000 }, () => hex(chance, 20))
    expect(strangers.filter((key) => filter.mayHave(key)).length).toBeLessThan(200)
    for (let round = 0; round < 10; round++) {
      for (const key of keys) {
        filter.delete()
        inside.delete(key)
      }
      if (round < 9) {
        for (const key of keys) {
          filter.add(key)
          inside.add(key)
        }
      }
    }
    expect(strangers.filter((key) => filter.mayHave(key)).length).toBeLessThan(200)
  })
})
