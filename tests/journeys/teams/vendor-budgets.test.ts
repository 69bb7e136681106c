// Runs on both stores.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FakeNode, startFakeNode } from '../../support/nodes/fake-node.ts'
import { addressAt, balanceOf, SELDOM_POLLED } from '../../support/nodes/pool-journey.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { dropWorldOf } from '../../support/product/world.ts'

setDefaultTimeout(60_000)

const BUDGET = {
  account: 'acme',
  requestsPerSecond: 10_000,
  creditsPerMonth: 200,
  // Polls are free here, so that every figure below is known.
  credits: { default: 0, eth_getBalance: 10 },
  resetDay: 1,
}

/** The last twentieth is kept for our own polls and reads. */
const CALLS_IN_BUDGET = 19

let folder: string
let vendor: FakeNode
let own: FakeNode
let gate: TestHeadgate
let asked = 0

const open = (more: Partial<typeof BUDGET> = {}, env: Record<string, string> = {}) =>
  startHeadgate({
    nodes: [vendor, own],
    upstreams: [{ budget: { ...BUDGET, ...more } }, { priority: 1 }],
    network: SELDOM_POLLED,
    dataFolder: folder,
    env,
  })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headgate-'))
  vendor = startFakeNode('vendor')
  own = startFakeNode('own')
  for (const node of [vendor, own]) {
    node.answers.eth_getBalance = ([address]: [string]) => balanceOf(address)
  }
  gate = await open()
})

afterAll(async () => {
  await gate.stop()
  vendor.stop()
  own.stop()
  await dropWorldOf(folder)
  rmSync(folder, { recursive: true })
})

async function read(count: number): Promise<void> {
  for (let call = 0; call < count; call++) {
    const address = addressAt(++asked)
    const { json } = await gate.post(rpc('eth_getBalance', [address, 'latest'], asked))
    expect(json.result).toBe(balanceOf(address))
  }
}

async function reported() {
  const { json } = await gate.api('GET', '/api/networks')
  return json.data[0].upstreams[0]
}

async function spent() {
  const { json } = await gate.api('GET', '/api/usage/upstreams')
  return json.data
}

describe('the credits of a month at a vendor', () => {
  test('are spent, not exceeded, and then the next upstream serves', async () => {
    await read(CALLS_IN_BUDGET + 6)
    expect(vendor.callsOf('eth_getBalance')).toBe(CALLS_IN_BUDGET)
    expect(own.callsOf('eth_getBalance')).toBe(6)
  })

  test('stand in the report, the usage and the metrics', async () => {
    await until(async () => (await reported()).state === 'excluded', 'it is left out')
    const { reason, budget } = await reported()
    expect(reason).toBe('credits of the month are used up')
    const now = new Date()
    expect(budget).toEqual({
      account: 'acme',
      requests_per_second: 10_000,
      credits_per_month: 200,
      credits_spent: CALLS_IN_BUDGET * 10,
      time_reset: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1),
    })
    await until(async () => (await spent())[0]?.credits === CALLS_IN_BUDGET * 10, 'it is written')
    expect(await spent()).toMatchObject([
      { account: 'acme', network: 'ETH_MAINNET', upstream: 'vendor' },
    ])
    const metrics = await (await fetch(`${gate.url}/metrics`)).text()
    const labels = '{network="ETH_MAINNET",upstream="vendor"}'
    expect(metrics).toContain(`headgate_upstream_credits_total${labels} 190`)
    expect(metrics).toContain(`headgate_upstream_month_credits${labels} 190`)
    expect(metrics).not.toContain(
      'headgate_upstream_credits_total{network="ETH_MAINNET",upstream="own"',
    )
  })

  test('are remembered by the next start, whose gateway workers add theirs', async () => {
    await gate.stop()
    const before = vendor.callsOf('eth_getBalance')
    gate = await open({ creditsPerMonth: 100_000 }, { HEADGATE_GATEWAY_WORKERS: '2' })
    await until(async () => (await reported()).budget.credits_spent === 190, 'it is known again')
    await read(30)
    const calls = vendor.callsOf('eth_getBalance')
    expect(calls).toBeGreaterThan(before)
    await until(async () => (await spent())[0]?.credits === calls * 10, 'all is written')
    await until(async () => (await reported()).budget.credits_spent === calls * 10, 'it is known')
  })
})
