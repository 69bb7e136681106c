import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import {
  collectStream,
  followHead,
  headGet,
  noteHeightSeen,
  openHeadCache,
  openResponseCache,
  startEpoch,
} from './answer-cache.ts'

const MEGABYTE = 1024 * 1024
const at = (number: number, hash = `0x${number}`) => ({ number, hash, finalized: null })
const kept = { text: '"0x1"', upstream: 'a' }

describe('answers that hold for one head', () => {
  test('are given while the head stays', () => {
    const cache = cacheAt(100)
    setAt(cache, 'balance', kept, 0)
    expect(followHead(cache, at(100), 10)).toBe(true)
    expect(headGet(cache, 'balance', 10)).toMatchObject(kept)
  })

  test.each([
    ['a new head', at(101)],
    ['a reorganised head, same height and another hash', at(100, '0xother')],
    ['a head that went back', at(99)],
  ])('are gone with %s', (_title, head) => {
    const cache = cacheAt(100)
    setAt(cache, 'balance', kept, 0)
    const { epoch } = cache
    followHead(cache, head, 10)
    expect(headGet(cache, 'balance', 10)).toBeUndefined()
    expect(cache.epoch).toBeGreaterThan(epoch)
  })

  test('are gone with a write of our own', () => {
    const cache = cacheAt(100)
    setAt(cache, 'nonce', kept, 0)
    startEpoch(cache)
    expect(headGet(cache, 'nonce', 0)).toBeUndefined()
  })

  test('are not given while no head is known', () => {
    expect(followHead(cacheAt(100), null, 0)).toBe(false)
  })

  test('are not given when they are older than allowed', () => {
    const cache = cacheAt(100)
    setAt(cache, 'balance', kept, 0)
    expect(headGet(cache, 'balance', 1000)).toBeDefined()
    expect(headGet(cache, 'balance', 1001)).toBeUndefined()
  })

  test('are not mixed between heads that come and go', () => {
    const cache = cacheAt(100)
    setAt(cache, 'balance', kept, 0)
    followHead(cache, at(100, '0xother'), 1)
    followHead(cache, at(100), 2)
    expect(headGet(cache, 'balance', 2)).toBeUndefined()
  })
})

describe('an answer that speaks of a block beyond the head', () => {
  test('is news once, and nothing older is given until the head gets there', () => {
    const cache = cacheAt(100)
    setAt(cache, 'balance', kept, 0)
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

describe('collecting what streams by', () => {
  test('hands over the text once the stream has ended, and passes every byte on', async () => {
    const texts: string[] = []
    const stream = collectStream(streamOf(['{"a":', '"ü"}']), 100, (text) => texts.push(text))
    expect(await new Response(stream).text()).toBe('{"a":"ü"}')
    expect(texts).toEqual(['{"a":"ü"}'])
  })

  test('holds nothing of an answer that is too long, and passes it on all the same', async () => {
    const texts: string[] = []
    const stream = collectStream(streamOf(['12345', '67890', 'x']), 10, (text) => texts.push(text))
    expect(await new Response(stream).text()).toBe('1234567890x')
    expect(texts).toEqual([])
  })

  test('an answer that breaks off is not collected', async () => {
    const texts: string[] = []
    const stream = collectStream(streamOf(['1'], new Error('cut')), 10, (text) => texts.push(text))
    const reader = stream.getReader()
    await reader.read()
    expect(await reader.read().catch((error: Error) => error.message)).toBe('cut')
    expect(texts).toEqual([])
  })

  test('whoever gives up gives up the source', async () => {
    let cancelled = false
    const source = new ReadableStream<Uint8Array>({
      cancel() {
        cancelled = true
      },
    })
    await collectStream(source, 10, () => {}).cancel()
    expect(cancelled).toBe(true)
  })
})

function cacheAt(number: number) {
  const cache = openHeadCache(MEGABYTE, 1000)
  followHead(cache, at(number), 0)
  return cache
}

function setAt(cache: ReturnType<typeof cacheAt>, key: string, entry: typeof kept, atMs: number) {
  cache.answers.set(key, { ...entry, atMs })
}

function streamOf(texts: string[], error?: Error): ReadableStream<Uint8Array> {
  const left = texts.map((text) => new TextEncoder().encode(text))
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = left.shift()
      if (next) controller.enqueue(next)
      else if (error) controller.error(error)
      else controller.close()
    },
  })
}
