import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type QueryApi, queryApi } from '../../../../tests/support/deliveries/query-api.ts'
import { addItems } from '../../../tables/webhooks/variables.ts'

let on: QueryApi

beforeEach(async () => {
  on = await queryApi()
})
afterEach(() => on.close())

async function check(graphql_query: unknown, network?: string) {
  const body = { graphql_query, ...(network !== undefined && { network }) }
  const answer = await on.api.call('POST', '/api/check-query', { body })
  expect(answer.status).toBe(200)
  return answer.body.data
}

describe('a query that is right', () => {
  test('is told what it needs', async () => {
    const query = `query ($vaults: [Bytes32!]) { block { number
      logs(filter: { topics: [[], $vaults] }) { data } transactions { status } } }`
    expect(await check(query, 'ETH_MAINNET')).toEqual({
      ok: true,
      errors: [],
      variables: [{ name: 'vaults', kind: 'Bytes32', items: null }],
      is_filtered: true,
      can_be_empty: true,
      needs_receipts: true,
      needs_traces: false,
    })
    expect(await check({ query: '{ block { number } }' })).toMatchObject({
      ok: true,
      variables: [],
      is_filtered: false,
      can_be_empty: false,
      needs_receipts: false,
    })
    expect(await check('{ block { callTracerTraces { type } } }')).toMatchObject({
      ok: true,
      needs_traces: true,
      is_filtered: false,
    })
    // No node was asked.
    expect(on.network.asked()).toEqual([])
  })

  test('knows how many items the team’s own variables have', async () => {
    const { database } = on.api.needs
    const items = ['0x01', '0x02'].map((start) => start.padEnd(42, '0'))
    const list = { name: 'who', kind: 'Address' as const, items }
    await addItems(database, { teamId: on.api.teamId, ...list })
    const query = (kind: string) =>
      `query ($who: [${kind}!]) { block { logs(filter: { addresses: $who }) { data } } }`
    expect((await check(query('Address'))).variables).toEqual([
      { name: 'who', kind: 'Address', items: 2 },
    ])
    const topics =
      'query ($who: [Bytes32!]) { block { logs(filter: { topics: [$who] }) { data } } }'
    const { ok, errors } = await check(topics)
    expect(ok).toBe(false)
    expect(errors).toEqual([
      {
        message: 'the variable who holds addresses; declare it as [Address!].',
        line: null,
        column: null,
        length: null,
      },
    ])
  })
})

describe('a query with mistakes', () => {
  test('is told each of them, with its place and length', async () => {
    const { ok, errors, is_filtered } = await check('{ block {\n  nubmer\n  logs { dat } } }')
    expect([ok, is_filtered]).toEqual([false, null])
    expect(errors).toMatchObject([
      { line: 2, column: 3, length: 6 },
      { line: 3, column: 10, length: 3 },
    ])
    expect(errors[0].message).toBe(
      'Cannot query field "nubmer" on type "Block". Did you mean "number"?',
    )
  })

  test.each([
    ['what is no GraphQL', '{ block { number', { line: 1, column: 17, length: null }],
    [
      'a value of the wrong size',
      '{ block { logs(filter: { addresses: ["0x12"] }) { data } } }',
      {
        line: 1,
        column: 38,
        length: 6,
      },
    ],
    [
      'a field that is never served',
      '{ block { transactions { inputData } } }',
      {
        line: 1,
        column: 26,
        length: 9,
      },
    ],
    ['what nests too deep', '{ block { parent { parent { hash } } } }', { line: 1, column: 20 }],
    ['two names for one', '{ block { a: hash a: number } }', { line: 1 }],
    ['a column behind emoji', '{ block { number } } # 😀\n{', { line: 2, column: 2 }],
    ['too much of it', `{ block { ${'hash '.repeat(501)} } }`, { line: null, column: null }],
    ['one that is too long', `#${'x'.repeat(65_536)}`, { line: null, column: null, length: null }],
  ])('is told of %s', async (_title, query, place) => {
    const { ok, errors } = await check(query)
    expect(ok).toBe(false)
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatchObject(place)
    expect(errors[0].message).not.toMatch(/^graphql_query|\(line/)
  })

  test('is told ten of them at most', async () => {
    const { errors } = await check(`{ block { ${'nope '.repeat(100)} } }`)
    expect(errors).toHaveLength(10)
    expect(errors.every(({ line }: { line: number }) => line === 1)).toBe(true)
  })

  test('begins with what a create call would say, at the same place', async () => {
    const queries = ['{ block { nope nada } }', '{ block { number', '{ nope }', 'query { block }']
    for (const query of queries) {
      const [first] = (await check(query)).errors
      const { status, body } = await on.ask(query)
      expect(status).toBe(400)
      const { line, column } = first
      expect(body.locations).toEqual([{ line, column }])
      expect(body.message).toBe(`graphql_query: ${first.message} (line ${line}, column ${column})`)
    }
  })
})

describe('a check', () => {
  test('for a network without traces refuses a query for them', async () => {
    const [service] = on.api.needs.services()
    for (const upstream of service?.network.upstreams ?? []) upstream.traces = false
    const query = '{ block { callTracerTraces { type } } }'
    const { ok, errors } = await check(query, 'ETH_MAINNET')
    expect([ok, errors.length, errors[0].line]).toEqual([false, 1, null])
    expect(errors[0].message).toStartWith('callTracerTraces: no upstream of ETH_MAINNET')
  })

  test.each([
    ['network', { network: 'NOPE', graphql_query: '{ block { number } }' }],
    ['network', { network: 'SOLANA_MAINNET', graphql_query: '{ block { number } }' }],
    ['graphql_query', {}],
    ['graphql_query', { graphql_query: '' }],
    ['graphql_query', { graphql_query: 'a\0b' }],
    ['graphql_query', { graphql_query: [] }],
    ['block', { graphql_query: '{ block { number } }', block: 5 }],
  ])('with a wrong %s is refused: %j', async (field, body) => {
    const answer = await on.api.call('POST', '/api/check-query', { body })
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError'])
    expect(answer.body.message).toStartWith(field)
    expect(answer.body.locations).toBeUndefined()
  })

  test('lets a person type, and a flood of them wait, and saving goes on', async () => {
    const body = { graphql_query: '{ block { number } }' }
    const statuses: number[] = []
    for (let at = 0; at < 140; at++) {
      const { status } = await on.api.call('POST', '/api/check-query', { body })
      statuses.push(status)
      // As fast as an editor asks while somebody types without a pause.
      if (at < 40) on.api.time.nowMs += 250
    }
    expect(statuses).toEqual(Array(140).fill(200))
    const refused = await on.api.call('POST', '/api/check-query', { body })
    expect([refused.status, refused.body.name]).toEqual([429, 'TooManyRequests'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    // A second later: a token may make a hundred calls in each.
    on.api.time.nowMs += 1000
    expect((await on.ask('{ block { number } }')).status).toBe(200)
    on.api.time.nowMs += 10_000
    expect((await on.api.call('POST', '/api/check-query', { body })).status).toBe(200)
  })
})
