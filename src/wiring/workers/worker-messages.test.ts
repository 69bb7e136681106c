import { describe, expect, test } from 'bun:test'
import type { UpstreamObservation } from '../../upstream/heads/shared-watch.ts'
import { type FromWorker, readFromWorker, readToWorker } from './worker-messages.ts'

const ROW = {
  teamId: 'team_a',
  appId: 'app_a',
  network: 'ETH',
  method: 'eth_call',
  hourMs: 0,
  calls: 1,
  centiCu: 100,
  bytes: 0,
}

const FIGURE = {
  teamId: 'team_a',
  appId: 'app_a',
  network: 'ETH',
  split: 'method' as const,
  name: 'eth_call',
  minuteMs: 0,
  calls: 1,
  errors: 0,
  nodeErrors: 0,
  cached: 0,
  coalesced: 0,
  centiCu: 100,
  times: Array<number>(20).fill(0),
}

const SPEND = {
  account: 'a',
  network: 'ETH',
  upstream: 'node',
  periodStartMs: 0,
  requests: 1,
  credits: 26,
}

const BATCH = { writer: 'w', sequence: 1, atMs: 5, rows: [], figures: [] }

const UPSTREAM = {
  name: 'node',
  state: 'used' as const,
  reason: 'ok',
  last_fault: null,
  last_fault_age_ms: null,
  next_probe_ms: null,
  error_rate: 0,
  latency_ms: 1.5,
  in_flight: 0,
  disagreements: 0,
  last_disagreement: null,
  last_disagreement_age_ms: null,
}

const MESSAGES: FromWorker[] = [
  { kind: 'hello', version: '1.0.0' },
  { kind: 'opened' },
  { kind: 'listening' },
  { kind: 'reloaded', id: 1 },
  { kind: 'limits', frame: '[]' },
  { kind: 'usage', batch: { ...BATCH, rows: [ROW], figures: [FIGURE], spends: [SPEND] } },
  { kind: 'news', id: 1, network: 'ETH', news: { kind: 'seen', height: 5 } },
  { kind: 'news', id: 1, network: 'ETH', news: { kind: 'write' } },
  { kind: 'heard', id: 2 },
  { kind: 'poll', network: 'ETH' },
  { kind: 'measured', id: 0, exposition: '' },
  { kind: 'reported', id: 3, networks: [{ id: 'ETH', upstreams: [UPSTREAM] }] },
  { kind: 'throttled', network: 'ETH', upstream: 'node', forMs: 1000 },
]

const OBSERVATION: UpstreamObservation = {
  name: 'node',
  chain: 'right',
  poll: { tookMs: 1.5 },
  head: {
    number: 5,
    hash: '0xaa',
    parentHash: null,
    blockAgeMs: -3,
    reportedAgoMs: 0.5,
    advancedAgoMs: 7,
  },
  finalizedTag: null,
  throttledForMs: 0,
}

describe('a message of a worker', () => {
  test.each(MESSAGES.map((message) => [message.kind, message] as const))(
    'is read as it was sent: %s',
    (_kind, message) => {
      expect(readFromWorker(JSON.parse(JSON.stringify(message)))).toEqual(message)
    },
  )

  test.each(MESSAGES.filter(({ kind }) => !['opened', 'listening'].includes(kind)))(
    'is ignored when any part of it is another or gone: %p',
    (message) => {
      for (const name of Object.keys(message)) {
        for (const wrong of [
          undefined,
          null,
          -1,
          0.5,
          true,
          [],
          {},
          [null],
          ['x'],
          { kind: 'x' },
        ]) {
          const broken = { ...message, [name]: wrong }
          const isFine = Array.isArray(wrong) && wrong.length === 0 && name === 'networks'
          if (!isFine) expect(readFromWorker(broken)).toBeNull()
        }
      }
    },
  )

  const NONE = [
    null,
    undefined,
    5,
    'opened',
    [],
    {},
    { kind: 'toString' },
    { kind: '__proto__' },
    { kind: ['opened'] },
    { kind: 'usage', batch: { writer: 'w', sequence: 1, atMs: 5, rows: [{ ...ROW, calls: -1 }] } },
    { kind: 'usage', batch: { writer: 'w', sequence: 1, atMs: 5, rows: [{ ...ROW, teamId: 5 }] } },
    { kind: 'usage', batch: { writer: 'w', sequence: 1, atMs: 5, rows: [ROW, null] } },
    ...[
      { split: 'team' },
      { name: null },
      { teamId: 5 },
      { calls: -1 },
      { centiCu: 0.5 },
      { minuteMs: '5' },
      { times: [1] },
      { times: Array(20).fill('1') },
      { times: null },
    ].map((wrong) => ({
      kind: 'usage',
      batch: { writer: 'w', sequence: 1, atMs: 5, rows: [], figures: [{ ...FIGURE, ...wrong }] },
    })),
    { kind: 'usage', batch: { writer: 'w', sequence: 1, atMs: 5, rows: [], figures: {} } },
    ...[{ account: 5 }, { upstream: null }, { credits: -1 }, { requests: 0.5 }].map((wrong) => ({
      kind: 'usage',
      batch: { ...BATCH, spends: [{ ...SPEND, ...wrong }] },
    })),
    { kind: 'usage', batch: { ...BATCH, spends: {} } },
    { kind: 'news', id: 1, network: 'ETH', news: { kind: 'seen', height: -1 } },
    { kind: 'news', id: 1, network: 'ETH', news: { kind: 'seen' } },
    { kind: 'news', id: 1, network: 'ETH', news: { kind: 'spoken', height: 1 } },
  ]
  test.each(NONE.map((sent) => [sent]))('is none: %p', (sent) => {
    expect(readFromWorker(sent)).toBeNull()
  })
})

describe('an observation of an upstream', () => {
  const seenIn = (observation: unknown) =>
    readToWorker({ kind: 'observed', network: 'ETH', seen: [observation, OBSERVATION] })

  test('is read as it was sent', () => {
    const seen = [OBSERVATION, OBSERVATION]
    expect(seenIn(OBSERVATION)).toEqual({ kind: 'observed', network: 'ETH', seen })
  })

  test.each([
    null,
    'node',
    { ...OBSERVATION, name: 5 },
    { ...OBSERVATION, chain: 'left' },
    { ...OBSERVATION, poll: {} },
    { ...OBSERVATION, poll: { tookMs: -1 } },
    { ...OBSERVATION, poll: { reason: 5, throttled: true, retryAfterMs: 1 } },
    { ...OBSERVATION, head: { ...OBSERVATION.head, number: '5' } },
    { ...OBSERVATION, head: { ...OBSERVATION.head, hash: null } },
    { ...OBSERVATION, head: { ...OBSERVATION.head, reportedAgoMs: null } },
    { ...OBSERVATION, finalizedTag: 1.5 },
    { ...OBSERVATION, throttledForMs: undefined },
  ])('of another form is left out, the others are heard: %p', (broken) => {
    expect(seenIn(broken)).toEqual({ kind: 'observed', network: 'ETH', seen: [OBSERVATION] })
  })
})
