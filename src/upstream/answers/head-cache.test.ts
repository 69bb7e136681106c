import { describe, expect, test } from 'bun:test'
import {
  followHead,
  headGet,
  headSet,
  noteHeightSeen,
  openHeadCache,
  startEpoch,
} from './head-cache.ts'

const BYTES = 1024 * 1024
const at = (number: number, hash = `0x${number}`) => ({ number, hash, finalized: null })
const kept = { text: '"0x1"', upstream: 'a' }

describe('answers that hold for one head', () => {
  test('are given while the head stays', () => {
    const cache = cacheAt(100)
    headSet(cache, 'balance', kept, 0)
    expect(followHead(cache, at(100), 10)).toBe(true)
    expect(headGet(cache, 'balance', 10)).toMatchObject(kept)
  })

  test.each([
    ['a new head', at(101)],
    ['a reorganised head, same height and another hash', at(100, '0xother')],
    ['a head that went back', at(99)],
  ])('are gone with %s', (_title, head) => {
    const cache = cacheAt(100)
    headSet(cache, 'balance', kept, 0)
    const { epoch } = cache
    followHead(cache, head, 10)
    expect(headGet(cache, 'balance', 10)).toBeUndefined()
    expect(cache.epoch).toBeGreaterThan(epoch)
  })

  test('are gone with a write of our own', () => {
    const cache = cacheAt(100)
    headSet(cache, 'nonce', kept, 0)
    startEpoch(cache)
    expect(headGet(cache, 'nonce', 0)).toBeUndefined()
  })

  test('are not given while no head is known', () => {
    expect(followHead(cacheAt(100), null, 0)).toBe(false)
  })

  test('are not given when they are older than allowed', () => {
    const cache = cacheAt(100)
    headSet(cache, 'balance', kept, 0)
    expect(headGet(cache, 'balance', 1000)).toBeDefined()
    expect(headGet(cache, 'balance', 1001)).toBeUndefined()
  })

  test('are not mixed between heads that come and go', () => {
    const cache = cacheAt(100)
    headSet(cache, 'balance', kept, 0)
    followHead(cache, at(100, '0xother'), 1)
    followHead(cache, at(100), 2)
    expect(headGet(cache, 'balance', 2)).toBeUndefined()
  })
})

describe('an answer that speaks of a block beyond the head', () => {
  test('is news once, and nothing older is given until the head gets there', () => {
    const cache = cacheAt(100)
    headSet(cache, 'balance', kept, 0)
    expect(noteHeightSeen(cache, 101, at(100), 0, 'a')).toBe(true)
    expect(noteHeightSeen(cache, 101, at(100), 0, 'a')).toBe(false)
    expect(headGet(cache, 'balance', 0)).toBeUndefined()
    expect(followHead(cache, at(100), 0)).toBe(false)
    expect(followHead(cache, at(101), 1)).toBe(true)
  })

  test('that nobody confirms does not stop keeping for ever', () => {
    const cache = cacheAt(100)
    noteHeightSeen(cache, 9_000_000, at(100), 0, 'a')
    expect(followHead(cache, at(100), 10_000)).toBe(false)
    expect(followHead(cache, at(100), 10_001)).toBe(true)
  })

  test('that nobody confirmed hides no true one, and its upstream is not heard for a while', () => {
    const cache = cacheAt(100)
    noteHeightSeen(cache, 110, at(100), 0, 'liar')
    expect(followHead(cache, at(100), 10_001)).toBe(true)
    expect(noteHeightSeen(cache, 111, at(100), 10_002, 'liar')).toBe(false)
    expect(followHead(cache, at(100), 10_003)).toBe(true)
    expect(noteHeightSeen(cache, 101, at(100), 10_004, 'honest')).toBe(true)
    expect(followHead(cache, at(101), 10_005)).toBe(true)
    expect(noteHeightSeen(cache, 120, at(101), 110_001, 'liar')).toBe(true)
  })

  test.each([
    ['at the head', 100],
    ['below it', 50],
  ])('is no news %s', (_title, height) => {
    const cache = cacheAt(100)
    const { epoch } = cache
    expect(noteHeightSeen(cache, height, at(100), 0, 'a')).toBe(false)
    expect(cache.epoch).toBe(epoch)
  })
})

function cacheAt(number: number) {
  const cache = openHeadCache(BYTES, 1000)
  followHead(cache, at(number), 0)
  return cache
}
