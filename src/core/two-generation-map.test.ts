import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../tests/support/basics/seeded-chance.ts'
import { openTwoGenerationMap } from './two-generation-map.ts'

const byLength = (weightMax: number) =>
  openTwoGenerationMap<string, string>({ weightMax, weigh: (_key, value) => value.length })

describe('a map of two generations', () => {
  test('keeps what is used and forgets what is not', () => {
    const map = openTwoGenerationMap<number, string>({ weightMax: 2 })
    for (let key = 0; key < 100; key++) {
      map.set(key, `value ${key}`)
      expect(map.get(0)).toBe('value 0')
    }
    expect(map.get(99)).toBe('value 99')
    expect(map.get(50)).toBeUndefined()
  })

  test('gives the newest value, whichever generation the older one is in', () => {
    const map = openTwoGenerationMap<string, number>({ weightMax: 2 })
    map.set('a', 1)
    map.set('a', 2)
    expect(map.get('a')).toBe(2)
    map.set('b', 1)
    map.set('c', 1)
    map.set('a', 3)
    expect(map.get('a')).toBe(3)
  })

  test('keeps values that are falsy', () => {
    const map = openTwoGenerationMap<string, number | string | null>({ weightMax: 10 })
    map.set('zero', 0)
    map.set('empty', '')
    map.set('null', null)
    expect([map.get('zero'), map.get('empty'), map.get('null')]).toEqual([0, '', null])
  })

  test('does not keep what is heavier than a generation, nor what that was to replace', () => {
    const map = byLength(4)
    map.set('a', 'old')
    map.set('b', 'kept')
    map.set('a', 'too heavy')
    expect(map.get('a')).toBeUndefined()
    expect(map.get('b')).toBe('kept')
    map.set('b', 'too heavy')
    expect(map.get('b')).toBeUndefined()
    expect(map.weight).toBe(0)
  })

  test('with room for nothing keeps nothing', () => {
    const map = openTwoGenerationMap<string, number>({ weightMax: 0 })
    map.set('a', 1)
    expect(map.get('a')).toBeUndefined()
  })

  test('loses what is deleted from both generations, and everything when it is cleared', () => {
    const map = byLength(4)
    map.set('a', 'aaa')
    map.set('b', 'bbb')
    expect(map.get('a')).toBe('aaa')
    map.delete('a')
    map.delete('never there')
    expect(map.get('a')).toBeUndefined()
    map.set('a', 'x')
    map.clear()
    expect(map.get('a')).toBeUndefined()
    expect(map.weight).toBe(0)
  })

  test('never holds more than twice its limit nor anything but what was last set', () => {
    const chance = seededChance(11)
    const map = byLength(50)
    const last = new Map<string, string>()
    for (let step = 0; step < 20_000; step++) {
      const key = String(chance.between(0, 30))
      const kind = chance.fraction()
      if (kind < 0.5) {
        const value = `${step}`.padEnd(chance.between(1, 60), '.')
        map.set(key, value)
        last.set(key, value)
      } else if (kind < 0.55) {
        map.delete(key)
        last.delete(key)
      } else {
        const value = map.get(key)
        if (value !== undefined) expect(value).toBe(last.get(key) as string)
      }
      expect(map.weight).toBeLessThanOrEqual(100)
      expect(map.weight).toBeGreaterThanOrEqual(0)
    }
  })
})
