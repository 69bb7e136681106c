import { describe, expect, test } from 'bun:test'
import { Rejection } from '../../errors.ts'
import { compileQuery } from './compile-query.ts'

const ADDRESS = `0x${'11'.repeat(20)}`
const HASH = `0x${'22'.repeat(32)}`

describe('input data is refused with a status of its own', () => {
  test.each([
    ['in the list', '{ block { transactions { hash inputData } } }'],
    ['behind an alias', '{ block { transactions { hash data: inputData } } }'],
    ['through a log', '{ block { logs { transaction { inputData } } } }'],
    ['through a trace', '{ block { callTracerTraces { transaction { inputData } } } }'],
    ['through a log of a transaction', inTransaction('logs { transaction { inputData } }')],
    ['under the parent', '{ block { parent { transactions { inputData } } } }'],
    [
      'in a fragment',
      '{ block { transactions { ...F } } } fragment F on Transaction { inputData }',
    ],
    ['in an inline fragment', inTransaction('... on Transaction { ... { inputData } }')],
    ['though a directive leaves it out', inTransaction('hash inputData @skip(if: true)')],
    ['before an unknown field', '{ block { nope transactions { inputData } } }'],
    ['before a bad filter', '{ block { transactions(filter: 1) { inputData } } }'],
    ['before a bad variable', 'query ($x: Int) { block { transactions { inputData } } }'],
    ['before a second root', '{ block { hash } b: block { transactions { inputData } } }'],
    [
      'before nesting',
      '{ block { transactions { logs { transaction { logs { transaction { inputData } } } } } } }',
    ],
    ['before introspection', '{ __schema block { transactions { inputData } } }'],
    ['before an alias of the root', '{ b: block { transactions { inputData } } }'],
  ])('%s', (_title, text) => {
    const refused = refusalOf(text)
    expect(refused.httpStatus).toBe(501)
    expect(refused.message).toStartWith('graphql_query: transactions.inputData is not supported')
  })

  test('and the path to it is told', () => {
    expect(refusalOf('{ block {\n logs { transaction { inputData } } } }').message).toBe(
      'graphql_query: transactions.inputData is not supported; asked for at' +
        ' block.logs.transaction.inputData (line 2, column 23)',
    )
  })

  test('while the input of a trace is served', () => {
    expect(compileQuery('{ block { callTracerTraces { inputData: input } } }')).not.toBeInstanceOf(
      Rejection,
    )
  })
})

describe('an entity stands at most twice on a path', () => {
  test.each([
    'parent { hash }',
    'transactions { logs { transaction { logs { data } } } }',
    'logs { transaction { logs { transaction { hash } } } }',
    'transactions { block { transactions { hash } } }',
    'callTracerTraces { transaction { logs { transaction { block { hash } } } } }',
  ])('%s is fine', (body) => {
    expect(compileQuery(`{ block { ${body} } }`)).not.toBeInstanceOf(Rejection)
  })

  test.each([
    ['parent { parent { hash } }', 'block.parent.parent', 'Block'],
    ['transactions { block { parent { hash } } }', 'block.transactions.block.parent', 'Block'],
    [
      'logs { transaction { logs { transaction { logs { data } } } } }',
      'block.logs.transaction.logs.transaction.logs',
      'Log',
    ],
    [
      'transactions { block { transactions { logs { transaction { hash } } } } }',
      'block.transactions.block.transactions.logs.transaction',
      'Transaction',
    ],
    [
      'p: parent { ...F } } } fragment F on Block { ... { q: parent { hash }',
      'block.parent.parent',
      'Block',
    ],
    ['parent { parent @skip(if: true) { hash } }', 'block.parent.parent', 'Block'],
    [
      `callTracerTraces { transaction { block { callTracerTraces { transaction {
         block { hash } } } } } }`,
      'block.callTracerTraces.transaction.block.callTracerTraces.transaction.block',
      'Block',
    ],
  ])('%s is too deep', (body, path, entity) => {
    const refused = refusalOf(`{ block { ${body} } }`)
    expect(refused.code).toBe('query_too_deep')
    expect(refused.message).toStartWith(
      `graphql_query: ${path} nests too deep: ${entity} may stand at most twice on a path (line`,
    )
  })
})

