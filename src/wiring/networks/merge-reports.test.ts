import { expect, test } from 'bun:test'
import type { NetworkStatus } from '../../upstream/answers/network-report.ts'
import { mergeReports } from './merge-reports.ts'

const WATCHED = {
  id: 'ETH',
  slug: 'eth',
  kind: 'evm' as const,
  head: { number: 5, hash: '0xaa', age_ms: 3 },
  finalized: null,
  block_time_ms: 12_000,
  verify: { mode: 'auto' as const, form: null, fallback: 'unknown_chain' as const, unproven: null },
  upstreams: [upstream('a'), upstream('b')],
}

/** What a process reports that does not watch the upstreams. */
const served = (...upstreams: NetworkStatus['upstreams']) => ({
  ...WATCHED,
  head: null,
  upstreams: upstreams.map((one) => ({ ...one, head: null, heard: false })),
})

const FAILED = { error_rate: 1, last_fault: 'hangs', last_fault_age_ms: 40, next_probe_ms: 900 }

test('an upstream that one process leaves out is shown so, with the calls of all', () => {
  const reports = [
    served(upstream('a', { in_flight: 2 }), upstream('b', { latency_ms: 4 })),
    served(
      upstream('a', { in_flight: 3 }),
      upstream('b', { state: 'excluded', reason: 'breaker open', latency_ms: 2, ...FAILED }),
    ),
    { ...served(upstream('a', { in_flight: 100 })), id: 'OTHER' },
  ]
  const { upstreams, ...rest } = mergeReports(WATCHED, reports)
  expect(rest).toMatchObject({ id: 'ETH', head: { number: 5 } })
  expect(upstreams).toMatchObject([
    { name: 'a', state: 'used', in_flight: 6, head: 5, heard: true },
    { name: 'b', state: 'excluded', reason: 'breaker open', latency_ms: 3, ...FAILED },
  ])
})

test('what processes saw an upstream disagree on is added up, and the latest is shown', () => {
  const told = (count: number, method: string, ageMs: number) => ({
    disagreements: count,
    last_disagreement: method,
    last_disagreement_age_ms: ageMs,
  })
  const seen = [told(2, 'eth_call', 500), told(3, 'eth_getBalance', 40)]
  const reports = seen.map((votes) => served(upstream('a', votes)))
  expect(mergeReports(WATCHED, reports).upstreams[0]).toMatchObject(told(5, 'eth_getBalance', 40))
})

test('a report that nobody adds to stays as it is', () => {
  expect(mergeReports(WATCHED, [])).toEqual(WATCHED)
})

function upstream(name: string, more: Partial<NetworkStatus['upstreams'][number]> = {}) {
  const usual = { state: 'used' as const, reason: 'ok', last_fault: null }
  const times = { last_fault_age_ms: null, next_probe_ms: null }
  const votes = { disagreements: 0, last_disagreement: null, last_disagreement_age_ms: null }
  const load = { error_rate: 0, latency_ms: 0, in_flight: 1 }
  const watched = { head: 5, lag_blocks: 0, heard: true, sends_only: false, budget: null }
  return { name, ...usual, ...times, ...load, ...votes, ...watched, ...more }
}
