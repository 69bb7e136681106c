import { describe, expect, test } from 'bun:test'
import { openItemReader } from '../../dashboard/pages/variables/read-items.ts'
import { seededChance } from '../support/basics/seeded-chance.ts'

const A = `0x${'a1'.repeat(20)}`
const B = `0x${'b2'.repeat(20)}`
const TOPIC = `0x${'c3'.repeat(32)}`
const PADDED = `0x${'0'.repeat(24)}${'a1'.repeat(20)}`

function read(text: string, kind: 'Address' | 'Bytes32' | null = null) {
  const reader = openItemReader(kind)
  const items = [...reader.push(text), ...reader.finish()]
  return { items, seen: reader.seen() }
}

describe('items are found in', () => {
  test.each([
    ['lines', `${A}\n${B}\n`],
    ['lines of Windows', `${A}\r\n${B}\r\n`],
    ['one line with commas', `${A}, ${B}`],
    ['a JSON list', JSON.stringify([A, B])],
    ['a JSON list over lines', JSON.stringify([A, B], null, 2)],
    ['lines of JSON', `{"address":"${A}","n":1}\n{"address":"${B}","n":2}\n`],
    ['CSV with a heading', `address,name\n${A},Alice\n${B},"Bob, the second"\n`],
    ['CSV with quotes and semicolons', `"id";"wallet"\n"1";"${A}"\n"2";"${B}"\n`],
    ['tabs', `1\t${A}\n2\t${B}`],
    ['no break at the end', `${A}\n${B}`],
    ['capitals', `${A.replaceAll('a', 'A')}\n${B}`],
  ])('%s', (_title, text) => {
    const { items, seen } = read(text)
    expect(items).toEqual([A, B])
    expect(seen).toEqual({ kind: 'Address', found: 2, padded: 0, strange: 0, samples: [] })
  })
})

test('pieces may be cut anywhere', () => {
  const chance = seededChance(3)
  const rows = Array.from({ length: 200 }, (_, at) => `0x${String(at).padStart(40, '0')},n${at}`)
  const text = `address,name\n${rows.join('\n')}`
  const whole = read(text)
  for (let round = 0; round < 30; round++) {
    const reader = openItemReader(null)
    const items: string[] = []
    for (let at = 0; at < text.length; ) {
      const next = at + chance.between(1, 90)
      items.push(...reader.push(text.slice(at, next)))
      at = next
    }
    items.push(...reader.finish())
    expect(items).toEqual(whole.items)
    expect(reader.seen()).toEqual(whole.seen)
  }
})

describe('the kind', () => {
  test('is that of the first item, unless it is known', () => {
    expect(read(TOPIC).seen.kind).toBe('Bytes32')
    expect(read(A).seen.kind).toBe('Address')
  })

  test('of 32 bytes takes addresses too, as topics have them', () => {
    const { items, seen } = read(`${TOPIC}\n${A}`)
    expect(items).toEqual([TOPIC, PADDED])
    expect(seen.padded).toBe(1)
    expect(read(A, 'Bytes32').items).toEqual([PADDED])
  })

  test('of addresses takes nothing longer', () => {
    const { items, seen } = read(`${A}\n${TOPIC}\n${B}`)
    expect(items).toEqual([A, B])
    expect([seen.strange, seen.samples]).toEqual([1, [TOPIC.slice(0, 48)]])
  })
})

describe('what is not understood is counted and shown', () => {
  test.each([
    ['too short', '0x1234'],
    ['a digit too many', `${A}0`],
    ['no hex', `0x${'zz'.repeat(20)}`],
    ['no prefix', 'a1'.repeat(20)],
    ['a name', 'vitalik.eth'],
    ['markup', '<b>bold</b>'],
  ])('%s', (_title, word) => {
    const { items, seen } = read(`${A}\n${word}\n${B}\n`)
    expect(items).toEqual([A, B])
    expect(seen.strange).toBe(1)
    expect(seen.samples).toHaveLength(1)
  })

  test('at most three of many', () => {
    expect(read('0x1\n0x2\n0x3\n0x4\n0x5').seen).toMatchObject({
      strange: 5,
      samples: ['0x1', '0x2', '0x3'],
    })
  })
})

describe('hostile texts', () => {
  test.each([
    ['nothing', ''],
    ['one word of a megabyte', 'a'.repeat(1_000_000)],
    ['one number of a megabyte', `0x${'a'.repeat(1_000_000)}`],
    ['a million separators', ',;\n'.repeat(300_000)],
    ['bytes of no text', '\u0000\uFFFD'.repeat(1000)],
  ])('%s has no items', (_title, text) => {
    const reader = openItemReader(null)
    const found: string[] = []
    for (let at = 0; at < text.length; at += 65_536)
      found.push(...reader.push(text.slice(at, at + 65_536)))
    expect([...found, ...reader.finish()]).toEqual([])
    expect(reader.seen().samples.every((sample) => sample.length <= 48)).toBe(true)
  })
})
