import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { dryRunsOf } from '../support/dry-runs.ts'
import { startHeadgate, type TestHeadgate } from '../support/headgate.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

const ADDRESS = `0x${'1f'.repeat(20)}`
const GOOD = { network: 'ETH_DEVNET', graphql_query: '{ block { number } }' }
const KIB = 1024

let headgate: TestHeadgate
let testQuery: ReturnType<typeof dryRunsOf>['testQuery']

beforeAll(async () => {
  headgate = await startHeadgate()
  testQuery = dryRunsOf(headgate).testQuery
})

afterAll(() => headgate.stop())

/** The text is refused this way, alone and in an object. */
async function expectRefused(query: string, status: number, name: string, words: string) {
  for (const graphql_query of [query, { query, skip_empty_messages: true }]) {
    const answer = await testQuery({ ...GOOD, graphql_query })
    expect([answer.status, answer.json.name]).toEqual([status, name])
    expect(answer.json.message).toStartWith('graphql_query: ')
    expect(answer.json.message).toContain(words)
    expect(answer.text.length).toBeLessThan(KIB)
  }
}

function times(count: number, make: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => make(at)).join(' ')
}

describe('input data is refused with 501 UnsupportedField', () => {
  test.each([
    ['in the list', '{ block { transactions { hash inputData } } }'],
    ['behind an alias', '{ block { transactions { hash data: inputData } } }'],
    ['through a log', '{ block { logs { transaction { inputData } } } }'],
    ['through a trace', '{ block { callTracerTraces { transaction { inputData } } } }'],
    [
      'through a fragment',
      '{ block { transactions { ...F } } } fragment F on Transaction { inputData }',
    ],
    ['through an inline fragment', '{ block { logs { transaction { ... { x: inputData } } } } }'],
    [
      'though a directive skips it',
      '{ block { transactions { hash inputData @skip(if: true) } } }',
    ],
  ])('%s', (_title, query) =>
    expectRefused(query, 501, 'UnsupportedField', 'inputData is not supported'),
  )
})

describe('what nests too deep is refused with 400 QueryTooDeep', () => {
  test.each([
    ['blocks', '{ block { parent { parent { hash } } } }'],
    [
      'transactions',
      '{ block { transactions { logs { transaction { logs { transaction { hash } } } } } } }',
    ],
    ['logs', '{ block { logs { transaction { logs { transaction { logs { data } } } } } } }'],
    ['blocks by way of a transaction', '{ block { transactions { block { parent { hash } } } } }'],
    ['behind aliases', '{ block { b: parent { c: parent { hash } } } }'],
    [
      'through fragments',
      `{ block { logs { transaction { ...T } } } }
       fragment T on Transaction { logs { transaction { logs { data } } } }`,
    ],
  ])('%s', (_title, query) => expectRefused(query, 400, 'QueryTooDeep', 'nests too deep'))
})

describe('what is no query of the schema is refused with 400 ValidationError', () => {
  test.each([
    ['nothing at all', ' ', 'Syntax Error'],
    ['not GraphQL', 'SELECT * FROM blocks', 'Syntax Error'],
    ['unterminated', '{ block { logs { data', 'Syntax Error'],
    ['an unterminated string', '{ block(hash: "0x', 'Syntax Error'],
    ['an unknown field', '{ block { number nonsense } }', 'nonsense'],
    ['another root', '{ transaction { hash } }', 'transaction'],
    ['two roots', '{ a: block { hash } b: block { hash } }', 'another name'],
    ['two operations', 'query A { block { hash } } query B { block { hash } }', 'exactly one'],
    ['a mutation', 'mutation { block { hash } }', 'mutation'],
    ['a subscription', 'subscription { block { hash } }', 'subscription'],
    ['only a fragment', 'fragment F on Block { hash }', 'only fragments'],
    ['introspection', '{ __schema { types { name } } }', 'introspection'],
    ['introspection beside', '{ block { hash } __type(name: "Log") { name } }', 'introspection'],
    ['another name of the root', '{ b: block { hash } }', 'may not be given another name'],
    ['a list without fields', '{ block { logs } }', 'logs'],
    ['a bad address', '{ block { logs(filter: {addresses: ["0x1"]}) { data } } }', 'address'],
    ['a bad topic', '{ block { logs(filter: {topics: ["0x1"]}) { data } } }', '32 bytes'],
    [
      'five topics',
      '{ block { logs(filter: {topics: [[],[],[],[],[]]}) { data } } }',
      'topic positions',
    ],
    ['another filter', '{ block { logs(filter: {nonce: 1}) { data } } }', 'nonce'],
    ['an undeclared variable', '{ block { logs(filter: {addresses: $x}) { data } } }', '$x'],
    ['a variable of another type', 'query ($x: Int) { block { hash } }', '[Address!]'],
    ['hash and number', `{ block(hash: "0x${'1'.repeat(64)}", number: 1) { hash } }`, 'not both'],
  ])('%s', (_title, query, words) => expectRefused(query, 400, 'ValidationError', words))
})

