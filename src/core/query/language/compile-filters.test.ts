import { describe, expect, test } from 'bun:test'
import { Rejection } from '../../errors.ts'
import { compileQuery } from './compile-query.ts'
import type { KeyTest, ListFilter } from './query-plan.ts'

const A = `0x${'aa'.repeat(32)}`
const B = `0x${'bb'.repeat(32)}`
const X = `0x${'11'.repeat(20)}`
const Y = `0x${'2f'.repeat(20)}`

describe('topics, the table in section 2.6 of the spec', () => {
  test.each([
    ['[]', null],
    [`["${A}"]`, [keys(A)]],
    [`[[], ["${B}"]]`, [null, keys(B)]],
    [`["${A}", "${B}"]`, [keys(A), keys(B)]],
    [`[["${A}", "${B}"], ["${A}", "${B}"]]`, [keys(A, B), keys(A, B)]],
  ])('%s', (topics, expected) => {
    expect(topicsOf(topics)).toEqual(expected)
  })

  test.each([
    ['a single value is a list of one', `"${A}"`, [keys(A)]],
    ['null is anything', 'null', null],
    ['null at a position is anything', `[null, "${B}"]`, [null, keys(B)]],
    ['"anything" at the end asks for a log with that many topics', `["${A}", []]`, [keys(A), null]],
    ['so does "anything" alone', '[[]]', [null]],
    ['all four positions', `[[], [], null, "${A}"]`, [null, null, null, keys(A)]],
    ['upper case is lower case', `["${A.toUpperCase().replace('X', 'x')}"]`, [keys(A)]],
    ['a value is kept once', `[["${B}", "${A}", "${B}"]]`, [keys(A, B)]],
    ['a block string is a string', `["""${A}"""]`, [keys(A)]],
  ])('%s', (_title, topics, expected) => {
    expect(topicsOf(topics)).toEqual(expected)
  })

  test('a variable stands for a position', () => {
    const text = `query ($t: [Bytes32!]) {
      block { logs(filter: { topics: [[], $t, "${A}"] }) { data } } }`
    const variable = { kind: 'variable', name: 't' } as const
    expect(filterOf(text)).toEqual({
      kind: 'logs',
      addresses: null,
      topics: [null, variable, keys(A)],
    })
  })

  test.each([
    ['a fifth position', `["${A}", [], [], [], []]`, 'has 5 topic positions'],
    ['a value of 20 bytes', `["${X}"]`, 'is not a value of 32 bytes'],
    ['an odd number of digits', `["${A.slice(0, -1)}"]`, 'is not a value of 32 bytes'],
    ['0X', `["${A.replace('0x', '0X')}"]`, 'is not a value of 32 bytes'],
    ['a number', '[1]', '1 is not a value of 32 bytes'],
    ['a null among alternatives', `[["${A}", null]]`, 'not to be null'],
    ['a list too deep', `[[["${A}"]]]`, 'is not a value of 32 bytes'],
    ['an object', '[{}]', 'is not a value of 32 bytes'],
  ])('%s is refused', (_title, topics, words) => {
    const refused = compileQuery(`{ block { logs(filter: { topics: ${topics} }) { data } } }`)
    if (!(refused instanceof Rejection)) throw new Error('it was accepted')
    expect(refused.code).toBe('validation')
    expect(refused.message).toContain(words)
    expect(refused.message).toMatch(/^graphql_query: .*\(line 1, column \d+\)$/)
  })
})

