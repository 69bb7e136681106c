import { describe, expect, test } from 'bun:test'
import { testClock } from '../../../tests/support/basics/test-clock.ts'
import { openSingleFlight } from './single-flight.ts'

describe('identical calls under way', () => {
  test('share one answer', async () => {
    const { singleFlight } = open()
    const { promise, resolve } = Promise.withResolvers<string>()
    const underWay = started(singleFlight, 'key', 1, promise)
    const joined = singleFlight.join('key', 1)
    resolve('answer')
    expect(await Promise.all([underWay, joined])).toEqual(['answer', 'answer'])
  })

  test('share one failure, and the next call begins anew', async () => {
    const { singleFlight } = open()
    const { promise, reject } = Promise.withResolvers<string>()
    const underWay = started(singleFlight, 'key', 1, promise)
    const joined = singleFlight.join('key', 1)
    reject(new Error('no node'))
    await expect(underWay).rejects.toThrow('no node')
    await expect(Promise.resolve(joined)).rejects.toThrow('no node')
    singleFlight.finish('key', underWay)
    expect(singleFlight.join('key', 1)).toBeUndefined()
  })

  test('are not shared once answered', async () => {
    const { singleFlight } = open()
    const underWay = started(singleFlight, 'key', 1, Promise.resolve('answer'))
    await underWay
    singleFlight.finish('key', underWay)
    expect(singleFlight.join('key', 1)).toBeUndefined()
  })

  test('are not shared with other calls', () => {
    const { singleFlight } = open()
    started(singleFlight, 'key', 1, new Promise(() => {}))
    expect(singleFlight.join('other', 1)).toBeUndefined()
  })

  test('are not shared across a change of the chain', () => {
    const { singleFlight } = open()
    started(singleFlight, 'key', 1, new Promise(() => {}))
    expect(singleFlight.join('key', 2)).toBeUndefined()
  })

  test('are not shared with one that began too long ago', () => {
    const { singleFlight, clock } = open()
    started(singleFlight, 'key', 1, new Promise(() => {}))
    clock.skip(1000)
    expect(singleFlight.join('key', 1)).toBeDefined()
    clock.skip(1)
    expect(singleFlight.join('key', 1)).toBeUndefined()
  })

  test('an old flight that lands does not end the younger one', async () => {
    const { singleFlight } = open()
    const old = Promise.withResolvers<string>()
    const underWay = started(singleFlight, 'key', 1, old.promise)
    started(singleFlight, 'key', 2, new Promise(() => {}))
    old.resolve('old')
    await underWay
    singleFlight.finish('key', underWay)
    expect(singleFlight.join('key', 2)).toBeDefined()
  })

  test('are remembered in a bounded number; the rest go alone', async () => {
    const { singleFlight } = open()
    for (let call = 0; call < 10_000; call++) {
      started(singleFlight, `key_${call}`, 1, new Promise(() => {}))
    }
    expect(await started(singleFlight, 'one more', 1, Promise.resolve('answer'))).toBe('answer')
    started(singleFlight, 'another', 1, new Promise(() => {}))
    expect(singleFlight.join('another', 1)).toBeUndefined()
    expect(singleFlight.join('key_0', 1)).toBeDefined()
  })
})

function open() {
  const clock = testClock()
  return { clock, singleFlight: openSingleFlight<string>(() => clock.monotonicMs()) }
}

function started(
  { add }: ReturnType<typeof open>['singleFlight'],
  key: string,
  epoch: number,
  answer: Promise<string>,
): Promise<string> {
  add(key, epoch, answer)
  return answer
}
