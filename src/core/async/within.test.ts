import { describe, expect, test } from 'bun:test'
import { settled, testClock } from '../../../tests/support/basics/test-clock.ts'
import { within } from './within.ts'

const late = () => 'late' as const

describe('within a time', () => {
  test('work that ends is what it came to, and leaves no timer behind', async () => {
    const clock = testClock()
    expect(await within(clock, 1_000, Promise.resolve('done'), late)).toBe('done')
    await expect(within(clock, 1_000, Promise.reject(new Error('no')), late)).rejects.toThrow('no')
    expect(clock.timers()).toBe(0)
  })

  test('work that takes longer is given up, then and not before', async () => {
    const clock = testClock()
    let end: string | null = null
    void within(clock, 1_000, new Promise<never>(() => {}), late).then((value) => {
      end = value
    })
    await clock.advance(999)
    expect(end).toBeNull()
    await clock.advance(1)
    expect(end as string | null).toBe('late')
  })

  test('giving up may be an error', async () => {
    const clock = testClock()
    const given = within(clock, 10, new Promise<never>(() => {}), () => {
      throw new Error('took too long')
    })
    const [end] = await Promise.all([Promise.allSettled([given]), clock.advance(10)])
    expect(end[0]).toEqual({ status: 'rejected', reason: new Error('took too long') })
  })

  test('nobody hears how work ends that was given up, not even that it failed', async () => {
    const clock = testClock()
    const work = Promise.withResolvers<string>()
    const given = within(clock, 10, work.promise, late)
    await clock.advance(10)
    work.reject(new Error('nobody hears this'))
    await settled()
    expect(await given).toBe('late')
  })

  test('undefined and null are results like others', async () => {
    const clock = testClock()
    expect(await within(clock, 10, Promise.resolve(undefined), late)).toBeUndefined()
    expect(await within(clock, 10, Promise.resolve(null), late)).toBeNull()
  })
})
