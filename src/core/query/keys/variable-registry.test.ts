import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import { hashReadKey, readKey } from './read-key.ts'
import { openVariableRegistry, type VariableRegistry } from './variable-registry.ts'

function numbered(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`
}

function range(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, at) => numbered(from + at))
}

/** Asks as an engine does, about all large variables. */
function variablesWith(registry: VariableRegistry, key: string): string[] {
  return registry
    .variablesWith(key, [...registry.large()])
    .map(({ teamId, name }) => `${teamId}/${name}`)
}

describe('the registry of variables', () => {
  test('a variable may be named by a query before it exists, and has nothing until then', () => {
    const registry = openVariableRegistry()
    const live = registry.acquire('team', 'wallets')
    expect(live.has(numbered(1))).toBe(false)
    expect(registry.find('team', 'wallets')).toBeUndefined()
    registry.set('team', 'wallets', [numbered(1)])
    expect(live.has(numbered(1))).toBe(true)
    expect(variablesWith(registry, numbered(1))).toEqual(['team/wallets'])
  })

  test('a dropped variable has nothing, and one of that name may come again', () => {
    const registry = openVariableRegistry()
    const live = registry.acquire('team', 'wallets')
    registry.set('team', 'wallets', [numbered(1)])
    registry.drop('team', 'wallets')
    registry.drop('team', 'wallets')
    expect(live.has(numbered(1))).toBe(false)
    expect(variablesWith(registry, numbered(1))).toEqual([])
    registry.change('team', 'wallets', [numbered(2)], [])
    expect(live.has(numbered(2))).toBe(true)
    expect(registry.find('team', 'wallets')?.size).toBe(1)
  })

  test('setting a variable forgets what it held', () => {
    const registry = openVariableRegistry()
    registry.set('team', 'wallets', range(0, 10))
    registry.set('team', 'wallets', [numbered(3)])
    expect(registry.find('team', 'wallets')?.size).toBe(1)
    expect(variablesWith(registry, numbered(4))).toEqual([])
    expect(variablesWith(registry, numbered(3))).toEqual(['team/wallets'])
  })

  test('teams never see the variables of others, even of the same name', () => {
    const registry = openVariableRegistry()
    registry.set('team_a', 'wallets', [numbered(1)])
    registry.set('team_b', 'wallets', [numbered(2)])
    expect(variablesWith(registry, numbered(1))).toEqual(['team_a/wallets'])
    expect(registry.find('team_a', 'wallets')?.has(numbered(2))).toBe(false)
  })

  test('an address that is in the variables of a thousand teams leads to all of them', () => {
    const registry = openVariableRegistry()
    for (let team = 0; team < 1000; team++) registry.set(`team_${team}`, 'wallets', [numbered(7)])
    expect(new Set(variablesWith(registry, numbered(7))).size).toBe(1000)
    for (let team = 0; team < 999; team++)
      registry.change(`team_${team}`, 'wallets', [], [numbered(7)])
    expect(variablesWith(registry, numbered(7))).toEqual(['team_999/wallets'])
  })

  test('growing large and small again loses no key on the way', () => {
    const registry = openVariableRegistry()
    for (let at = 0; at < 6000; at++) registry.change('team', 'wallets', [numbered(at)], [])
    expect([...registry.large()].length).toBe(1)
    expect(range(0, 6000).every((key) => variablesWith(registry, key).length === 1)).toBe(true)
    registry.change('team', 'wallets', [], range(100, 6000))
    expect([...registry.large()].length).toBe(0)
    expect(range(0, 100).every((key) => variablesWith(registry, key).length === 1)).toBe(true)
    expect(range(100, 6000).some((key) => variablesWith(registry, key).length > 0)).toBe(false)
  })

  test('of two keys with one hash, either may go without taking the other along', () => {
    const seen = new Map<number, string>()
    let pair: [string, string] | null = null
    for (let at = 0; !pair; at++) {
      const key = numbered(at)
      const hash = hashReadKey(readKey(key), [1, 2])
      const other = seen.get(hash)
      if (other) pair = [other, key]
      seen.set(hash, key)
    }
    const registry = openVariableRegistry([1, 2])
    registry.set('team', 'wallets', pair)
    registry.change('team', 'wallets', [], [pair[0]])
    expect(variablesWith(registry, pair[0])).toEqual([])
    expect(variablesWith(registry, pair[1])).toEqual(['team/wallets'])
  })

  test('agrees with plain sets, whatever is set, changed and dropped', () => {
    const chance = seededChance(11)
    const registry = openVariableRegistry()
    const plain = new Map<string, Set<string>>()
    const keys = range(0, 40)
    for (let step = 0; step < 3000; step++) {
      const name = chance.pick(['a', 'b', 'c'])
      const some = keys.filter(() => chance.fraction() < 0.1)
      const others = keys.filter(() => chance.fraction() < 0.1)
      const form = chance.fraction()
      if (form < 0.1) {
        registry.set('team', name, some)
        plain.set(name, new Set(some))
      } else if (form < 0.15) {
        registry.drop('team', name)
        plain.delete(name)
      } else {
        registry.change('team', name, some, others)
        const set = plain.get(name) ?? new Set()
        for (const key of some) set.add(key)
        for (const key of others) set.delete(key)
        plain.set(name, set)
      }
      const key = chance.pick(keys)
      const expected = [...plain].filter(([, set]) => set.has(key)).map(([one]) => `team/${one}`)
      expect(variablesWith(registry, key).sort()).toEqual(expected.sort())
    }
  })
})
