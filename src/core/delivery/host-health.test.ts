import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { type HostHealth, limitNow, newHostHealth, noteOutcome } from './host-health.ts'

const SECOND = 1000
const NOW = 1_800_000_000_000

/** Notes `times` attempts with this outcome, each begun and ended at the same moment. */
function note(health: HostHealth, outcome: number | string, times: number, nowMs = NOW): void {
  const answer = typeof outcome === 'number' ? { status: outcome, fault: null } : null
  for (let at = 0; at < times; at++) {
    const fault = { status: null, fault: `${outcome}` }
    noteOutcome(health, { ...(answer ?? fault), startedAtMs: nowMs }, nowMs)
  }
}

describe('attempts at once to one host', () => {
  test('begin with four and grow by one with every twenty successes, up to 64', () => {
    const health = newHostHealth()
    expect(limitNow(health, NOW)).toBe(4)
    note(health, 200, 19)
    expect(limitNow(health, NOW)).toBe(4)
    note(health, 204, 1)
    expect(limitNow(health, NOW)).toBe(5)
    note(health, 200, 10_000)
    expect(limitNow(health, NOW)).toBe(64)
  })

  test.each([[429], [502], [503], [504], ['timeout']])(
    'are halved by %s, down to one',
    (signal) => {
      const health = newHostHealth()
      note(health, 200, 80)
      expect(limitNow(health, NOW)).toBe(8)
      for (const [at, expected] of [4, 2, 1, 1].entries()) {
        note(health, signal, 1, NOW + at + 1)
        expect(limitNow(health, NOW + at + 1)).toBe(expected)
      }
    },
  )

  test('are halved once by attempts that met the same overload', () => {
    const health = newHostHealth()
    note(health, 200, 2000)
    for (let at = 0; at < 20; at++) {
      const outcome = { status: 503, fault: null, startedAtMs: NOW + 100 }
      noteOutcome(health, outcome, NOW + 200 + at)
    }
    expect(limitNow(health, NOW + 300)).toBe(32)
  })

  test('are not fewer for an error of the application', () => {
    const health = newHostHealth()
    note(health, 500, 4)
    note(health, 404, 100)
    expect(limitNow(health, NOW)).toBe(4)
  })
})

describe('a host that fails', () => {
  test.each([['connect'], ['timeout'], ['dns'], ['tls'], ['reset'], ['protocol']])(
    'is given up after five in a row without an answer: %s',
    (fault) => {
      const health = newHostHealth()
      note(health, fault, 4)
      expect(health.opensAtMs).toBeNull()
      note(health, fault, 1)
      expect(health.opensAtMs).toBe(NOW + 5 * SECOND)
      expect(limitNow(health, NOW)).toBe(0)
    },
  )

  test('is not, when an answer of any kind comes between', () => {
    const health = newHostHealth()
    note(health, 200, 100)
    for (const status of [200, 404, 500]) {
      note(health, 'connect', 4)
      note(health, status, 1)
    }
    expect(health.opensAtMs).toBeNull()
  })

  test('is given up when of ten or more attempts half have failed', () => {
    const health = newHostHealth()
    note(health, 200, 5)
    note(health, 500, 4)
    expect(health.opensAtMs).toBeNull()
    note(health, 500, 1)
    expect(health.opensAtMs).toBe(NOW + 5 * SECOND)
  })

  test('is not given up by a success', () => {
    const health = newHostHealth()
    note(health, 500, 9)
    note(health, 200, 1)
    expect(health.opensAtMs).toBeNull()
  })

  test('is judged by the last half minute', () => {
    const health = newHostHealth()
    note(health, 500, 9, NOW)
    note(health, 500, 9, NOW + 30 * SECOND)
    expect(health.opensAtMs).toBeNull()
    note(health, 500, 1, NOW + 30 * SECOND)
    expect(health.opensAtMs).not.toBeNull()
  })

  test("is never given up for what is our own doing, or a caller's", () => {
    const health = newHostHealth()
    for (const fault of ['refused_address', 'internal', 'cancelled', '']) note(health, fault, 100)
    noteOutcome(health, { status: null, fault: null, startedAtMs: NOW }, NOW)
    expect(health).toEqual(newHostHealth())
    for (const status of [301, 400, 401, 404, 410, 422]) note(health, status, 100)
    expect(health.opensAtMs).toBeNull()
    expect(limitNow(health, NOW)).toBe(4)
  })
})

describe('a host that was given up', () => {
  function givenUp(): HostHealth {
    const health = newHostHealth()
    note(health, 'connect', 5)
    return health
  }

  test('is probed by one attempt after 5 s, then after twice as long, up to 5 min', () => {
    const health = givenUp()
    let nowMs = NOW
    for (const waitS of [5, 10, 20, 40, 80, 160, 300, 300]) {
      expect(health.opensAtMs).toBe(nowMs + waitS * SECOND)
      expect(limitNow(health, nowMs + waitS * SECOND - 1)).toBe(0)
      nowMs += waitS * SECOND
      expect(limitNow(health, nowMs)).toBe(1)
      note(health, 'timeout', 1, nowMs)
    }
  })

  test.each([[200], [404]])('is back with an answer of %d, and forgotten what was', (status) => {
    const health = givenUp()
    note(health, status, 1, NOW + 5 * SECOND)
    expect(health.opensAtMs).toBeNull()
    expect(limitNow(health, NOW + 5 * SECOND)).toBe(4)
    note(health, 'connect', 4, NOW + 6 * SECOND)
    expect(health.opensAtMs).toBeNull()
    note(health, 'connect', 1, NOW + 6 * SECOND)
    expect(health.opensAtMs).toBe(NOW + 11 * SECOND)
  })

  test('is neither given longer nor believed for attempts from before', () => {
    const health = givenUp()
    for (const outcome of [
      { status: null, fault: 'timeout' },
      { status: 200, fault: null },
    ]) {
      noteOutcome(health, { ...outcome, startedAtMs: NOW - SECOND }, NOW + 20 * SECOND)
    }
    expect(health.opensAtMs).toBe(NOW + 5 * SECOND)
    expect(limitNow(health, NOW + 20 * SECOND)).toBe(1)
  })

  test('is still to be probed when the probe failed by our own doing', () => {
    const health = givenUp()
    note(health, 'refused_address', 1, NOW + 5 * SECOND)
    expect(limitNow(health, NOW + 5 * SECOND)).toBe(1)
  })
})

test('whatever happens, the limit keeps its bounds and the state its size', () => {
  const chance = seededChance(7)
  const health = newHostHealth()
  let nowMs = NOW
  for (let round = 0; round < 50_000; round++) {
    // Clocks are set back too.
    nowMs += chance.between(-2000, 3000)
    const outcome = chance.pick<number | string>([200, 200, 200, 404, 429, 500, 'timeout', 'dns'])
    note(health, outcome, 1, nowMs)
    expect(health.limit).toBeWithin(1, 65)
    expect(health.slices.length).toBeLessThanOrEqual(6)
    expect(health.probeWaitMs).toBeWithin(5000, 300_001)
  }
})
