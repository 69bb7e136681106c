import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../../tests/support/seeded-chance.ts'
import { hashRead, readKey } from './key-words.ts'
import { openVariableBook, type VariableBook } from './variable-book.ts'

function numbered(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`
}

function range(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, at) => numbered(from + at))
}

/** As an engine asks: of the large ones, all. */
function holders(book: VariableBook, key: string): string[] {
  return book.holders(key, [...book.large()]).map(({ teamId, name }) => `${teamId}/${name}`)
}

describe('the book of variables', () => {
  test('a variable may be named by a query before it exists, and has nothing until then', () => {
    const book = openVariableBook()
    const live = book.hold('team', 'wallets')
    expect(live.has(numbered(1))).toBe(false)
    expect(book.find('team', 'wallets')).toBeUndefined()
    book.set('team', 'wallets', [numbered(1)])
    expect(live.has(numbered(1))).toBe(true)
    expect(holders(book, numbered(1))).toEqual(['team/wallets'])
  })

  test('a dropped variable has nothing, and one of that name may come again', () => {
    const book = openVariableBook()
    const live = book.hold('team', 'wallets')
    book.set('team', 'wallets', [numbered(1)])
    book.drop('team', 'wallets')
    book.drop('team', 'wallets')
    expect(live.has(numbered(1))).toBe(false)
    expect(holders(book, numbered(1))).toEqual([])
    book.change('team', 'wallets', [numbered(2)], [])
    expect(live.has(numbered(2))).toBe(true)
    expect(book.find('team', 'wallets')?.size).toBe(1)
  })

  test('setting a variable forgets what it held', () => {
    const book = openVariableBook()
    book.set('team', 'wallets', range(0, 10))
    book.set('team', 'wallets', [numbered(3)])
    expect(book.find('team', 'wallets')?.size).toBe(1)
    expect(holders(book, numbered(4))).toEqual([])
    expect(holders(book, numbered(3))).toEqual(['team/wallets'])
  })

  test('teams never see the variables of others, even of the same name', () => {
    const book = openVariableBook()
    book.set('team_a', 'wallets', [numbered(1)])
    book.set('team_b', 'wallets', [numbered(2)])
    expect(holders(book, numbered(1))).toEqual(['team_a/wallets'])
    expect(book.find('team_a', 'wallets')?.has(numbered(2))).toBe(false)
  })

  test('an address that is in the variables of a thousand teams leads to all of them', () => {
    const book = openVariableBook()
    for (let team = 0; team < 1000; team++) book.set(`team_${team}`, 'wallets', [numbered(7)])
    expect(new Set(holders(book, numbered(7))).size).toBe(1000)
    for (let team = 0; team < 999; team++) book.change(`team_${team}`, 'wallets', [], [numbered(7)])
    expect(holders(book, numbered(7))).toEqual(['team_999/wallets'])
  })

  test('growing large and small again loses no key on the way', () => {
    const book = openVariableBook()
    for (let at = 0; at < 6000; at++) book.change('team', 'wallets', [numbered(at)], [])
    expect([...book.large()].length).toBe(1)
    expect(range(0, 6000).every((key) => holders(book, key).length === 1)).toBe(true)
    book.change('team', 'wallets', [], range(100, 6000))
    expect([...book.large()].length).toBe(0)
    expect(range(0, 100).every((key) => holders(book, key).length === 1)).toBe(true)
    expect(range(100, 6000).some((key) => holders(book, key).length > 0)).toBe(false)
  })

  test('of two keys with one hash, either may go without taking the other along', () => {
    const seen = new Map<number, string>()
    let pair: [string, string] | null = null
    for (let at = 0; !pair; at++) {
      const key = numbered(at)
      const hash = hashRead(readKey(key), [1, 2])
      const other = seen.get(hash)
      if (other) pair = [other, key]
      seen.set(hash, key)
    }
    const book = openVariableBook([1, 2])
    book.set('team', 'wallets', pair)
    book.change('team', 'wallets', [], [pair[0]])
    expect(holders(book, pair[0])).toEqual([])
    expect(holders(book, pair[1])).toEqual(['team/wallets'])
  })

  test('agrees with plain sets, whatever is set, changed and dropped', () => {
    const chance = seededChance(11)
    const book = openVariableBook()
    const plain = new Map<string, Set<string>>()
    const keys = range(0, 40)
    for (let step = 0; step < 3000; step++) {
      const name = chance.pick(['a', 'b', 'c'])
      const some = keys.filter(() => chance.fraction() < 0.1)
      const others = keys.filter(() => chance.fraction() < 0.1)
      const form = chance.fraction()
      if (form < 0.1) {
        book.set('team', name, some)
        plain.set(name, new Set(some))
      } else if (form < 0.15) {
        book.drop('team', name)
        plain.delete(name)
      } else {
        book.change('team', name, some, others)
        const set = plain.get(name) ?? new Set()
        for (const key of some) set.add(key)
        for (const key of others) set.delete(key)
        plain.set(name, set)
      }
      const key = chance.pick(keys)
      const expected = [...plain].filter(([, set]) => set.has(key)).map(([one]) => `team/${one}`)
      expect(holders(book, key).sort()).toEqual(expected.sort())
    }
  })
})