describe('a query is refused, and told why,', () => {
  test.each([
    [
      'with a slip of the pen',
      '{ block {\n  hash',
      'Expected Name, found <EOF>. (line 2, column 7)',
    ],
    ['when it is empty', '', 'Unexpected <EOF>'],
    ['for an empty selection', '{ block { } }', 'Expected Name, found "}"'],
    ['for an unquoted address', inLogs(`addresses: [${ADDRESS}]`), 'Invalid number'],
    ['for an unknown field', '{ block { hashes } }', 'Cannot query field "hashes"'],
    ['for an unknown root', '{ blocks { hash } }', 'Cannot query field "blocks"'],
    ['for an object without fields', '{ block { logs } }', 'must have a selection of subfields'],
    ['for fields of a scalar', '{ block { hash { a } } }', 'must not have a selection'],
    ['for an unknown argument', '{ block(at: 1) { hash } }', 'Unknown argument "at"'],
    ['for a filter where there is none', inTransaction('logs(filter: {}) { data }'), '"filter"'],
    ['for an unknown filter', inLogs('address: "0x"'), 'unknown field "address"'],
    [
      'for a bare address as a pair',
      '{ block { transactions(filter: { addresses: "0x" }) { hash } } }',
      'to be an object',
    ],
    [
      'for two queries',
      'query A { block { hash } } query B { block { hash } }',
      'exactly one query',
    ],
    ['for two unnamed queries', '{ block { hash } } { block { hash } }', 'exactly one query'],
    ['for fragments alone', 'fragment F on Block { hash }', 'there is no query'],
    ['for a mutation', 'mutation { block { hash } }', 'a mutation is not possible'],
    ['for a subscription', 'subscription { block { hash } }', 'a subscription is not possible'],
    ['for a schema', 'type A { a: Int } { block { hash } }', 'only a query and its fragments'],
    [
      'for two names of block',
      '{ block { hash } b: block { hash } }',
      'block may not be given another name: b (line 1, column 18)',
    ],
    [
      'for another name of block',
      '{ b: block { hash } }',
      'block may not be given another name: b',
    ],
    [
      'for another name of block in a fragment',
      '{ ...F } fragment F on Query { ... { b: block @skip(if: true) { hash } } block { hash } }',
      'block may not be given another name: b',
    ],
    ['for nothing but the type of the root', '{ __typename }', 'the query must ask for block'],
    ['for that under the name of block', '{ block: __typename }', 'the query must ask for block'],
    [
      'for two blocks of one name',
      '{ block(number: 1) { hash } block { hash } }',
      'differ in name or arguments',
    ],
    [
      'when nothing is left of it',
      '{ block @skip(if: true) { hash } }',
      'leave nothing to ask for',
    ],
    ['for __type', '{ __type(name: "Log") { name } block { hash } }', 'introspection'],
    ['for fields of __typename', '{ block { __typename { a } } }', 'must not have a selection'],
    ['for a reserved name of it', '{ block { __kind: __typename } }', 'reserved: __kind'],
    ['for a field called like it', '{ block { __typename: hash } }', 'reserved: __typename'],
    [
      'for more than 500 fields with __typename',
      `{ block { ${Array.from({ length: 500 }, (_, at) => `a${at}: __typename`).join(' ')} } }`,
      'more than 500 fields',
    ],
    ['for __schema', '{ __schema { types { name } } }', 'introspection'],
    ['for a reserved alias', '{ block { __proto__: hash } }', 'reserved: __proto__'],
    ['for a reserved root', '{ __proto__: block { hash } }', 'reserved: __proto__'],
    ['for one name of two fields', '{ block { a: hash a: number } }', 'called a differ'],
    [
      'for one name of two filters',
      '{ block { logs { data } logs(filter: {}) { data } } }',
      'called logs differ',
    ],
    [
      'for a conflict further down',
      '{ block { logs { a: data } logs { a: index } } }',
      'called a differ',
    ],
    [
      'for a conflict with what is left out',
      '{ block { a: hash @skip(if: true) a: number } }',
      'called a differ',
    ],
    ['for an unknown fragment', '{ block { ...F } }', 'Unknown fragment "F"'],
    [
      'for an unused fragment',
      '{ block { hash } } fragment F on Block { hash }',
      'F is never used',
    ],
    [
      'for a fragment twice',
      '{ block { ...F } } fragment F on Block { hash } fragment F on Block { hash }',
      'F is defined twice',
    ],
    [
      'for a misplaced fragment',
      '{ block { ...F } } fragment F on Log { data }',
      'can never be of type "Log"',
    ],
    ['for an unknown type', '{ block { ... on Header { hash } } }', 'Unknown type "Header"'],
    ['for an unknown directive', '{ block { hash @live } }', 'Unknown directive "@live"'],
    ['for @defer', '{ block { ... @defer { hash } } }', 'Unknown directive "@defer"'],
    [
      'for a directive without a condition',
      '{ block { hash @skip } }',
      'of type "Boolean!" is required',
    ],
    ['for a hash and a number', `{ block(number: 1, hash: "${HASH}") { hash } }`, 'not both'],
    ['for a short hash', '{ block(hash: "0x12") { hash } }', '"0x12" is not a value of 32 bytes'],
    ['for a number below zero', '{ block(number: -1) { hash } }', '-1 is not a number from 0'],
    ['for a number with a point', '{ block(number: 1.5) { hash } }', '1.5 is not a number from 0'],
    [
      'for a number past 2^53',
      '{ block(number: 9007199254740992) { hash } }',
      'is not a number from 0',
    ],
    ['for a word as a number', '{ block(number: "latest") { hash } }', '"latest" is not a number'],
  ])('%s', (_title, text, words) => {
    const refused = refusalOf(text)
    expect(refused.code).toBe('validation')
    expect(refused.message).toStartWith('graphql_query: ')
    expect(refused.message).toContain(words)
  })
})

