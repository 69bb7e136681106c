import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type QueryApi, queryApi } from '../../../../tests/support/deliveries/query-api.ts'

const QUERY = '{ block { number } }'

let on: QueryApi

beforeEach(async () => {
  on = await queryApi()
})

afterEach(() => on.close())

describe('a query that cannot be is refused', () => {
  test.each([
    [501, 'UnsupportedField', '{ block { logs { transaction { i: inputData } } } }'],
    [400, 'QueryTooDeep', '{ block { parent { parent { hash } } } }'],
    [400, 'ValidationError', '{ block { nope } }'],
  ])('with %i %s', async (status, name, query) => {
    for (const given of [query, { query }]) {
      const answer = await on.ask(given)
      expect([answer.status, answer.body.name]).toEqual([status, name])
      expect(answer.body.message).toStartWith('graphql_query: ')
    }
    expect(on.network.asked()).toEqual([])
  })
})

describe('a body that is not as it should be is refused, and the field named', () => {
  const good = { network: 'ETH_MAINNET', graphql_query: QUERY }
  test.each([
    ['graphql_query', { network: 'ETH_MAINNET' }],
    ['graphql_query', { ...good, graphql_query: 7 }],
    ['graphql_query', { ...good, graphql_query: '' }],
    ['graphql_query', { ...good, graphql_query: null }],
    ['graphql_query', { ...good, graphql_query: [QUERY] }],
    ['graphql_query.query', { ...good, graphql_query: {} }],
    ['graphql_query.query', { ...good, graphql_query: { query: 7 } }],
    [
      'graphql_query.skip_empty_messages',
      { ...good, graphql_query: { query: QUERY, skip_empty_messages: 1 } },
    ],
    ['graphql_query.skipEmpty', { ...good, graphql_query: { query: QUERY, skipEmpty: true } }],
    ['network', { graphql_query: QUERY }],
    ['network', { ...good, network: 1 }],
    ['network', { ...good, network: '' }],
    ['block', { ...good, block: -1 }],
    ['block', { ...good, block: 1.5 }],
    ['block', { ...good, block: 2 ** 53 }],
    ['block', { ...good, block: '9999999999999999' }],
    ['block', { ...good, block: '' }],
    ['block', { ...good, block: 'latest' }],
    ['block', { ...good, block: '0x' }],
    ['block', { ...good, block: '0xfffffffffffffff' }],
    ['block', { ...good, block: `0x${'a'.repeat(63)}` }],
    ['block', { ...good, block: `0x${'a'.repeat(65)}` }],
    ['block', { ...good, block: '-1' }],
    ['block', { ...good, block: ' 1' }],
    ['block', { ...good, block: null }],
    ['block', { ...good, block: { number: 1 } }],
    ['webhook_url', { ...good, webhook_url: 'http://receiver.example' }],
  ])('%s in %j', async (field, body) => {
    const answer = await on.send(body)
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError'])
    expect(answer.body.message).toStartWith(field)
    expect(on.network.asked()).toEqual([])
  })

  test.each(['', '[]', '7', 'null', '{"network":', '"{ block { number } }"'])(
    'the whole of it, when it is %j',
    async (text) => {
      const answer = await on.api.call('POST', '/api/test-query', { text })
      expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError'])
    },
  )

  test.each([
    ['DOGE_MAINNET', 'is not configured here'],
    ['eth-mainnet', 'is not configured here'],
    ['SOLANA_MAINNET', 'is not an EVM network'],
  ])('network %s, and those that are possible are named', async (id, fault) => {
    const answer = await on.ask(QUERY, { network: id })
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError'])
    expect(answer.body.message).toBe(`network: ${id} ${fault}; possible are: ETH_MAINNET.`)
  })
})

describe('a block that cannot be had', () => {
  test.each([257, '0x101', `0x${'ab'.repeat(32)}`])('is not found as %s', async (block) => {
    const answer = await on.ask(QUERY, { block })
    expect([answer.status, answer.body.name]).toEqual([404, 'NotFound'])
    expect(answer.body.message).toStartWith('block: ')
  })

  test('is answered with 503 when the nodes fail, without a word about them', async () => {
    on.network.misbehave = (call) => {
      call.error(-32000, 'node-a at http://node-a/ has key=secret')
      return true
    }
    const answer = await on.ask(QUERY, { block: 255 })
    expect([answer.status, answer.body.name]).toEqual([503, 'Unavailable'])
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(answer.body.message).not.toMatch(/node-a|secret|http/)
  })

  test('is answered with 504 when the nodes hang', async () => {
    on.network.misbehave = () => true
    const answer = await on.ask(QUERY, { block: 255 })
    expect([answer.status, answer.body.name]).toEqual([504, 'Timeout'])
  })
})
