// Runs on both stores.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { dryRunsOf } from '../../support/blocks/dry-runs.ts'
import { startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'

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

test.each([
  [
    501,
    'UnsupportedField',
    'inputData is not supported',
    '{ block { transactions { inputData } } }',
  ],
  [400, 'QueryTooDeep', 'nests too deep', '{ block { parent { parent { hash } } } }'],
  [400, 'ValidationError', 'more than 40 deep', `{ block ${'{ parent '.repeat(1000)}`],
])('a query that cannot be is refused with %i %s: %s', (status, name, words, query) =>
  expectRefused(query, status, name, words),
)

test('a query as long and wide as allowed is answered', async () => {
  const addresses = `{to:"${ADDRESS}"} `.repeat(1_300)
  const query = `{ block { transactions(filter:{addresses:[${addresses}]}) { hash } } }`
  const answer = await testQuery({ ...GOOD, graphql_query: query })
  expect([answer.status, answer.json.matched]).toEqual([200, { transactions: 0 }])
})

describe('a body that is not as it should be is refused with 400, and the field named', () => {
  test.each([
    ['network', { graphql_query: GOOD.graphql_query }],
    ['graphql_query.query', { ...GOOD, graphql_query: { skip_empty_messages: true } }],
    ['block', { ...GOOD, block: 'latest' }],
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
