import { expect, test } from 'bun:test'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import { openInternTable } from './intern-table.ts'

type Value = { text: string }

test('a table finds what was added and not removed since, through any changes', () => {
  const chance = seededChance(52)
  const table = openInternTable<Value>(({ text }) => text)
  const model = new Map<string, Value>()
  for (let step = 0; step < 20_000; step++) {
    // It grows for a while, shrinks for a while, and reuses what became free.
    const isGrowing = Math.floor(step / 2500) % 2 === 0
    const text = `filter ${chance.between(0, 1500)}`
    const known = model.get(text)
    expect(table.find(text)).toBe(known as Value)
    if (known && chance.fraction() < (isGrowing ? 0.2 : 0.9)) {
      table.remove(known)
      model.delete(text)
    } else if (!known && chance.fraction() < (isGrowing ? 0.9 : 0.1)) {
      const value = { text }
      table.add(text, value)
      model.set(text, value)
    }
    expect(table.size()).toBe(model.size)
  }
  for (let at = 0; at <= 1500; at++) {
    const text = `filter ${at}`
    expect(table.find(text)).toBe(model.get(text) as Value)
  }
})

test.each([
  ['all keys have one hash, at the end of the table', () => 0xffff_ffff],
  ['few hashes are in use', (key: string) => (key.length * 0x2aaa_aaaa) >>> 0],
])('it finds the same where %s', (_title, hashOf) => {
  const table = openInternTable<Value>(({ text }) => text, hashOf)
  const values = Array.from({ length: 120 }, (_, at) => ({ text: String(at) }))
  for (const value of values) table.add(value.text, value)
  for (const value of values.filter((_, at) => at % 3 === 0)) table.remove(value)

  const left = values.filter((_, at) => at % 3 !== 0)
  for (const value of left) expect(table.find(value.text)).toBe(value)
  expect(table.find('0')).toBeUndefined()
  expect([...table.keys()].sort()).toEqual(left.map(({ text }) => text).sort())
})

test('a value that is not there is removed without harm to an equal one', () => {
  const table = openInternTable<Value>(({ text }) => text)
  const value = { text: 'a' }
  table.add('a', value)
  table.remove({ text: 'a' })
  table.remove({ text: 'b' })
  expect(table.find('a')).toBe(value)
  expect(table.size()).toBe(1)
})
