import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  openSharingGateways,
  type SharingGateway,
  type SharingGateways,
} from '../../tests/support/product/sharing-gateways.ts'
import { openMethodRegistry } from '../core/rpc/method-registry.ts'
import { openLimitExchange, PACE_BETWEEN_MACHINES } from './limit-exchange.ts'
import type { SpendGuard } from './spend-guard.ts'
import type { TeamAccount } from './team-account.ts'

/** 20 CU billed, 20 CU of throughput. */
const BALANCE = openMethodRegistry('evm').find('eth_getBalance')

type One = [SharingGateway]
type Two = [SharingGateway, SharingGateway]

let shared: SharingGateways

beforeEach(async () => {
  shared = await openSharingGateways()
})

afterEach(() => shared.close())

describe('the throughput of a team over several gateways', () => {
  test('stays within 15 % of its bucket while all are flooded', async () => {
    const four = shared.gateways(4, { cuPerSecond: 500 })
    const accounts = await Promise.all(four.map((gateway) => gateway.account()))
    let served = 0
    let worst = 0
    // 160 times the rate, spread evenly, for six seconds.
    for (let ms = 0; ms < 6000; ms++) {
      for (const [at, { guard }] of four.entries()) served += calls(guard, accounts[at]!, 1) * 20
      worst = Math.max(worst, served - (5000 + (500 * ms) / 1000))
      await shared.clock.advance(1)
    }
    expect(worst).toBeLessThan(0.15 * 5000)
    expect(served).toBeGreaterThan(0.99 * (5000 + 500 * 6))
    expect(served).toBeLessThan(1.15 * (5000 + 500 * 6))
  })

  test('is not a new bucket for a gateway that never saw the team', async () => {
    const [first, second] = shared.gateways(2, { cuPerSecond: 50 }) as Two
    expect(calls(first.guard, await first.account(), 100)).toBe(25)
    await shared.clock.advance(60)
    // The 3 CU that came in meanwhile are enough for one call, which owes the rest.
    expect(calls(second.guard, await second.account(), 100)).toBe(1)
  })

  test('counts calls that failed on our side as given back everywhere', async () => {
    const [first, second] = shared.gateways(2, { cuPerSecond: 50 }) as Two
    const [here, there] = [await first.account(), await second.account()]
    expect(calls(first.guard, here, 100)).toBe(25)
    await shared.clock.advance(60)
    expect(calls(second.guard, there, 100)).toBe(1)
    here.reservedCentiCu += 10 * BALANCE.billedCentiCu
    for (let call = 0; call < 10; call++) first.guard.settle(here, BALANCE, true)
    await shared.clock.advance(60)
    expect(calls(second.guard, there, 100)).toBe(10)
  })

  test('is told of in messages that PostgreSQL can carry', async () => {
    const [first] = shared.gateways(1, { cuPerSecond: 50 }) as One
    const sizes: number[] = []
    shared.signals.subscribe('limits', (text) => sizes.push(Buffer.byteLength(text)))
    for (let team = 0; team < 1000; team++) first.exchange.took(`team team_${team}`, 2000, 0, 50)
    await shared.clock.advance(100)
    expect(sizes.length).toBeGreaterThan(3)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(7000)
  })
})