describe('addresses of logs', () => {
  test.each([
    ['one', `"${X}"`, keys(X)],
    ['several', `["${Y}", "${X}"]`, keys(X, Y)],
    ['checksummed or not, each once', `["${Y}", "${Y.replace('f', 'F')}"]`, keys(Y)],
  ])('%s', (_title, addresses, expected) => {
    const text = `{ block { logs(filter: { addresses: ${addresses} }) { data } } }`
    expect(filterOf(text)).toEqual({ kind: 'logs', addresses: expected, topics: [] })
  })

  test.each(['', '(filter: null)', '(filter: {})', '(filter: { addresses: [] })'])(
    'logs%s are all logs',
    (filter) => {
      expect(filterOf(`{ block { logs${filter} { data } } }`)).toBeNull()
    },
  )

  test('the place of a bad one is told', () => {
    const text = `{ block {\n  logs(filter: { addresses: ["${X}",\n    "0x12"] }) { data } } }`
    const refused = compileQuery(text)
    if (!(refused instanceof Rejection)) throw new Error('it was accepted')
    expect(refused.message).toBe(
      'graphql_query: "0x12" is not an address of 20 bytes, "0x" and 40 hex digits' +
        ' (line 3, column 5)',
    )
  })
})

describe.each(['transactions', 'callTracerTraces'])('pairs of addresses in %s', (list) => {
  const from = keys(X)
  const to = keys(Y)
  test.each([
    ['inside one pair both hold', `[{ from: "${X}", to: ["${Y}"] }]`, [{ from, to }]],
    [
      'one of several pairs holds',
      `[{ to: "${Y}" }, { from: "${X}" }]`,
      [
        { from: null, to },
        { from, to: null },
      ],
    ],
    ['a single pair needs no list', `{ from: ["${X}"] }`, [{ from, to: null }]],
    ['empty is anything', `[{ from: "${X}", to: [] }]`, [{ from, to: null }]],
    ['null is anything', `[{ from: null, to: "${Y}" }]`, [{ from: null, to }]],
    ['a pair is kept once', `[{ to: "${Y}" }, { to: ["${Y}"], from: [] }]`, [{ from: null, to }]],
  ])('%s', (_title, addresses, pairs) => {
    const text = `{ block { ${list}(filter: { addresses: ${addresses} }) { from { address } } } }`
    expect(filterOf(text)).toEqual({ kind: 'pairs', pairs })
  })

  test.each([
    '',
    '(filter: {})',
    '(filter: { addresses: [] })',
    '(filter: { addresses: null })',
    '(filter: { addresses: [{}] })',
    '(filter: { addresses: {} })',
    `(filter: { addresses: [{ from: "${X}" }, { from: [], to: null }] })`,
  ])(`${list}%s are all of them`, (filter) => {
    expect(filterOf(`{ block { ${list}${filter} { from { address } } } }`)).toBeNull()
  })

  test('a variable stands for a whole list', () => {
    const text = `query ($who: [Address!]!) {
      block { ${list}(filter: { addresses: [{ from: $who }, { to: $who }] }) { gas } } }`
    const who = { kind: 'variable', name: 'who' } as const
    expect(filterOf(text)).toEqual({
      kind: 'pairs',
      pairs: [
        { from: who, to: null },
        { from: null, to: who },
      ],
    })
  })
})

test('a filter may stand under a block that is reached through a transaction', () => {
  const logs = `logs(filter: { addresses: "${X}" }) { data }`
  const text = `{ block { transactions { block { ${logs} } } } }`
  const plan = compileQuery(text)
  if (plan instanceof Rejection) throw new Error(plan.message)
  const block = plan.selection.fields[0]?.selection?.fields[0]?.selection
  expect(block?.fields[0]?.filter).toEqual({ kind: 'logs', addresses: keys(X), topics: [] })
})

function keys(...values: string[]): KeyTest {
  return { kind: 'keys', keys: values }
}

/** The topics of a filter; null where no filter is left. */
function topicsOf(topics: string) {
  const filter = filterOf(`{ block { logs(filter: { topics: ${topics} }) { data } } }`)
  if (filter?.kind === 'pairs') throw new Error('logs have no pairs')
  return filter ? filter.topics : null
}

function filterOf(text: string): ListFilter | null {
  const plan = compileQuery(text)
  if (plan instanceof Rejection) throw new Error(plan.message)
  const [field] = plan.selection.fields
  if (!field) throw new Error('the query asks for nothing')
  return field.filter
}
