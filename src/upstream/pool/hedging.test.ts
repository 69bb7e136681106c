import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { earnHedge, hedgeDelayMs, learnHedge, newHedging, spendHedge } from './hedging.ts'

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
