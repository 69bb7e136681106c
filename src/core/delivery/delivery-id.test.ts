import { describe, expect, test } from 'bun:test'
import { countedIn, deliveryId } from './delivery-id.ts'

const FIRST = 1_000_000_000_001

describe('the id of a delivery', () => {
  test('is always the same for a webhook and an event', () => {
    expect(deliveryId('wh_9c5v2b8n4m1k7j3h', FIRST)).toBe(deliveryId('wh_9c5v2b8n4m1k7j3h', FIRST))
    expect(deliveryId('wh_9c5v2b8n4m1k7j3h', FIRST)).toBe('whevt_6i9tik4abayhio14')
  })

  test('has the form of the contract, also for heights of replays and for errors', () => {
    for (const number of [
      -1,
      -2,
      -36,
      -1_000_000_007,
      0,
      1,
      35,
      36,
      25_604_144,
      FIRST,
      FIRST + 36 ** 4 - 1,
      2 ** 53 - 1,
    ]) {
      expect(deliveryId('wh_a', number)).toMatch(/^whevt_[0-9a-z]{16}$/)
    }
  })

  test('is another one for every webhook and every event', () => {
    const ids = new Set<string>()
    for (let webhook = 0; webhook < 1000; webhook++) {
      for (let event = 0; event < 100; event++) ids.add(deliveryId(`wh_${webhook}`, FIRST + event))
    }
    expect(ids.size).toBe(100_000)
  })

  test('differs from that of the event a whole round of numbers later', () => {
    expect(deliveryId('wh_a', FIRST)).not.toBe(deliveryId('wh_a', FIRST + 36 ** 4))
  })

  test('lies next to those of the same event, whichever webhook they are of', () => {
    const ids = ['wh_a', 'wh_b', 'wh_c'].flatMap((id) =>
      [FIRST + 2, FIRST, FIRST + 1].map((number) => [deliveryId(id, number), number] as const),
    )
    const numbers = ids.toSorted().map(([, number]) => number - FIRST)
    expect(numbers).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 2])
  })

  test('tells the last digits of the number of its event, and nothing when it is none', () => {
    for (const number of [FIRST, FIRST + 36 ** 4 - 1, 0, 35]) {
      const { value = -1, modulus = 1 } = countedIn(deliveryId('wh_a', number)) ?? {}
      expect(value).toBe(number % modulus)
    }
    for (const text of [
      '',
      'whevt_',
      'whevt_6i9tik4abayhio1',
      'whevt_6I9tik4abayhio14',
      'x'.repeat(22),
    ]) {
      expect(countedIn(text)).toBeNull()
    }
  })
})
