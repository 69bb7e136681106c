import { afterEach, describe, expect, test } from 'bun:test'
import {
  openScriptedNetwork,
  POLL_MS,
  type ScriptedNetwork,
} from '../../../tests/support/nodes/scripted-network.ts'

const SOLANA = { kind: 'solana', blockTimeMs: 400 } as const
const MINUTE_MS = 60_000

let world: ScriptedNetwork

afterEach(() => world.network.stop())

describe('the ledger of a Solana upstream', () => {
  test.each([
    ['as configured', { genesisHash: 'genesis' }],
    ['where none is configured', {}],
  ])('that changes behind us is found within a minute, %s', async (_how, members) => {
    world = await openScriptedNetwork([{ name: 'a' }, { name: 'b' }], { ...SOLANA, ...members })
    expect(states()).toEqual(['used', 'used'])
    world.node('b').genesisHash = 'another'
    await world.clock.advance(MINUTE_MS + POLL_MS)
    expect(states()).toEqual(['used', 'excluded'])
    expect(world.upstream('b').chain).toBe('wrong')
    // It is asked at each poll from now on, and is welcome as soon as it is the right one.
    world.node('b').genesisHash = 'genesis'
    await world.clock.advance(POLL_MS)
    expect(states()).toEqual(['used', 'used'])
  })

  test('that is the only one stays the one it was at first', async () => {
    world = await openScriptedNetwork([{ name: 'a' }], SOLANA)
    world.node('a').genesisHash = 'another'
    await world.clock.advance(MINUTE_MS + POLL_MS)
    await world.clock.advance(MINUTE_MS)
    expect(states()).toEqual(['excluded'])
    expect(world.upstream('a').chain).toBe('wrong')
  })

  test.each([[null], [5], [{}]])('is not known by an answer that is no hash: %p', async (said) => {
    world = await openScriptedNetwork([{ name: 'a' }, { name: 'b' }], SOLANA, ['b'])
    world.node('b').genesisHash = said as never
    world.node('b').silent = false
    await world.clock.advance(POLL_MS)
    await world.clock.advance(POLL_MS)
    expect(states()).toEqual(['used', 'excluded'])
  })

  test('is not taken from one whose first answer is no hash', async () => {
    world = await openScriptedNetwork([{ name: 'a' }, { name: 'b' }], SOLANA, ['a', 'b'])
    world.node('a').genesisHash = null as never
    for (const name of ['a', 'b']) world.node(name).silent = false
    await world.clock.advance(POLL_MS)
    await world.clock.advance(POLL_MS)
    expect(states()).toEqual(['excluded', 'used'])
  })
})

describe('the slot of a Solana upstream', () => {
  test('is asked for at each poll, and goes back where the ledger does', async () => {
    world = await openScriptedNetwork([{ name: 'a' }], SOLANA)
    for (const slot of [1001, 1900, 1899]) {
      world.node('a').slot = slot
      await world.clock.advance(POLL_MS)
      expect(world.network.pool.selection.head?.number).toBe(slot)
    }
  })

  test('of one that falls behind the other by more than the lag is not used', async () => {
    world = await openScriptedNetwork([{ name: 'a' }, { name: 'b' }], SOLANA)
    for (const name of ['a', 'b']) world.node(name).slot = 1076
    await world.clock.advance(POLL_MS)
    world.node('a').slot = 1151
    await world.clock.advance(POLL_MS)
    expect(states()).toEqual(['used', 'used'])
    world.node('a').slot = 1152
    await world.clock.advance(POLL_MS)
    expect(states()).toEqual(['used', 'excluded'])
  })
})

describe('an upstream that asks to be left in peace', () => {
  const HOUR_MS = 3_600_000
  const DATE = 'Thu, 05 Nov 2026 08:00:00 GMT'

  /** Refuses the next poll of `a` so; returns the number of polls that it got since. */
  async function refuseOnce(status: number, headers: Record<string, string>) {
    world = await openScriptedNetwork([{ name: 'a' }, { name: 'b' }])
    const usual = world.outbound.auto
    let isRefused = false
    let polls = 0
    world.outbound.auto = (call) => {
      if (!call.url.includes('//a') || call.params[0] !== 'latest') return usual(call)
      if (isRefused) polls++
      if (isRefused) return usual(call)
      isRefused = true
      call.status(status, headers)
      return true
    }
    await world.clock.advance(POLL_MS)
    expect(isRefused).toBe(true)
    return { polls: () => polls }
  }

  test.each<[status: number, headers: Record<string, string>]>([
    [429, { 'retry-after': '60' }],
    [503, { 'retry-after': '60' }],
    [429, { 'retry-after': 'Thu, 05 Nov 2026 08:01:00 GMT', date: DATE }],
  ])('by %d with %p is not polled until then', async (status, headers) => {
    const refused = await refuseOnce(status, headers)
    expect(states()).toEqual(['excluded', 'used'])
    for (let poll = 0; poll < 14; poll++) await world.clock.advance(POLL_MS)
    expect(refused.polls()).toBe(0)
    await world.clock.advance(POLL_MS)
    await world.clock.advance(POLL_MS)
    expect(refused.polls()).toBeGreaterThan(0)
    expect(states()).toEqual(['used', 'used'])
  })

  test('for ever is asked again after an hour', async () => {
    const refused = await refuseOnce(429, { 'retry-after': '99999999999' })
    await world.clock.advance(HOUR_MS - 2 * POLL_MS)
    expect(refused.polls()).toBe(0)
    await world.clock.advance(3 * POLL_MS)
    expect(refused.polls()).toBeGreaterThan(0)
  })

  test('without saying for how long is polled as ever', async () => {
    const refused = await refuseOnce(503, {})
    await world.clock.advance(POLL_MS)
    expect(refused.polls()).toBe(1)
  })
})

function states() {
  return world.network.pool.selection.verdicts.map(({ state }) => state)
}
