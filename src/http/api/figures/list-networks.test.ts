import { afterEach, expect, test } from 'bun:test'
import { managementApi, START_MS } from '../../../../tests/management-api.ts'
import { addTime, newTimes } from '../../../core/rpc/call-times.ts'
import { recordUsage } from '../../../tables/usage/usage.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

type Api = Awaited<ReturnType<typeof managementApi>>

const opened: Api[] = []

afterEach(async () => {
  for (const api of opened.splice(0)) await api.close()
})

const UPSTREAM = {
  state: 'used' as const,
  reason: 'healthy',
  last_fault: null,
  last_fault_age_ms: null,
  next_probe_ms: null,
  head: 100,
  lag_blocks: 0,
  error_rate: 0,
  latency_ms: 1,
  in_flight: 0,
  heard: true,
  sends_only: false,
  disagreements: 0,
  last_disagreement: null,
  last_disagreement_age_ms: null,
  budget: null,
}

const NETWORK = {
  id: 'ETH_MAINNET',
  slug: 'eth-mainnet',
  kind: 'evm' as const,
  head: { number: 100, hash: '0xab', age_ms: 12.5 },
  finalized: null,
  block_time_ms: 12_000,
  verify: { mode: 'auto' as const, form: null, fallback: 'unknown_chain' as const, unproven: null },
  upstreams: ['node-a', 'node-b', 'node-c'].map((name) => ({ name, ...UPSTREAM })),
  account_indexes: [],
}

async function start(): Promise<Api> {
  const api = await managementApi({ networkReport: async () => [NETWORK] })
  opened.push(api)
  return api
}

let batches = 0

/** Requests that one process counted, so long ago. */
async function asked(api: Api, writer: string, name: string, calls: number, agoMs: number) {
  const times = newTimes()
  addTime(times, name === 'node-a' ? 4 : 40, calls)
  const atMs = START_MS - agoMs
  const minuteMs = atMs - (atMs % MINUTE_MS)
  const counts = { nodeErrors: 0, cached: 0, coalesced: 0, centiCu: 0 }
  const whose = { teamId: '', appId: '', network: 'ETH_MAINNET', split: 'node' as const }
  const figures = [{ ...whose, name, minuteMs, calls, errors: 1, ...counts, times }]
  const batch = { writer, sequence: ++batches, atMs: START_MS, rows: [], figures }
  await recordUsage(api.needs.database, batch)
}

test('each upstream has the requests of the last hour, over all processes', async () => {
  const api = await start()
  await asked(api, 'one', 'node-a', 60, 0)
  await asked(api, 'two', 'node-a', 15, 50 * MINUTE_MS)
  await asked(api, 'two', 'node-b', 25, 10 * MINUTE_MS)
  await asked(api, 'two', 'node-b', 500, 2 * HOUR_MS)
  await asked(api, 'two', 'node-b', 900, 25 * HOUR_MS)
  await asked(api, 'two', 'node-gone', 100, 3 * HOUR_MS)
  const [network] = (await api.call('GET', '/api/networks')).body.data
  const [a, b, c] = network.upstreams
  expect(a).toMatchObject({ name: 'node-a', state: 'used', calls: 75, errors: 2 })
  expect(a.share_percent).toBe(75)
  expect(a.median_ms).toBeLessThanOrEqual(5)
  expect(b).toMatchObject({ calls: 25, errors: 1, share_percent: 25 })
  expect(b.p99_ms).toBeGreaterThan(30)
  const none = { calls: 0, errors: 0, median_ms: null, p99_ms: null, share_percent: 0, hours: [] }
  expect(c).toMatchObject(none)
  const thisHour = START_MS - (START_MS % HOUR_MS)
  expect(b.hours).toMatchObject([
    { start: thisHour - 2 * HOUR_MS, calls: 500, errors: 1 },
    { start: thisHour, calls: 25, errors: 1 },
  ])
  expect(b.hours[0].median_ms).toBeGreaterThan(30)
})

test('any token may see them, and nobody without one', async () => {
  const api = await start()
  await asked(api, 'one', 'node-a', 60, 0)
  for (const token of [api.teamToken, api.operatorToken]) {
    const { status, body } = await api.call('GET', '/api/networks', { token })
    expect([status, body.data[0].upstreams[0].calls]).toEqual([200, 60])
  }
  expect((await api.call('GET', '/api/networks', { token: 'none' })).status).toBe(401)
})
