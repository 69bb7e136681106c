import { beforeEach, describe, expect, test } from 'bun:test'
import type { UpstreamSpec } from '../../core/network.ts'
import { rates } from './rolling-counts.ts'
import {
  isUnsupported,
  newUpstream,
  noteFailure,
  noteHead,
  notePolled,
  noteSuccess,
  noteThrottled,
  noteUnsupported,
  type Upstream,
  viewOf,
} from './upstream.ts'

const SPEC: UpstreamSpec = {
  name: 'node',
  url: 'http://127.0.0.1:1',
  priority: 0,
  traces: false,
  concurrencyMax: 8,
  batchMax: 0,
  timeoutMs: 1000,
}

let upstream: Upstream

beforeEach(() => {
  upstream = newUpstream({ post: () => () => {} }, SPEC, 'evm')
})

describe('the breaker of an upstream opens', () => {
  test('after a handful of failures in a row', () => {
    expect(fail(3)).toBe('closed')
    expect(fail(1)).toBe('open')
  })

  test('not after as many failures with successes between', () => {
    for (let call = 0; call < 20; call++) {
      noteSuccess(upstream, 5, call)
      fail(1, call)
    }
    expect(upstream.breaker.state).toBe('closed')
  })

  test('when most of the calls of the last seconds failed', () => {
    for (let round = 0; round < 20 && upstream.breaker.state === 'closed'; round++) {
      noteSuccess(upstream, 5, round)
      fail(2, round)
    }
    expect(upstream.breaker.state).toBe('open')
  })

  test('though it answers polls all the time', () => {
    for (let call = 0; call < 4; call++) {
      fail(1, call * 100)
      for (let poll = 0; poll < 10; poll++) notePolled(upstream, 1, call * 100 + poll)
    }
    expect(upstream.breaker.state).toBe('open')
  })

  test('for twice as long after each failed probe, up to half a minute', () => {
    fail(4, 0)
    const waits: number[] = []
    let nowMs = 0
    for (let probe = 0; probe < 8; probe++) {
      const openMs = upstream.breaker.openUntilMs - nowMs
      waits.push(openMs)
      nowMs += openMs
      viewOf(upstream, nowMs)
      fail(1, nowMs)
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  })

  test('for no longer than before once it was well in between', () => {
    fail(4, 0)
    viewOf(upstream, 1000)
    fail(1, 1000)
    viewOf(upstream, 3000)
    for (let probe = 0; probe < 3; probe++) noteSuccess(upstream, 5, 3000)
    fail(4, 4000)
    expect(upstream.breaker.openUntilMs).toBe(5000)
  })
})

describe('a breaker that was open', () => {
  beforeEach(() => {
    fail(4, 0)
    expect(viewOf(upstream, 999).breaker).toBe('open')
    expect(viewOf(upstream, 1000).breaker).toBe('half_open')
  })

  test('closes after three good probes', () => {
    noteSuccess(upstream, 5, 1001)
    noteSuccess(upstream, 5, 1002)
    expect(upstream.breaker.state).toBe('half_open')
    noteSuccess(upstream, 5, 1003)
    expect(viewOf(upstream, 1003)).toMatchObject({ breaker: 'closed', samples: 0, errorRate: 0 })
  })

  test('is open again after one failed probe', () => {
    noteSuccess(upstream, 5, 1001)
    noteSuccess(upstream, 5, 1002)
    fail(1, 1003)
    expect(viewOf(upstream, 1003).breaker).toBe('open')
  })

  test('is not proven by polls while reads may come', () => {
    for (let nowMs = 1000; nowMs < 5900; nowMs += 100) notePolled(upstream, 1, nowMs)
    expect(upstream.breaker.state).toBe('half_open')
  })

  test('is proven by polls when no reads come', () => {
    for (let nowMs = 1000; nowMs < 6500; nowMs += 100) notePolled(upstream, 1, nowMs)
    expect(upstream.breaker.state).toBe('closed')
  })
})

describe('what is known of an upstream', () => {
  test('is how many calls of the last ten seconds failed, and nothing older', () => {
    for (let second = 0; second < 10; second++) noteSuccess(upstream, 5, second * 1000)
    fail(2, 9000)
    expect(rates(upstream)).toEqual({ samples: 12, errorRate: 2 / 12 })
    viewOf(upstream, 12_000)
    expect(rates(upstream).samples).toBe(9)
    viewOf(upstream, 500_000)
    expect(rates(upstream)).toEqual({ samples: 0, errorRate: 0 })
  })

  test('is how old its block is now, not when it was reported', () => {
    noteHead(upstream, { number: 5, hash: '0x5', parentHash: null, blockAgeMs: 2000 }, 10_000)
    noteHead(upstream, { number: 5, hash: '0x5', parentHash: null, blockAgeMs: 3000 }, 11_000)
    expect(viewOf(upstream, 14_000).head).toEqual({
      number: 5,
      hash: '0x5',
      blockAgeMs: 6000,
      reportedAgoMs: 3000,
      advancedAgoMs: 4000,
    })
  })

  test('is that its head advanced only when it went up', () => {
    noteHead(upstream, { number: 5, hash: '0x5', parentHash: null, blockAgeMs: null }, 1000)
    noteHead(upstream, { number: 4, hash: '0x4', parentHash: null, blockAgeMs: null }, 2000)
    noteHead(upstream, { number: 4, hash: '0x44', parentHash: null, blockAgeMs: null }, 3000)
    expect(viewOf(upstream, 3000).head).toMatchObject({ number: 4, advancedAgoMs: 2000 })
    noteHead(upstream, { number: 5, hash: '0x55', parentHash: null, blockAgeMs: null }, 4000)
    expect(viewOf(upstream, 4000).head).toMatchObject({ advancedAgoMs: 0 })
  })

  test.each([
    ['a second where it names none', 0, 1000],
    ['as long as it says', 7000, 7000],
    ['not for ever, whatever it says', 1e12, 60_000],
  ])('is that it limits us, for %s', (_title, retryAfterMs, waitMs) => {
    noteThrottled(upstream, retryAfterMs, 0)
    expect(viewOf(upstream, waitMs - 1).throttled).toBe(true)
    expect(viewOf(upstream, waitMs).throttled).toBe(false)
  })

  test('is which methods it does not have, for ten minutes and in a bounded number', () => {
    noteUnsupported(upstream, 'trace_block', 0)
    expect(isUnsupported(upstream, 'trace_block', 599_999)).toBe(true)
    expect(isUnsupported(upstream, 'trace_block', 600_000)).toBe(false)
    for (let at = 0; at < 5000; at++) noteUnsupported(upstream, `method_${at}`, 0)
    expect(upstream.unsupported.size).toBeLessThanOrEqual(500)
  })
})

function fail(times: number, nowMs = 0): Upstream['breaker']['state'] {
  for (let call = 0; call < times; call++) noteFailure(upstream, 'http_500', nowMs)
  return upstream.breaker.state
}
