import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { latencyQuantileMs, learnLatency, newLatency } from './latency.ts'

describe('the quantile of how long calls take', () => {
  test('is not guessed from a handful of calls', () => {
    const latency = newLatency()
    for (let call = 0; call < 19; call++) learnLatency(latency, 10)
    expect(latencyQuantileMs(latency, 0.95)).toBeNull()
    learnLatency(latency, 10)
    expect(latencyQuantileMs(latency, 0.95)).not.toBeNull()
  })

  test('is never below the true one and at most a quarter above it', () => {
    const chance = seededChance(3)
    for (let round = 0; round < 50; round++) {
      const latency = newLatency()
      const spread = 10 ** chance.between(0, 3)
      const took = Array.from({ length: 1000 }, () => 0.3 + chance.fraction() * spread)
      for (const ms of took) learnLatency(latency, ms)
      took.sort((a, b) => a - b)
      for (const quantile of [0.5, 0.9, 0.95, 0.99]) {
        const exact = took[Math.ceil(1000 * quantile) - 1] ?? 0
        const learned = latencyQuantileMs(latency, quantile) ?? 0
        expect(learned).toBeGreaterThanOrEqual(exact * 0.9999)
        expect(learned).toBeLessThanOrEqual(exact * 1.2501)
      }
    }
  })

  test('follows a node that became slow within a few thousand calls', () => {
    const latency = newLatency()
    for (let call = 0; call < 10_000; call++) learnLatency(latency, 2)
    expect(latencyQuantileMs(latency, 0.95)).toBeLessThan(3)
    for (let call = 0; call < 4_000; call++) learnLatency(latency, 200)
    expect(latencyQuantileMs(latency, 0.5)).toBeGreaterThan(150)
  })

  test('takes any duration without falling over', () => {
    const latency = newLatency()
    for (const ms of [0, 1e-9, 1e9, Number.MAX_VALUE, Number.POSITIVE_INFINITY]) {
      for (let call = 0; call < 10; call++) learnLatency(latency, ms)
    }
    expect(Number.isFinite(latencyQuantileMs(latency, 0.99))).toBe(true)
    expect(latencyQuantileMs(latency, 0.1)).toBe(0.25)
  })
})