describe('a hostile query is refused with 400 ValidationError', () => {
  const bomb = times(20, (at) => `fragment F${at} on Block { ${times(10, () => `...F${at + 1}`)} }`)
  test.each([
    ['a thousand brackets deep', `{ block ${'{ parent '.repeat(1000)}`, 'more than 40 deep'],
    ['deep and closed', `{ block ${'{ parent '.repeat(1000)}${'}'.repeat(1001)}`, '40 deep'],
    ['deep in its values', `{ block(number: ${'['.repeat(1000)}1) { hash } }`, '40 deep'],
    ['501 fields wide', `{ block { ${times(501, (at) => `f${at}: hash`)} } }`, '500 fields'],
    [
      'a thousand aliases of a list',
      `{ block { ${times(1000, (at) => `l${at}: logs { data }`)} } }`,
      '500 fields',
    ],
    [
      '21 aliases of a list',
      `{ block { ${times(21, (at) => `l${at}: logs { data }`)} } }`,
      '20 names',
    ],
    [
      'a bomb of fragments',
      `{ block { ...F0 } } ${bomb} fragment F20 on Block { hash }`,
      'more than',
    ],
    [
      'a fragment in a circle',
      '{ block { ...F } } fragment F on Block { ...F }',
      'contains itself',
    ],
    [
      'fragments in a circle',
      '{ block { ...F } } fragment F on Block { ...G } fragment G on Block { ...F }',
      'contains itself',
    ],
    [
      '101 fragments',
      `{ block { ${times(101, (at) => `...F${at}`)} } } ${times(101, (at) => `fragment F${at} on Block { hash }`)}`,
      '100 fragments',
    ],
    ['over 64 KiB', `{ block { hash } } #${'x'.repeat(64 * KIB)}`, '65536 bytes'],
    ['64 KiB of one name', `{ block { ${'x'.repeat(60 * KIB)} } }`, 'x…'],
    ['64 KiB of brackets', '{'.repeat(64 * KIB), '40 deep'],
    ['64 KiB of names', `{ block { ${'a '.repeat(31 * KIB)}} }`, 'more than'],
    ['an alias that is __proto__', '{ block { __proto__: hash } }', 'reserved'],
  ])('%s', (_title, query, words) => expectRefused(query, 400, 'ValidationError', words))

  test('a query as long and wide as allowed is answered', async () => {
    const addresses = times(1_300, () => `{to:"${ADDRESS}"}`)
    const query = `{ block { transactions(filter:{addresses:[${addresses}]}) { hash } } }`
    const answer = await testQuery({ ...GOOD, graphql_query: query })
    expect([answer.status, answer.json.matched]).toEqual([200, { transactions: 0 }])
  })
})

describe('a body that is not as it should be is refused with 400, and the field named', () => {
  test.each([
    ['network', { graphql_query: GOOD.graphql_query }],
    ['network', { ...GOOD, network: 'ETH_MAINNET' }],
    ['network', { ...GOOD, network: ['ETH_DEVNET'] }],
    ['graphql_query', { network: GOOD.network }],
    ['graphql_query', { ...GOOD, graphql_query: 1 }],
    ['graphql_query.query', { ...GOOD, graphql_query: { skip_empty_messages: true } }],
    [
      'graphql_query.skip_empty_messages',
      { ...GOOD, graphql_query: { query: GOOD.graphql_query, skip_empty_messages: 'yes' } },
    ],
    ['block', { ...GOOD, block: 'latest' }],
    ['block', { ...GOOD, block: -1 }],
    ['block', { ...GOOD, block: [1] }],
    ['blok', { ...GOOD, blok: 1 }],
  ])('%s in %j', async (field, body) => {
    const answer = await testQuery(body)
    expect([answer.status, answer.json.name]).toEqual([400, 'ValidationError'])
    expect(answer.json.message).toStartWith(field)
  })

  test('and the networks that are possible are named', async () => {
    const { json } = await testQuery({ ...GOOD, network: 'ETH_MAINNET' })
    expect(json.message).toBe(
      'network: ETH_MAINNET is not configured here; possible are: ETH_DEVNET.',
    )
  })
})

describe('test-query', () => {
  test('takes a token', async () => {
    const answer = await headgate.api('POST', '/api/test-query', GOOD, 'x'.repeat(32))
    expect(answer.status).toBe(401)
  })

  test('takes POST only', async () => {
    const answer = await headgate.api('GET', '/api/test-query')
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('is limited for each team, whose other calls go on', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => headgate.api('POST', '/api/test-query', GOOD)),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThanOrEqual(10)
    for (const { json, headers } of refused) {
      expect(json.name).toBe('TooManyRequests')
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    }
    expect((await headgate.api('GET', '/api/team')).status).toBe(200)
  })
})
