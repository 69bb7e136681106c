import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { testClock } from '../../../tests/support/basics/test-clock.ts'
import { NO_PLACE } from '../../core/in-flight.ts'
import {
  earnHedge,
  hedgeDelayMs,
  learnHedge,
  newHedging,
  openAttemptWatch,
  spendHedge,
  type Timed,
} from './routed-request.ts'

type Named = Timed & { name: string }

describe('the watch over calls in flight', () => {
  test('says late, then stalled, then over, each from its moment on', () => {
    const { clock, watch, said } = watching()
    watch.add(attempt('a', { hedgeAtMs: 20, stallAtMs: 100, deadlineMs: 200 }))
    clock.skip(15)
    expect(said).toEqual([])
    clock.skip(5)
    expect(said).toEqual(['late a'])
    clock.skip(80)
    expect(said.at(-1)).toBe('stall a')
    clock.skip(100)
    expect(said.at(-1)).toBe('over a')
  })

  test('tells each moment once to whoever pushes it away', () => {
    const { clock, watch, said } = watching(true)
    watch.add(attempt('a', { hedgeAtMs: 20, stallAtMs: 100, deadlineMs: 200 }))
    clock.skip(400)
    expect(said).toEqual(['late a', 'stall a', 'over a'])
  })

  test('never hedges what may not be hedged', () => {
    const { clock, watch, said } = watching(true)
    watch.add(attempt('a', { deadlineMs: 50 }))
    clock.skip(100)
    expect(said).toEqual(['over a'])
  })

  test('forgets a call that came back', () => {
    const { clock, watch, said } = watching()
    const one = attempt('a', { deadlineMs: 50 })
    watch.add(one)
    clock.skip(20)
    watch.remove(one)
    clock.skip(200)
    expect(said).toEqual([])
  })

  test('keeps the time of many calls apart', () => {
    const { clock, watch, said } = watching(true)
    watch.add(attempt('slow', { deadlineMs: 100 }))
    clock.skip(20)
    watch.add(attempt('quick', { deadlineMs: 40 }))
    clock.skip(25)
    expect(said).toEqual(['over quick'])
    clock.skip(60)
    expect(said).toEqual(['over quick', 'over slow'])
  })

  test('stands still while nothing is in flight, and wakes again', () => {
    const { clock, watch, said } = watching(true)
    expect(clock.timers()).toBe(0)
    watch.add(attempt('a', { deadlineMs: 10 }))
    expect(clock.timers()).toBe(1)
    clock.skip(30)
    expect(clock.timers()).toBe(0)
    watch.add(attempt('b', { deadlineMs: 40 }))
    clock.skip(30)
    expect(said).toEqual(['over a', 'over b'])
    expect(clock.timers()).toBe(0)
  })

  test('blames no node for the time in which this process itself stood still', () => {
    const { clock, watch, said } = watching(true)
    watch.add(attempt('a', { stallAtMs: 2000, deadlineMs: 5000 }))
    clock.skip(1000)
    clock.standStill(60_000)
    clock.skip(700)
    expect(said).toEqual([])
    clock.skip(100)
    expect(said).toEqual(['stall a'])
    clock.skip(3000)
    expect(said).toEqual(['stall a', 'over a'])
  })

  test('counts from when it wakes, however long nothing was in flight', () => {
    const { clock, watch, said } = watching(true)
    clock.skip(60_000)
    watch.add(attempt('a', { deadlineMs: 60_040 }))
    clock.skip(50)
    expect(said).toEqual(['over a'])
  })

  test('has one timer, however many calls are out', () => {
    const { clock, watch } = watching()
    for (let call = 0; call < 1000; call++) watch.add(attempt(`${call}`, { deadlineMs: 1e9 }))
    expect(clock.timers()).toBe(1)
  })
})

