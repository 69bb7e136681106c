import { describe, expect, test } from 'bun:test'
import { isIP } from 'node:net'
import { type Chance, seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { parseIpAddress } from './ip-address.ts'

/** The same bytes in a spelling that chance picks. */
function spelling(bytes: Uint8Array, chance: Chance): string {
  if (bytes.length === 4) return bytes.join('.')
  const dotted = chance.fraction() < 0.3
  const pad = chance.pick([1, 2, 4])
  const groups: string[] = []
  for (let at = 0; at < (dotted ? 12 : 16); at += 2) {
    groups.push((bytes[at]! * 256 + bytes[at + 1]!).toString(16).padStart(pad, '0'))
  }
  if (dotted) groups.push(bytes.subarray(12).join('.'))
  const text = chance.fraction() < 0.5 ? groups.join(':') : shortened(groups, chance)
  return chance.fraction() < 0.5 ? text : text.toUpperCase()
}

/** Some run of zero groups, not always the longest, as two colons. */
function shortened(groups: readonly string[], chance: Chance): string {
  const zeros = groups.flatMap((group, at) => (/^0+$/.test(group) ? [at] : []))
  if (zeros.length === 0) return groups.join(':')
  const from = chance.pick(zeros)
  let to = from + 1
  while (zeros.includes(to) && chance.fraction() < 0.8) to += 1
  return `${groups.slice(0, from).join(':')}::${groups.slice(to).join(':')}`
}

describe('an address', () => {
  test('is read from every legal spelling', () => {
    const chance = seededChance(11)
    for (let round = 0; round < 5000; round++) {
      const length = chance.pick([4, 16])
      const sparse = chance.fraction()
      const bytes = Uint8Array.from({ length }, () =>
        chance.fraction() < sparse ? 0 : chance.between(0, 255),
      )
      const text = spelling(bytes, chance)
      expect(isIP(text)).toBe(length === 4 ? 4 : 6)
      expect(parseIpAddress(text)).toEqual(bytes)
    }
  })

  test.each([
    ['nothing', ''],
    ['a name', 'example.com'],
    ['three parts', '127.0.1'],
    ['one part', '2130706433'],
    ['hex', '0x7f.0.0.1'],
    ['octal', '0177.0.0.1'],
    ['a leading zero', '127.0.0.01'],
    ['a part too large', '127.0.0.256'],
    ['a part far too large', '127.0.0.4294967297'],
    ['five parts', '127.0.0.0.1'],
    ['an empty part', '127.0..1'],
    ['a dot at the end', '127.0.0.1.'],
    ['a sign', '127.0.0.+1'],
    ['a space', ' 127.0.0.1'],
    ['a line end', '127.0.0.1\n'],
    ['a zero byte', '127.0.0.1\u0000'],
    ['digits of another script', '١٢٧.0.0.1'],
    ['a port', '127.0.0.1:80'],
    ['a prefix', '10.0.0.0/8'],
    ['brackets', '[::1]'],
    ['a zone', 'fe80::1%eth0'],
    ['a zone on the global', '2606:4700::1111%1'],
    ['two gaps', '1::2::3'],
    ['three colons', '1:::2'],
    ['a colon at the end', '1:2:3:4:5:6:7:'],
    ['a colon at the beginning', ':1:2:3:4:5:6:7'],
    ['one colon', ':'],
    ['seven groups', '1:2:3:4:5:6:7'],
    ['nine groups', '1:2:3:4:5:6:7:8:9'],
    ['a gap that stands for nothing', '1:2:3:4::5:6:7:8'],
    ['five digits', '12345::'],
    ['no hex', 'g::'],
    ['a dotted front', '1.2.3.4::'],
    ['a dotted middle', '::1.2.3.4:5'],
    ['a dotted end with octal', '::ffff:0177.0.0.1'],
    ['a dotted end that is too long', '1:2:3:4:5:6:7:1.2.3.4'],
    ['two dotted ends', '::1.2.3.4.1.2.3.4'],
    ['endless colons', ':'.repeat(100_000)],
    ['endless digits', '1'.repeat(100_000)],
  ])('is not read from %s', (_title, text) => {
    expect(parseIpAddress(text)).toBeNull()
  })

  test('is told apart from noise as node:net does it, zones aside', () => {
    const chance = seededChance(12)
    const letters = ['0', '1', '255', 'f', 'ffff', ':', ':', '::', '.', '.', 'g', '00']
    for (let round = 0; round < 50_000; round++) {
      let text = ''
      for (let at = chance.between(1, 14); at > 0; at--) text += chance.pick(letters)
      expect([text, parseIpAddress(text) !== null]).toEqual([text, isIP(text) !== 0])
    }
  })
})
