import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  A,
  NOBODY,
  type QueriedChain,
  startQueriedChain,
} from '../../support/blocks/queried-chain.ts'

setDefaultTimeout(60_000)

const NETWORK = 'ETH_DEVNET'
const PAID = `{ block { number transactions(filter: {addresses: [{to: "${NOBODY}"}]}) { hash } } }`

let on: QueriedChain

beforeAll(async () => {
  on = await startQueriedChain()
})
afterAll(() => on.headgate.stop())

const api = (method: string, path: string, body?: unknown) => on.headgate.api(method, path, body)

describe('an estimate on a real chain', () => {
  test('is the sum of dry runs on its blocks, and is free', async () => {
    const { json } = await api('POST', '/api/estimate-query', {
      network: NETWORK,
      graphql_query: { query: PAID, skip_empty_messages: true },
    })
    const { data } = json
    expect(data).toMatchObject({ network: NETWORK, from_block: 0, to_block: on.block.number })
    expect(data).toMatchObject({ blocks: on.block.number + 1, delivered: 1 })
    let [bytes, centiCu] = [0, 0]
    for (const { number, ...sample } of data.sample) {
      const asked = { network: NETWORK, graphql_query: PAID, block: number }
      const ran = (await api('POST', '/api/test-query', asked)).json
      expect(sample).toEqual({ bytes: ran.bytes, empty: ran.empty, matched: ran.matched })
      if (ran.empty) continue
      bytes += ran.bytes
      centiCu += Math.round(ran.cu * 100)
    }
    expect([data.bytes, Math.round(data.cu * 100)]).toEqual([bytes, centiCu])
    expect(data.largest_bytes).toBe(bytes)
    expect(data.month_every_block.cu).toBeGreaterThan(data.month.cu)
    const bill = (await api('GET', '/api/usage/summary')).json.data
    expect(bill.this_month.bytes).toBe(0)
  })

  test('knows the team’s variables as they are now', async () => {
    const query = `query ($topics: [Bytes32!]) {
      block { logs(filter: {topics: [$topics]}) { data } } }`
    const graphql_query = { query, skip_empty_messages: true }
    const estimate = async () =>
      (await api('POST', '/api/estimate-query', { network: NETWORK, graphql_query })).json.data
    expect(await estimate()).toMatchObject({ delivered: 0, variables: ['topics'] })
    await api('POST', '/api/graphql/variables/topics', { items: [A] })
    const { delivered, variables } = await estimate()
    expect([delivered, variables]).toEqual([1, undefined])
    const { json } = await api('POST', '/api/check-query', { graphql_query: query })
    expect(json.data).toMatchObject({ ok: true, variables: [{ name: 'topics', items: 1 }] })
  })
})

test('a mistake has the same place, wherever the query is sent', async () => {
  const graphql_query = '{\n  block {\n    number\n    transactoins { hash }\n  }\n}'
  const { json } = await api('POST', '/api/check-query', { network: NETWORK, graphql_query })
  expect(json.data.errors).toMatchObject([{ line: 4, column: 5, length: 12 }])
  const good = { network: NETWORK, webhook_type: 'GRAPHQL', webhook_url: 'https://1.1.1.1/' }
  const made = await api('POST', '/api/create-webhook', { ...good, graphql_query: PAID })
  const webhook_id = made.json.data.id
  const answers = await Promise.all([
    api('POST', '/api/create-webhook', { ...good, graphql_query }),
    api('PUT', '/api/update-webhook', { webhook_id, graphql_query }),
    api('POST', '/api/test-query', { network: NETWORK, graphql_query }),
    api('POST', '/api/estimate-query', { network: NETWORK, graphql_query }),
  ])
  for (const answer of answers) {
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ name: 'ValidationError' })
    expect(answer.json.locations).toEqual([{ line: 4, column: 5 }])
  }
  const other = await api('POST', '/api/create-webhook', { ...good, graphql_query: PAID, name: 5 })
  expect([other.status, other.json.locations]).toEqual([400, undefined])
})
