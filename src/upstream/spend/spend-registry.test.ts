import { beforeEach, describe, expect, test } from 'bun:test'
import { quietTelemetry } from '../../../tests/support/basics/quiet-telemetry.ts'
import { type TestClock, testClock } from '../../../tests/support/basics/test-clock.ts'
import type { UpstreamBudget, UpstreamSpec } from '../../core/network.ts'
import { openSpendRegistry, type SpendRegistry } from './spend-registry.ts'
import type { UpstreamSpend } from './upstream-spend.ts'

const BUDGET: UpstreamBudget = {
  account: 'vendor',
  requestsPerSecond: 10,
  creditsPerMonth: 1000,
  credits: { default: 1, eth_call: 26 },
  resetDay: 1,
}

let clock: TestClock
let registry: SpendRegistry

beforeEach(() => {
  clock = testClock(Date.parse('2026-11-30T23:59:58Z'))
  registry = openSpendRegistry(clock, quietTelemetry())
})

function spec(name: string, budget: Partial<UpstreamBudget> = {}): UpstreamSpec {
  const usual = { priority: 0, traces: false, concurrencyMax: 8, batchMax: 0, timeoutMs: 1000 }
  return { ...usual, name, url: 'http://a', budget: { ...BUDGET, ...budget } }
}

function opened(networkId: string, given = spec('a'), from = registry): UpstreamSpend {
  const spend = from.of(networkId, given)
  if (!spend) throw new Error('it has a budget')
  return spend
}

test('an upstream without a budget costs nothing', () => {
  const { budget: _, ...free } = spec('own')
  expect(registry.of('ETH', free)).toBeNull()
  expect(registry.startRead()).toBeNull()
  expect(registry.isDue()).toBe(false)
})

test('sums are read from the start of the month, at most every two seconds', async () => {
  opened('ETH')
  expect(registry.startRead()).toBe(placeOf('ETH').periodStartMs)
  await clock.advance(1000)
  expect(registry.startRead()).toBeNull()
  await clock.advance(1000)
  expect(registry.startRead()).toBe(Date.parse('2026-12-01T00:00:00Z'))
})

describe('an account', () => {
  test('is shared by all upstreams that name it', () => {
    const [eth, base] = [opened('ETH'), opened('BASE')]
    eth.note('eth_call')
    base.note('eth_blockNumber')
    expect(eth.account.creditsSpent()).toBe(27)
    expect(base.account.requestsLeft()).toBe(8)
    expect(registry.take()).toEqual([
      { ...placeOf('ETH'), requests: 1, credits: 26 },
      { ...placeOf('BASE'), requests: 1, credits: 1 },
    ])
    expect(registry.take()).toEqual([])
  })

  test('counts what is in the ledger once, and what others wrote there', () => {
    const spend = opened('ETH')
    spend.note('eth_call')
    const taken = registry.take()
    expect(spend.account.creditsSpent()).toBe(26)
    registry.written(taken)
    registry.read([
      { account: 'vendor', periodStartMs: placeOf('ETH').periodStartMs, credits: 126 },
    ])
    expect(spend.account.creditsSpent()).toBe(126)
    spend.note('eth_call')
    expect(spend.account.creditsSpent()).toBe(152)
  })

  test('begins anew on its reset day, and what was spent before counts for before', async () => {
    const spend = opened('ETH')
    spend.note('eth_call')
    registry.read([
      { account: 'vendor', periodStartMs: placeOf('ETH').periodStartMs, credits: 980 },
    ])
    expect(spend.creditsLeft()).toBe('none')
    await clock.advance(3000)
    expect(spend.creditsLeft()).toBe('left')
    spend.note('eth_call')
    const [before, after] = registry.take()
    expect(after?.periodStartMs).toBe(Date.parse('2026-12-01T00:00:00Z'))
    registry.written([before, after].flatMap((one) => one ?? []))
    expect(spend.account.creditsSpent()).toBe(26)
  })

  test('keeps what it spent through a reload, under its new limits', () => {
    opened('ETH').note('eth_call')
    const next = opened('ETH', spec('a', { creditsPerMonth: 28, credits: { default: 2 } }))
    expect(next.creditsLeft()).toBe('left')
    next.note('eth_call')
    expect(next.creditsLeft()).toBe('none')
    expect(registry.take()).toEqual([{ ...placeOf('ETH'), requests: 2, credits: 28 }])
  })

  test('is polled on when its credits are used up, once a minute', async () => {
    const spend = opened('ETH', spec('a', { creditsPerMonth: 1, resetDay: 20 }))
    spend.note('eth_call')
    let polls = 0
    for (let second = 0; second < 180; second++) {
      if (spend.mayPoll()) polls++
      await clock.advance(1000)
    }
    expect(polls).toBe(3)
  })

  test('is polled no more often than its requests allow', async () => {
    const spend = opened('ETH', spec('a', { requestsPerSecond: 1 }))
    let polls = 0
    for (let at = 0; at < 100; at++) {
      if (spend.mayPoll()) {
        spend.note('eth_blockNumber')
        polls++
      }
      await clock.advance(100)
    }
    expect(polls).toBeGreaterThan(8)
    expect(polls).toBeLessThan(13)
  })
})

test('processes share the requests of a second', () => {
  const others = openSpendRegistry(clock, quietTelemetry())
  type Hear = Parameters<Parameters<SpendRegistry['share']>[0]['subscribe']>[0]
  const ears = new Map<SpendRegistry, Hear>()
  for (const [one, other] of [
    [registry, others],
    [others, registry],
  ] as const) {
    one.share({
      took: (key, throughputCentiCu) => ears.get(other)?.(key, { throughputCentiCu }),
      subscribe(hear) {
        ears.set(one, hear)
        return () => void ears.delete(one)
      },
    })
  }
  const here = opened('ETH')
  const there = opened('ETH', spec('a'), others)
  for (let at = 0; at < 5; at++) {
    here.note('eth_call')
    there.note('eth_call')
  }
  expect([here.hasRoom(1), there.hasRoom(1)]).toEqual([false, false])
  ears.get(registry)?.('team_1', { throughputCentiCu: -100_000 })
  expect(here.hasRoom(1)).toBe(false)
})

function placeOf(network: string) {
  const periodStartMs = Date.parse('2026-11-01T00:00:00Z')
  return { account: 'vendor', network, upstream: 'a', periodStartMs }
}
