import { describe, expect, test } from 'bun:test'
import { findAttention } from '../../dashboard/pages/overview/attention.ts'
import type {
  NetworkReport,
  WireWebhook,
  WireWebhookStats,
} from '../../src/http/contract/contract.ts'

type Upstream = NetworkReport['upstreams'][number]
type Recent = WireWebhookStats['recent'][number]

function upstream(name: string, state: Upstream['state'], more: Partial<Upstream> = {}): Upstream {
  const figures = {
    calls: 0,
    errors: 0,
    median_ms: null,
    p99_ms: null,
    share_percent: 0,
    hours: [],
  }
  const fault = { last_fault: null, last_fault_age_ms: null, next_probe_ms: null, budget: null }
  const load = { head: 9, lag_blocks: 0, error_rate: 0, latency_ms: 1, in_flight: 0, heard: true }
  const votes = {
    sends_only: false,
    disagreements: 0,
    last_disagreement: null,
    last_disagreement_age_ms: null,
  }
  return { name, state, reason: 'healthy', ...fault, ...load, ...votes, ...figures, ...more }
}

function network(...upstreams: Upstream[]): NetworkReport {
  return {
    id: 'BASE_MAINNET',
    slug: 'base-mainnet',
    kind: 'evm',
    head: { number: 53_962_480, hash: null, age_ms: 1 },
    finalized: null,
    block_time_ms: 2000,
    verify: {
      mode: 'auto' as const,
      form: null,
      fallback: 'unknown_chain' as const,
      unproven: null,
    },
    upstreams,
    account_indexes: [],
  }
}

function webhook(reason: WireWebhook['deactivation_reason'] = null): WireWebhook {
  return {
    id: 'wh_a',
    name: 'Large swaps',
    network: 'BASE_MAINNET',
    webhook_type: 'GRAPHQL',
    webhook_url: 'https://ingest.example.net/hook',
    is_active: reason === null,
    state: reason === null ? 'active' : 'paused',
    deactivation_reason: reason,
    time_created: 0,
    signing_key: '',
    next_signing_key: null,
    version: 'V2',
    graphql_query: { query: '', skip_empty_messages: false },
    app_id: null,
    ordered: false,
    notify_removed: false,
  }
}

function stats(recent: Recent[], day: { waiting?: number; failed?: number }): WireWebhookStats {
  return {
    webhook_id: 'wh_a',
    last_24_hours: { delivered: 90, failed: 0, waiting: 0, retried: 0, time_from: 0, ...day },
    success_percent: 97.5,
    last_delivery: null,
    recent,
  }
}

const DELIVERED: Recent = { status: 'delivered', attempts_made: 1, rerun: false, status_code: 200 }
const REFUSED: Recent = { status: 'waiting', attempts_made: 2, rerun: false, status_code: 503 }
const UNTRIED: Recent = { status: 'waiting', attempts_made: 0, rerun: false, status_code: null }

describe('nodes', () => {
  test('that are used need none', () => {
    expect(
      findAttention([network(upstream('a', 'used'), upstream('b', 'standby'))], [], []),
    ).toEqual([])
  })

  test('that are not used are named with the reason and the next probe', () => {
    const left = upstream('b', 'excluded', { reason: '14 blocks behind', next_probe_ms: 22_000 })
    expect(findAttention([network(upstream('a', 'used'), left)], [], [])).toMatchObject([
      {
        tone: 'warn',
        title: 'b on BASE_MAINNET isn’t used',
        reason: '14 blocks behind. It rests; next probe in 22 s. One other carries the traffic.',
        href: '/networks#BASE_MAINNET',
      },
    ])
  })

  test('of which none is left come first', () => {
    const away = upstream('a', 'excluded', { reason: 'connection refused' })
    const found = findAttention([network(away)], [webhook()], [stats([REFUSED], { waiting: 1 })])
    expect(found.map(({ tone, title }) => [tone, title])).toEqual([
      ['bad', 'No node of BASE_MAINNET answers'],
      ['warn', 'Large swaps: 1 delivery waits'],
    ])
    expect(found[0]?.reason).toBe(
      'Webhooks wait at block 53,962,480 and lose nothing. a: connection refused.',
    )
  })
})

describe('a webhook', () => {
  test.each([
    ['accepts what it gets', webhook(), stats([REFUSED, DELIVERED], { waiting: 1 })],
    ['is paused by hand', webhook('MANUAL'), stats([DELIVERED], {})],
    ['has some on their way', webhook(), stats([UNTRIED], { waiting: 3 })],
    ['has nothing yet', webhook(), stats([], {})],
  ])('that %s needs none', (_what, one, its) => {
    expect(findAttention([], [one], [its])).toEqual([])
  })

  test('that Headgate paused says why', () => {
    expect(findAttention([], [webhook('DESTINATION_GONE')], [])).toMatchObject([
      {
        tone: 'bad',
        title: 'Large swaps is paused',
        reason: 'Its destination answered 410 Gone. Nothing is sent until you unpause it.',
      },
    ])
  })

  test.each([
    ['is refused', REFUSED, 9, 'ingest.example.net answers 503; it is tried again.'],
    [
      'gets no answer',
      { ...REFUSED, status_code: null },
      9,
      'ingest.example.net does not answer; it is tried again.',
    ],
    ['rests', UNTRIED, 200, 'ingest.example.net rests after failures; it is tried again.'],
  ])('that %s says what waits', (_what, recent, waiting, reason) => {
    const [found] = findAttention([], [webhook()], [stats([recent], { waiting })])
    expect(found).toMatchObject({ title: `Large swaps: ${waiting} deliveries wait`, reason })
  })

  test('that gave up on some says how many', () => {
    const [found] = findAttention([], [webhook()], [stats([DELIVERED], { failed: 2 })])
    expect(found?.title).toBe('Large swaps: 2 deliveries were given up')
    expect(found?.reason).toContain('97.5 % arrived.')
  })
})
