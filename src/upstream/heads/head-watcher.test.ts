import { afterEach, describe, expect, test } from 'bun:test'
import {
  openScriptedNetwork,
  POLL_MS,
  type ScriptedNetwork,
} from '../../../tests/support/scripted-network.ts'

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

function states() {
  return world.network.pool.selection.verdicts.map(({ state }) => state)
}
