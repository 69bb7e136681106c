import { describe, expect, test } from 'bun:test'
import { testClock } from '../../../tests/support/test-clock.ts'
import { openCoalescer } from './coalesce.ts'

describe('identical calls under way', () => {
  test('share one answer', async () => {
    const { flights } = coalescer()
    const { promise, resolve } = Promise.withResolvers<string>()
    const led = flights.lead('key', 1, () => promise)
    const joined = flights.join('key', 1)
    resolve('answer')
    expect(await Promise.all([led, joined])).toEqual(['answer', 'answer'])
  })

  test('share one failure, and the next call begins anew', async () => {
    const { flights } = coalescer()
    const { promise, reject } = Promise.withResolvers<string>()
    const led = flights.lead('key', 1, () => promise)
    const joined = flights.join('key', 1)
    reject(new Error('no node'))
    await expect(led).rejects.toThrow('no node')
    await expect(Promise.resolve(joined)).rejects.toThrow('no node')
    flights.land('key', led)
    expect(flights.join('key', 1)).toBeUndefined()
  })

  test('are not shared once answered', async () => {
    const { flights } = coalescer()
    const led = flights.lead('key', 1, async () => 'answer')
    await led
    flights.land('key', led)
    expect(flights.join('key', 1)).toBeUndefined()
  })

  test('are not shared with other calls', () => {
    const { flights } = coalescer()
    void flights.lead('key', 1, () => new Promise(() => {}))
    expect(flights.join('other', 1)).toBeUndefined()
  })

  test('are not shared across a change of the chain', () => {
    const { flights } = coalescer()
    void flights.lead('key', 1, () => new Promise(() => {}))
    expect(flights.join('key', 2)).toBeUndefined()
  })

  test('are not shared with one that began too long ago', () => {
    const { flights, clock } = coalescer()
    void flights.lead('key', 1, () => new Promise(() => {}))
    clock.skip(1000)
    expect(flights.join('key', 1)).toBeDefined()
    clock.skip(1)
    expect(flights.join('key', 1)).toBeUndefined()
  })

  test('an old flight that lands does not end the younger one', async () => {
    const { flights } = coalescer()
    const old = Promise.withResolvers<string>()
    const led = flights.lead('key', 1, () => old.promise)
    void flights.lead('key', 2, () => new Promise(() => {}))
    old.resolve('old')
    await led
    flights.land('key', led)
    expect(flights.join('key', 2)).toBeDefined()
  })

  test('are remembered in a bounded number; the rest go alone', async () => {
    const { flights } = coalescer()
    for (let call = 0; call < 10_000; call++) {
      void flights.lead(`key_${call}`, 1, () => new Promise(() => {}))
    }
    expect(await flights.lead('one more', 1, async () => 'answer')).toBe('answer')
    void flights.lead('another', 1, () => new Promise(() => {}))
    expect(flights.join('another', 1)).toBeUndefined()
    expect(flights.join('key_0', 1)).toBeDefined()
  })
})

function coalescer() {
  const clock = testClock()
  return { clock, flights: openCoalescer<string>(() => clock.monotonicMs()) }
}
