import { describe, expect, test } from 'bun:test'
import { parse, validate } from 'graphql'
import { type Chance, seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import { sized } from '../../../../tests/support/basics/sized.ts'
import { randomQuery } from '../../../../tests/support/blocks/random-query.ts'
import { Rejection } from '../../errors.ts'
import { compileQuery } from './compile-query.ts'
import { querySchema } from './query-schema.ts'

const KIB = 1024
const ADDRESS = `0x${'1f'.repeat(20)}`

describe('a query has limits', () => {
  test('64 KiB of text, counted in bytes', () => {
    const query = '{ block { hash } } #'
    const room = 64 * KIB - query.length
    expect(messageOf(query + 'x'.repeat(room))).toBe('accepted')
    expect(messageOf(query + 'x'.repeat(room + 1))).toContain('longer than 65536 bytes')
    expect(messageOf(query + 'é'.repeat(room / 2 + 1))).toContain('longer than 65536 bytes')
  })

  test('which may be full of addresses', () => {
    const list = times(1_400, () => `"${ADDRESS}"`)
    expect(messageOf(`{ block { logs(filter: { addresses: [${list}] }) { data } } }`)).toBe(
      'accepted',
    )
    const pairs = times(1_300, () => `{to:"${ADDRESS}"}`)
    expect(messageOf(`{ block { transactions(filter:{addresses:[${pairs}]}) { hash } } }`)).toBe(
      'accepted',
    )
  })

  test('500 fields, those of fragments counted at each spread', () => {
    expect(messageOf(`{ block { ${times(499, (at) => `a${at}: hash`)} } }`)).toBe('accepted')
    const words = 'more than 500 fields with fragments expanded'
    expect(messageOf(`{ block { ${times(500, (at) => `a${at}: hash`)} } }`)).toContain(words)
    expect(messageOf(`{ block { ${times(500, () => 'hash')} } }`)).toContain(words)
    const fragment = `fragment F on Log { ${times(30, (at) => `a${at}: data`)} }`
    const lists = times(17, (at) => `l${at}: logs { ...F }`)
    expect(messageOf(`{ block { ${lists} } } ${fragment}`)).toContain(words)
  })

  test.each([
    ['transactions', '{ hash }'],
    ['logs', '{ data }'],
    ['callTracerTraces', '{ input }'],
    ['withdrawals', '{ amount }'],
  ])('20 names of %s in one selection', (list, body) => {
    const names = (count: number) => times(count, (at) => `a${at}: ${list} ${body}`)
    expect(messageOf(`{ block { ${names(20)} } }`)).toBe('accepted')
    expect(
      messageOf(`{ block { ${names(20)} ...F } } fragment F on Block { ${list} ${body} }`),
    ).toBe(
      `graphql_query: ${list} is asked for under more than 20 names in one selection` +
        ` (line 1, column ${`{ block { ${names(20)} ...F } } fragment F on Block { `.length + 1})`,
    )
  })

  test('20 names of a list inside a list', () => {
    const names = times(21, (at) => `a${at}: logs { data }`)
    expect(messageOf(`{ block { transactions { ${names} } } }`)).toContain('more than 20 names')
  })

  test('the same list many times under one name is one list', () => {
    expect(messageOf(`{ block { ${times(100, () => 'logs { data }')} } }`)).toBe('accepted')
  })

  test('100 fragments', () => {
    const fragments = (count: number) =>
      `{ block { ${times(count, (at) => `...F${at}`)} } }
       ${times(count, (at) => `fragment F${at} on Block { hash }`)}`
    expect(messageOf(fragments(100))).toBe('accepted')
    expect(messageOf(fragments(101))).toContain('more than 100 fragments')
  })
})

describe('a hostile query is refused before it costs anything', () => {
  const chain = (length: number, spread: (next: string) => string, last: string) =>
    `{ block { ...F0 } } ${times(length + 1, (at) => {
      const body = at === length ? last : spread(`...F${at + 1}`)
      return `fragment F${at} on Block { ${body} }`
    })}`
  const deep = 'brackets are nested more than 40 deep'
  test.each([
    ['10,000 open braces', '{'.repeat(10_000), deep],
    ['10,000 open brackets', `{ block(hash: ${'['.repeat(10_000)}`, deep],
    ['10,000 open parentheses', '{ block('.repeat(8_000), deep],
    [
      'a deep type',
      `query ($a: ${'['.repeat(50)}Address${']'.repeat(50)}) { block { hash } }`,
      deep,
    ],
    ['inline fragments in each other', `{ block ${'{ ...'.repeat(9_000)}`, deep],
    ['a list that never ends', `{ block(hash: [${'1 '.repeat(20_000)}`, '4000 names and numbers'],
    [
      'a thousand aliases',
      `{ block { ${times(1_000, (at) => `a${at}: logs { data }`)} } }`,
      '500 fields',
    ],
    ['a thousand roots', `{ ${times(1_000, (at) => `a${at}: block { hash }`)} }`, '500 fields'],
    ['ten thousand fields', `{ block { ${'hash '.repeat(10_000)} } }`, '4000 names and numbers'],
    ['a fragment bomb', chain(60, (next) => `${next} ${next}`, 'hash'), '500 fields'],
    ['a bomb without fields', chain(60, (next) => `${next} ${next}`, '...None'), '2000 selections'],
    [
      'a bomb of inline fragments',
      chain(60, (next) => `... { ${next} } ${next}`, 'hash'),
      '2000 selections',
    ],
    ['a cycle', chain(2, (next) => next, '...F0'), 'the fragment F0 contains itself'],
    [
      'a fragment in itself',
      '{ block { ...F } } fragment F on Block { parent { ...F } }',
      'F contains itself',
    ],
    ['a cycle that nobody enters', '{ block { hash } } fragment F on Block { ...F }', 'never used'],
    ['an open string', '{ block(hash: "', 'Unterminated string'],
    ['an open block string', `{ block(hash: """${'\\"""'.repeat(15_000)}`, 'Unterminated string'],
    ['a null character', '{ block { hash \u0000 } }', 'Unexpected character: U+0000'],
    ['half a surrogate pair', '{ block { hash \ud800 } }', 'Invalid character'],
    ['a name of 60,000 letters', `{ block { ${'a'.repeat(60_000)} } }`, 'Cannot query field "aaa'],
  ])('%s', (_title, text, words) => {
    expect(messageOf(text)).toContain(words)
    expect(messageOf(text).length).toBeLessThan(500)
  })

  test.each([
    ['in a string', `{ block(hash: "${'['.repeat(50)}") { hash } }`, 'is not a value of 32 bytes'],
    [
      'after an escaped quote',
      `{ block(hash: "\\"${'['.repeat(50)}") { hash } }`,
      'is not a value',
    ],
    [
      'in a block string',
      `{ block(hash: """\\"""${'['.repeat(50)}""") { hash } }`,
      'is not a value',
    ],
    ['in a comment', `# ${'['.repeat(50)}\n{ block { hash } }`, 'accepted'],
  ])('but brackets %s are only text', (_title, text, words) => {
    expect(messageOf(text)).toContain(words)
  })
})

describe('whatever the text', () => {
  const CASES = sized(1_000, 3_000)
  const TIME_LIMIT_MS = 60_000
  const material = {
    addresses: [ADDRESS, `0x${'2e'.repeat(20)}`],
    topics: [`0x${'3d'.repeat(32)}`],
    addressVariables: ['wallets'],
    topicVariables: ['events'],
  }

  test(
    'there is a plan for good GraphQL or a refusal, never a crash',
    () => {
      const seen = { plans: 0, refusals: 0 }
      for (let seed = 1; seed <= CASES; seed++) {
        const chance = seededChance(seed)
        const text = mutated(chance, randomQuery(chance, material))
        const compiled = compileQuery(text)
        if (compiled instanceof Rejection) {
          seen.refusals += 1
          const { message } = compiled
          const clear = message.startsWith('graphql_query: ') && message.length < 500
          expect({ seed, message, clear }).toEqual({ seed, message, clear: true })
        } else {
          seen.plans += 1
          expect({ seed, errors: validate(querySchema(), parse(text)) }).toEqual({
            seed,
            errors: [],
          })
        }
      }
      expect(seen.plans).toBeGreaterThan(CASES / 20)
      expect(seen.refusals).toBeGreaterThan(CASES / 4)
    },
    TIME_LIMIT_MS,
  )

  const TOKENS = [
    ...['{', '}', '[', ']', '(', ')', '...', '$', '@', ':', '"', '"""', '#', '!', '=', '\\', '|'],
    ...['null', 'true', '1', '-1', '1e9', '0x', '""', '{}', '[]', 'on', 'query', 'fragment'],
    ...['block', 'hash', 'inputData', 'logs', 'parent', 'transaction', '__typename', '$wallets'],
    ...['@skip(if: true)', '@include(if: false)', '...F0', '...F1', '... on Log', 'a: ', 'é', '\n'],
    ...['\u0000', '\ud800', '\ufeff', '(filter: {})', '(filter: null)', '{ hash }', 'query A '],
  ]

  function mutated(chance: Chance, query: string): string {
    let text = query
    for (let more = chance.pick([1, 1, 1, 2, 3]); more > 0; more--) {
      const pieces = text.match(/\w+|\s+|\.\.\.|[^\w\s]/g) ?? ['']
      const at = chance.between(0, pieces.length - 1)
      const other = chance.between(0, pieces.length - 1)
      const token = chance.pick(TOKENS)
      const change = chance.pick([
        () => pieces.splice(at, 1, token),
        () => pieces.splice(at, 0, token, ' '),
        () => pieces.splice(at, chance.between(1, 4)),
        () => pieces.splice(at, 0, ...pieces.slice(other, other + chance.between(1, 12))),
        () => pieces.splice(at, 1, pieces[other] ?? ''),
        () => pieces.splice(at),
        ...Array(6).fill(() => exchangeWord(chance, pieces)),
      ])
      change()
      text = pieces.join('')
    }
    return text
  }

  /** One word of the query in place of another: often still a query, and sometimes a good one. */
  function exchangeWord(chance: Chance, pieces: string[]): void {
    const words = pieces.flatMap((piece, at) => (/^\w/.test(piece) ? at : []))
    if (words.length > 0) pieces[chance.pick(words)] = pieces[chance.pick(words)] ?? ''
  }
})

function times(count: number, write: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => write(at)).join(' ')
}

function messageOf(text: string): string {
  const compiled = compileQuery(text)
  return compiled instanceof Rejection ? compiled.message : 'accepted'
}