describe('a gateway that starts later', () => {
  test('begins with what is missing in each bucket, not with full ones', async () => {
    const [first, second] = shared.gateways(2, { cuPerSecond: 500 }) as Two
    first.exchange.took('team team_x', 400_000, 0, 500)
    second.exchange.took('team team_x', 100_000, 0, 500)
    second.exchange.took('team team_y', 100, 0, 500)
    await shared.clock.advance(60)
    await shared.clock.advance(1940)
    const received: Record<string, number[]> = {}
    for (const { exchange } of [first, second]) {
      const late = openLimitExchange(shared, {
        sender: 'late',
        pace: PACE_BETWEEN_MACHINES,
        debts: exchange.debts(),
      })
      late.subscribe((key, { throughputCentiCu, billedCentiCu }) => {
        received[key] = [Math.round(throughputCentiCu / 10_000), billedCentiCu]
      })
      late.stop()
    }
    // Of 5,000 CU, two seconds brought back 1,000; of the single CU, everything.
    expect(received).toEqual({ 'team team_x': [40, 0] })
  })

  test('takes no debts from texts that cannot be read, and counts them', () => {
    const debts = ['', '[]', '["limits1",[1,2,3,4]]', '["limits0"]', '\u0000'.repeat(99)]
    const late = openLimitExchange(shared, { sender: 'late', pace: PACE_BETWEEN_MACHINES, debts })
    expect(late.debts()).toEqual([])
    expect(shared.telemetry.counts.get('headgate_limit_frames_ignored_total')).toBe(5)
    late.stop()
  })
})

describe('the month of a team over several gateways', () => {
  test('ends everywhere when it is used up, before the ledger knows', async () => {
    const [first, second] = shared.gateways(2, { monthlyCu: 1000 }) as Two
    const [here, there] = [await first.account(), await second.account()]
    first.meter.add(here, 'app_1', 'ETH', 'eth_call', 100_000)
    expect(second.guard.admit(there, BALANCE)).toBeNull()
    second.guard.settle(there, BALANCE, false)
    await shared.clock.advance(60)
    expect(second.guard.admit(there, BALANCE)?.code).toBe('capacity_exceeded')
  })

  test('counts once what others told of and the ledger has', async () => {
    const [first, second] = shared.gateways(2, { monthlyCu: 1000 }) as Two
    const [here, there] = [await first.account(), await second.account()]
    first.meter.add(here, 'app_1', 'ETH', 'eth_call', 60_000)
    await shared.clock.advance(3000)
    expect(there).toMatchObject({ writtenCentiCu: 60_000, elsewhere: { centiCu: 0, heard: [] } })
    expect(second.guard.admit(there, BALANCE)).toBeNull()
  })
})

describe('a message that is none', () => {
  test.each([
    ['nothing', ''],
    ['no JSON', 'gateway_9 {'],
    ['another form', 'gateway_9 ["limits2",["team team_a",1000000,0,50]]'],
    ['a number that is none', 'gateway_9 ["limits1",["team team_a","1000000",0,50]]'],
    ['a fraction', 'gateway_9 ["limits1",["team team_a",0.5,0,50]]'],
    ['a number beyond all', 'gateway_9 ["limits1",["team team_a",1e300,0,50]]'],
    ['a rate of nothing', 'gateway_9 ["limits1",["team team_a",1,0,0]]'],
    ['an entry of another version', 'gateway_9 ["limits1",["team team_a",1,0,50,"more"]]'],
    ['a prototype', 'gateway_9 {"__proto__":["limits1"],"length":1,"0":"limits1"}'],
    ['a flood', `gateway_9 ["limits1",${'["team team_a",1,0,50],'.repeat(100_000)}`],
    ['deep brackets', `gateway_9 ${'['.repeat(6000)}`],
  ])('is ignored and counted: %s', async (_, text) => {
    const [gateway] = shared.gateways(1, { cuPerSecond: 50 }) as One
    const account = await gateway.account()
    shared.signals.publish('limits', text)
    await shared.clock.advance(60)
    expect(shared.telemetry.counts.get('headgate_limit_frames_ignored_total')).toBe(1)
    expect(calls(gateway.guard, account, 100)).toBe(25)
  })
})

/** How many of so many calls are admitted. */
function calls(guard: SpendGuard, account: TeamAccount, times: number): number {
  let admitted = 0
  for (let call = 0; call < times; call++) {
    if (guard.admit(account, BALANCE)) continue
    guard.settle(account, BALANCE, false)
    admitted++
  }
  return admitted
}
