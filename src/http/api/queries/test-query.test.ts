import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { advanceUntil } from '../../../../tests/support/basics/test-clock.ts'
import { ALICE, BOB, rawBlock, rawLog, TOKEN } from '../../../../tests/support/blocks/raw-block.ts'
import {
  HASH_255,
  type QueryApi,
  queryApi,
} from '../../../../tests/support/deliveries/query-api.ts'
import { addItems } from '../../../tables/webhooks/variables.ts'

const QUERY = '{ block { number } }'

/** Far more than a double can hold. */
const MANY_DIGITS = '1208925819614629174706175'

let on: QueryApi

beforeEach(async () => {
  on = await queryApi()
})

afterEach(() => on.close())

describe('test-query answers', () => {
  test('with the result, what it would weigh and cost, and what matched', async () => {
    const { status, body } = await on.ask(
      '{ block { number logs { data account { address } } } }',
      {
        block: 255,
      },
    )
    expect(status).toBe(200)
    const data = {
      block: {
        number: 255,
        logs: [
          { data: '0x', account: { address: TOKEN } },
          { data: '0x2a', account: { address: ALICE } },
        ],
      },
    }
    const bytes = deliveryBytes(data)
    expect(body).toEqual({
      data,
      bytes,
      cu: Number((bytes * 0.04).toFixed(2)),
      matched: { logs: 2 },
      empty: false,
      block: { number: 255, hash: HASH_255 },
    })
  })

  test('with the block’s numbers digit by digit', async () => {
    const parts = rawBlock([], 256)
    parts.block.gasLimit = `0x${BigInt(MANY_DIGITS).toString(16)}`
    await on.close()
    on = await queryApi([parts])
    const response = await advanceUntil(
      on.network.clock,
      fetch(`${on.api.url}/api/test-query`, {
        method: 'POST',
        headers: { 'x-service-token': on.api.teamToken },
        body: JSON.stringify({ network: 'ETH_MAINNET', graphql_query: '{ block { gasLimit } }' }),
      }),
    )
    const text = await response.text()
    expect(text).toStartWith(`{"data":{"block":{"gasLimit":${MANY_DIGITS}}},"bytes":`)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  test.each([
    ['a number', 255],
    ['a decimal text', '255'],
    ['a 0x text', '0xff'],
    ['a 0x text in capitals', '0xFF'],
    ['a hash', HASH_255],
    ['a hash in capitals', `0x${HASH_255.slice(2).toUpperCase()}`],
  ])('about the block that is named by %s', async (_title, block) => {
    const { body } = await on.ask('{ block(number: 254) { number } }', { block })
    expect([body.data.block.number, body.block.number]).toEqual([255, 255])
  })

  test('about the block that the query names, or else the newest', async () => {
    const numberOf = async (query: string) => (await on.ask(query)).body.data.block.number
    expect(await numberOf('{ block(number: 254) { number } }')).toBe(254)
    expect(await numberOf('{ block(number: "0xff") { number } }')).toBe(255)
    expect(await numberOf(`{ block(hash: "${HASH_255}") { number } }`)).toBe(255)
    expect(await numberOf('{ block { number } }')).toBe(256)
  })

  test('400 for a variable whose items are of another kind than the query declares', async () => {
    const { database } = on.api.needs
    const items = [`0x${'ab'.repeat(32)}`]
    await addItems(database, { teamId: on.api.teamId, name: 'v', kind: 'Bytes32', items })
    const query = 'query ($v: [Address!]) { block { logs(filter: {addresses: $v}) { data } } }'
    const { status, body } = await on.ask(query)
    expect([status, body]).toEqual([
      400,
      {
        name: 'ValidationError',
        message:
          'graphql_query: the variable v holds values of 32 bytes; declare it as [Bytes32!].',
      },
    ])
  })

  test('the same for a query in an object, whatever it says of empty messages', async () => {
    const query = '{ block { logs { data } } }'
    const [bare, skipping] = [
      await on.ask(query),
      await on.ask({ query, skip_empty_messages: true }),
    ]
    expect(skipping.body).toEqual(bare.body)
    expect([bare.body.empty, bare.body.matched]).toEqual([true, { logs: 0 }])
  })

  test('with the team’s variables as they are now, and names those it lacks', async () => {
    const query = `query ($who: [Address!], $what: [Bytes32!]) { block {
      logs(filter: {addresses: $who}) { data }
      others: logs(filter: {topics: [$what]}) { data }
    } }`
    const before = await on.ask(query, { block: 255 })
    expect([before.body.matched, before.body.variables]).toEqual([
      { logs: 0, others: 0 },
      ['who', 'what'],
    ])
    const { database } = on.api.needs
    const items = [ALICE, BOB]
    await addItems(database, { teamId: on.api.teamId, name: 'who', kind: 'Address', items })
    const after = await on.ask(query, { block: 255 })
    expect([after.body.matched, after.body.variables]).toEqual([{ logs: 1, others: 0 }, ['what']])
  })

  test('with lists cut when they are too large, and says so', async () => {
    const data = `0x${'00'.repeat(1024 * 1024)}`
    const logs = Array.from({ length: 6 }, () => rawLog(0, TOKEN, data))
    await on.close()
    on = await queryApi([rawBlock([{ logs }], 256)])
    const { status, body } = await on.ask('{ block { number logs { data } } }')
    expect([status, body.truncated, body.truncated_fields]).toEqual([200, true, ['block.logs']])
    expect(body.truncation_reason).toBeString()
    expect(body.data.block.logs.length).toBeLessThan(6)
    expect(body.bytes).toBeLessThan(11_000_000)
  })

  test('for nothing: no usage is written', async () => {
    await on.ask(QUERY)
    const { body } = await on.api.call('GET', '/api/usage/summary')
    expect(body.data.this_month).toEqual({ calls: 0, cu: 0, bytes: 0 })
  })
})

describe('dry runs are limited', () => {
  test('to four of a team at once', async () => {
    const held: (() => void)[] = []
    on.network.misbehave = (call) => {
      held.push(() => call.result(null))
      return true
    }
    // The clock stands still: a run whose deadline passes would give its place back.
    const body = { network: 'ETH_MAINNET', graphql_query: QUERY, block: 255 }
    const ask = () => on.api.call('POST', '/api/test-query', { body })
    const first = [1, 2, 3, 4].map(ask)
    while (held.length < 4) await Bun.sleep(1)
    const fifth = await ask()
    expect([fifth.status, fifth.body.name]).toEqual([429, 'TooManyRequests'])
    expect(fifth.headers.get('retry-after')).toBe('1')

    on.network.misbehave = () => false
    for (const release of held) release()
    await advanceUntil(on.network.clock, Promise.all(first))
    expect((await on.ask(QUERY)).status).toBe(200)
  })

  test('to fifty of a team in ten seconds, refused queries among them', async () => {
    for (let at = 0; at < 50; at++) expect((await on.ask('{ nope }')).status).toBe(400)
    const late = await on.ask(QUERY)
    expect([late.status, late.body.name]).toEqual([429, 'TooManyRequests'])
    expect(late.headers.get('retry-after')).toBe('10')
    on.api.time.nowMs += 10_000
    expect((await on.ask(QUERY)).status).toBe(200)
  })
})

test('test-query takes a token', async () => {
  const body = { network: 'ETH_MAINNET', graphql_query: QUERY }
  expect((await on.api.call('POST', '/api/test-query', { token: '', body })).status).toBe(401)
  const asOperator = { token: on.api.operatorToken, body }
  expect((await on.api.call('POST', '/api/test-query', asOperator)).status).toBe(400)
  const named = on.api.call('POST', `/api/test-query?team_id=${on.api.teamId}`, asOperator)
  expect((await advanceUntil(on.network.clock, named)).status).toBe(200)
})

/** The size of a real delivery's body, written by hand. */
function deliveryBytes(data: unknown): number {
  const body = {
    webhookId: 'wh_0123456789abcdef',
    id: 'whevt_0123456789abcdef',
    createdAt: '2026-11-15T00:30:00.000Z',
    type: 'GRAPHQL',
    event: { data, sequenceNumber: '1000000000001', network: 'ETH_MAINNET' },
  }
  return Buffer.byteLength(JSON.stringify(body))
}
