import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../tests/support/seeded-chance.ts'
import { openResponseCache } from './response-cache.ts'

const MEGABYTE = 1024 * 1024

describe('kept answers', () => {
  test('are given again as they came, with who gave them', () => {
    const cache = openResponseCache(MEGABYTE)
    cache.set('eth_chainId[]', { text: '"0x1"', upstream: 'node-a' })
    expect(cache.get('eth_chainId[]')).toEqual({ text: '"0x1"', upstream: 'node-a' })
    expect(cache.get('eth_chainId[ ]')).toBeUndefined()
  })

  test('never take more than they may, whatever is kept', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const chance = seededChance(seed)
      const cache = openResponseCache(MEGABYTE)
      const held = new Map<string, number>()
      for (let step = 0; step < 20_000; step++) {
        const key = `key_${chance.between(0, 400)}`
        const text = 'x'.repeat(chance.pick([1, 100, 3000, 20_000, 60_000]))
        if (chance.fraction() < 0.3) cache.get(key)
        cache.set(key, { text, upstream: 'a' })
        expect(cache.bytes).toBeLessThanOrEqual(MEGABYTE)
        held.set(key, text.length)
      }
      // What can be found again weighs no more than is accounted for.
      let found = 0
      for (const key of held.keys()) found += cache.get(key)?.text.length ?? 0
      expect(found).toBeLessThanOrEqual(MEGABYTE)
    }
  })

  test('count what they weigh now, not what they weighed when first kept', () => {
    const cache = openResponseCache(MEGABYTE)
    for (let at = 0; at < 100; at++) cache.set(`key_${at}`, { text: 'x', upstream: 'a' })
    for (let at = 0; at < 100; at++) {
      cache.set(`key_${at}`, { text: 'x'.repeat(60_000), upstream: 'a' })
    }
    let found = 0
    for (let at = 0; at < 100; at++) found += cache.get(`key_${at}`)?.text.length ?? 0
    expect(found).toBeLessThanOrEqual(MEGABYTE)
  })

  test('are not pushed out by one that is too big', () => {
    const cache = openResponseCache(MEGABYTE)
    cache.set('small', { text: '1', upstream: 'a' })
    cache.set('big', { text: 'x'.repeat(MEGABYTE / 8), upstream: 'a' })
    expect(cache.get('big')).toBeUndefined()
    expect(cache.get('small')).toBeDefined()
  })

  test('stay as long as they are asked for', () => {
    const cache = openResponseCache(MEGABYTE)
    cache.set('wanted', { text: '1', upstream: 'a' })
    for (let at = 0; at < 5000; at++) {
      cache.set(`other_${at}`, { text: 'x'.repeat(1000), upstream: 'a' })
      expect(cache.get('wanted')).toBeDefined()
    }
    expect(cache.get('other_0')).toBeUndefined()
  })

  test('are gone when cleared', () => {
    const cache = openResponseCache(MEGABYTE)
    cache.set('a', { text: '1', upstream: 'a' })
    cache.clear()
    expect(cache.get('a')).toBeUndefined()
    expect(cache.bytes).toBe(0)
  })

  test('are none in a cache of no bytes', () => {
    const cache = openResponseCache(0)
    cache.set('a', { text: '1', upstream: 'a' })
    expect(cache.get('a')).toBeUndefined()
  })

  test('a flood of calls nobody repeats is not kept for ever, and a repeated one still is', () => {
    const cache = openResponseCache(64 * MEGABYTE)
    for (let at = 0; at < 20_000; at++) cache.set(`once_${at}`, { text: '1', upstream: 'a' })
    for (let times = 0; times < 2; times++) cache.set('often', { text: '1', upstream: 'a' })
    expect(cache.get('often')).toBeDefined()
    expect(cache.bytes).toBeLessThan(2 * MEGABYTE)
  })
})