describe('variables are lists that the team keeps', () => {
  const lists = 'must be of type [Address!] or [Bytes32!]: variables are lists that the team keeps'
  test.each([
    ['$a: Address', `$a ${lists}`],
    ['$a: Address!', `$a ${lists}`],
    ['$a: [String!]', `$a ${lists}`],
    ['$a: [[Address!]]', `$a ${lists}`],
    ['$a: Boolean!', `$a ${lists}`],
    ['$a: LogFilter', `$a ${lists}`],
    [`$a: [Address!] = ["${ADDRESS}"]`, '$a may not have a default'],
    ['$a: [Address!] = null', '$a may not have a default'],
    [`$${'n'.repeat(65)}: [Address!]`, 'is longer than 64 characters'],
    ['$a: [Bytes32!]', 'used in position expecting type "[Address!]"'],
    ['$a: [Address]', 'used in position expecting type "[Address!]"'],
    ['$a: [Address!], $b: [Address!]', 'Variable "$b" is never used'],
    ['$b: [Address!]', '"$a" is not defined'],
    ['$a: [Address!], $a: [Address!]', 'only one variable named "$a"'],
    ['$a: [Address!] @live', 'Unknown directive'],
    [Array.from({ length: 21 }, (_, at) => `$a${at}: [Address!]`).join(), 'more than 20 variables'],
  ])('(%s) is refused', (declared, words) => {
    const text = `query (${declared}) { block { logs(filter: { addresses: $a }) { data } } }`
    expect(refusalOf(text).code).toBe('validation')
    expect(refusalOf(text).message).toContain(words)
  })

  test.each([
    ['among literals', `addresses: ["${ADDRESS}", $a]`],
    ['in a list of its own', 'addresses: [$a]'],
    ['for all topics', 'topics: $t'],
    ['among alternatives', 'topics: [[$t]]'],
    ['in place of the filter', '$a'],
  ])('one may not stand %s', (_title, filter) => {
    const used = ['$a', '$t'].filter((name) => filter.includes(name))
    const declared = used.map((name) => `${name}: [${name === '$a' ? 'Address' : 'Bytes32'}!]!`)
    const value = filter.startsWith('$') ? filter : `{ ${filter} }`
    const text = `query (${declared.join()}) { block { logs(filter: ${value}) { data } } }`
    expect(refusalOf(text).message).toContain('used in position expecting type')
  })

  test('so there is none for a directive', () => {
    const text = 'query ($a: [Address!]) { block { hash @skip(if: $a) } }'
    expect(refusalOf(text).message).toContain('expecting type "Boolean!"')
    expect(refusalOf('{ block { hash @include(if: $a) } }').message).toContain('not defined')
  })

  test('a name of 64 characters is fine', () => {
    const name = 'n'.repeat(64)
    const text = `query ($${name}: [Address!]) {
      block { logs(filter: { addresses: $${name} }) { data } } }`
    expect(compileQuery(text)).not.toBeInstanceOf(Rejection)
  })
})

function inTransaction(body: string): string {
  return `{ block { transactions { ${body} } } }`
}

function inLogs(filter: string): string {
  return `{ block { logs(filter: { ${filter} }) { data } } }`
}

function refusalOf(text: string): Rejection {
  const refused = compileQuery(text)
  if (refused instanceof Rejection) return refused
  throw new Error(`accepted: ${text}`)
}