function attempt(name: string, times: Partial<Timed>): Named {
  const never = Number.POSITIVE_INFINITY
  const none = { hedgeAtMs: never, stallAtMs: never, deadlineMs: never, place: NO_PLACE }
  return { name, ...none, ...times }
}

/** With `heeds`, each reaction pushes its moment away, as the pool does. */
function watching(heeds = false) {
  const clock = testClock()
  const said: string[] = []
  const watch = openAttemptWatch<Named>(clock, {
    onLate(one) {
      said.push(`late ${one.name}`)
      if (heeds) one.hedgeAtMs = Number.POSITIVE_INFINITY
    },
    onStall(one) {
      said.push(`stall ${one.name}`)
      if (heeds) one.stallAtMs = Number.POSITIVE_INFINITY
    },
    onDeadline(one) {
      said.push(`over ${one.name}`)
      if (heeds) watch.remove(one)
    },
  })
  return { clock, watch, said }
}

const BURST = 20

describe('the budget of second calls', () => {
  test('is one call in twenty, beside a small burst, in any stretch of traffic', () => {
    const chance = seededChance(2)
    const hedging = newHedging()
    const doubled: boolean[] = []
    for (let call = 0; call < 20_000; call++) {
      earnHedge(hedging)
      const wants = chance.fraction() < (call % 4000 < 2000 ? 1 : 0.01)
      doubled.push(wants && spendHedge(hedging))
    }
    for (const stretch of [100, 1000, 5000, 20_000]) {
      let sum = 0
      doubled.forEach((was, at) => {
        sum += Number(was) - Number(at >= stretch && doubled[at - stretch])
        expect(sum).toBeLessThanOrEqual(BURST + 0.05 * stretch + 1e-6)
      })
    }
  })

  test('is used up when every call is slow, and then stays at one in twenty', () => {
    const hedging = newHedging()
    let spent = 0
    for (let call = 0; call < 10_000; call++) {
      earnHedge(hedging)
      if (spendHedge(hedging)) spent++
    }
    expect(spent).toBeGreaterThan(490)
    expect(spent).toBeLessThanOrEqual(510)
  })

  test('does not pile up over quiet times', () => {
    const hedging = newHedging()
    for (let call = 0; call < 100_000; call++) earnHedge(hedging)
    let spent = 0
    while (spendHedge(hedging)) spent++
    expect(spent).toBe(BURST)
  })
})

describe('how long the first upstream is waited for', () => {
  test('is for ever while nothing is known of a method', () => {
    const hedging = newHedging()
    expect(hedgeDelayMs(hedging, 'eth_call')).toBe(Number.POSITIVE_INFINITY)
    for (let call = 0; call < 31; call++) learnHedge(hedging, 'eth_call', 10)
    expect(hedgeDelayMs(hedging, 'eth_call')).toBe(Number.POSITIVE_INFINITY)
  })

  test('is what nineteen of twenty calls of that method stay below', () => {
    const hedging = newHedging()
    for (let call = 0; call < 960; call++)
      learnHedge(hedging, 'eth_call', call % 20 === 0 ? 500 : 20)
    const delayMs = hedgeDelayMs(hedging, 'eth_call')
    expect(delayMs).toBeGreaterThanOrEqual(20)
    expect(delayMs).toBeLessThanOrEqual(26)
    expect(hedgeDelayMs(hedging, 'eth_getLogs')).toBe(Number.POSITIVE_INFINITY)
  })

  test('is never shorter than can be told', () => {
    const hedging = newHedging()
    for (let call = 0; call < 100; call++) learnHedge(hedging, 'eth_chainId', 0.1)
    expect(hedgeDelayMs(hedging, 'eth_chainId')).toBe(5)
  })

  test('is learned for a bounded number of methods', () => {
    const hedging = newHedging()
    for (let at = 0; at < 2000; at++) learnHedge(hedging, `made_up_${at}`, 1)
    expect(hedging.latencies.size).toBe(500)
  })
})
