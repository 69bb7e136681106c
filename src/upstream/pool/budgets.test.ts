import { afterEach, describe, expect, test } from 'bun:test'
import {
  blockAt,
  openScriptedNetwork,
  POLL_MS,
  type ScriptedNetwork,
} from '../../../tests/support/nodes/scripted-network.ts'
import type { UpstreamBudget } from '../../core/network.ts'
import { askUpstream } from './ask-upstream.ts'
import { openBatchSender } from './batch-sender.ts'
import { requestAny, requestFrom } from './upstream-pool.ts'

const BUDGET: UpstreamBudget = {
  account: 'vendor',
  requestsPerSecond: null,
  creditsPerMonth: null,
  // What is polled is free here, so that the figures below are those of calls.
  credits: { default: 0, eth_getBalance: 10 },
  resetDay: 11,
}

let world: ScriptedNetwork

afterEach(() => world.network.stop())

async function open(budget: Partial<UpstreamBudget>, others: Record<string, object> = {}) {
  world = await openScriptedNetwork([
    { name: 'vendor', budget: { ...BUDGET, ...budget } },
    ...Object.entries(others).map(([name, options]) => ({ name, ...options })),
  ])
}

function call() {
  const of = world.network.methods.find('eth_getBalance')
  const routing = { method: 'eth_getBalance', atHead: true, heightMin: null }
  return { ...routing, of, params: [], paramsText: '[]' }
}

function ask() {
  return requestAny(world.network.pool, call()).then(
    ({ upstream }) => upstream,
    ({ code }) => code as string,
  )
}

const pending = () => world.outbound.open('eth_getBalance')
const hosts = () => pending().map(({ url }) => new URL(url).hostname)
const answerAll = () => pending().forEach((one) => void one.result('0x1'))

describe('requests a second', () => {
  test('beyond the limit go to another upstream', async () => {
    await open({ requestsPerSecond: 10 }, { own: { priority: 1 } })
    await world.clock.advance(1000)
    const asked = Array.from({ length: 15 }, ask)
    expect(hosts().filter((host) => host === 'vendor')).toHaveLength(10)
    expect(hosts().filter((host) => host === 'own')).toHaveLength(5)
    answerAll()
    await Promise.all(asked)
  })

  test('beyond the limit wait where there is no other, with nothing in flight', async () => {
    await open({ requestsPerSecond: 10 })
    await world.clock.advance(1000)
    const asked = Array.from({ length: 15 }, ask)
    expect(hosts()).toHaveLength(10)
    answerAll()
    await world.clock.advance(240)
    expect(hosts()).toHaveLength(2)
    await world.clock.advance(400)
    answerAll()
    expect(await Promise.all(asked)).toEqual(Array(15).fill('vendor'))
  })

  test('count each member of a batch', async () => {
    await open({ requestsPerSecond: 5 })
    await world.clock.advance(1000)
    const sender = openBatchSender(world.network.pool)
    const asked = Array.from({ length: 8 }, () => sender.add(world.network.pool, call()))
    sender.flush()
    expect(hosts()).toHaveLength(5)
    await world.clock.advance(1000)
    expect(hosts()).toHaveLength(8)
    answerAll()
    await Promise.all(asked)
  })
})

describe('credits of a month', () => {
  test('that are used up take the upstream out until its reset day', async () => {
    await open({ creditsPerMonth: 100 }, { own: { priority: 1 } })
    for (let calls = 1; calls <= 12; calls++) {
      const asked = ask()
      answerAll()
      // The last twentieth is kept for polls and reads of our own.
      expect([calls, await asked]).toEqual([calls, calls <= 10 ? 'vendor' : 'own'])
    }
    await world.clock.advance(POLL_MS)
    expect(states()).toEqual([
      ['excluded', 'credits of the month are used up'],
      ['used', 'healthy'],
    ])
    // The clock of the test begins at noon of the tenth.
    for (let half = 0; half < 12; half++) await world.clock.advance(3_600_000)
    for (const name of ['vendor', 'own']) world.node(name).block = blockAt(1001)
    for (let poll = 0; poll < 20; poll++) await world.clock.advance(POLL_MS)
    expect(states()[0]).toEqual(['used', 'healthy'])
    const asked = ask()
    answerAll()
    expect(await asked).toBe('vendor')
  })

  test('that are used up everywhere fail a call at once', async () => {
    await open({ creditsPerMonth: 10 })
    const first = ask()
    answerAll()
    expect(await first).toBe('vendor')
    expect(await ask()).toBe('upstream_unreachable')
  })

  test('that are used up for calls are left for our own reads, and then not even for those', async () => {
    await open({ creditsPerMonth: 200 })
    const { pool, methods } = world.network
    const vendor = world.upstream('vendor')
    for (let calls = 0; calls < 19; calls++) vendor.spend?.note('eth_getBalance')
    await expect(requestFrom(pool, vendor, call())).rejects.toMatchObject({
      code: 'upstream_unreachable',
    })
    const read = () => askUpstream({ pool, methods }, vendor, 'eth_getBalance', [])
    const own = read()
    answerAll()
    expect(await own).toMatchObject({ kind: 'result' })
    await expect(read()).rejects.toMatchObject({ code: 'upstream_unreachable' })
  })

  test('that are used up let polls go on, a few', async () => {
    await open({ creditsPerMonth: 10, credits: { default: 10 } })
    const polls = () =>
      world.outbound.calls.filter(({ method }) => method === 'eth_getBlockByNumber').length
    const before = polls()
    for (let poll = 0; poll < 30; poll++) await world.clock.advance(POLL_MS)
    expect(polls() - before).toBeLessThanOrEqual(3)
    expect(polls() - before).toBeGreaterThan(0)
  })
})

describe('of two that do equally well', () => {
  test('the one that costs nothing is preferred, until it is much busier', async () => {
    await open({ creditsPerMonth: 1_000_000 }, { own: {} })
    await world.clock.advance(POLL_MS)
    const asked = Array.from({ length: 20 }, ask)
    const ofVendor = hosts().filter((host) => host === 'vendor').length
    expect(ofVendor).toBeGreaterThan(0)
    expect(ofVendor).toBeLessThanOrEqual(5)
    answerAll()
    await Promise.all(asked)
  })

  test('the one that has spent too fast is spared', async () => {
    const slow = { ...BUDGET, account: 'slow', creditsPerMonth: 100_000, resetDay: 1 }
    await open({ creditsPerMonth: 1000, resetDay: 1 }, { slow: { budget: slow } })
    for (let calls = 0; calls < 90; calls++) world.upstream('vendor').spend?.note('eth_getBalance')
    await world.clock.advance(POLL_MS)
    const asked = Array.from({ length: 16 }, ask)
    expect(hosts().filter((host) => host === 'vendor').length).toBeLessThanOrEqual(3)
    answerAll()
    await Promise.all(asked)
  })
})

function states() {
  return world.network.pool.selection.verdicts.map(({ state, reason }) => [state, reason])
}
