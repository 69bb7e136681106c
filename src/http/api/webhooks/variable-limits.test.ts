import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type WebhookApi, webhookApi } from '../../../../tests/support/deliveries/webhook-api.ts'
import { aTier } from '../../../../tests/support/product/a-tier.ts'
import type { Answer } from '../../../../tests/support/product/checked-call.ts'

const USING_WALLETS =
  'query ($wallets: [Address!]) { block { logs(filter: {addresses: $wallets}) { data } } }'

const USING_EVENTS =
  'query ($wallets: [Bytes32!]) { block { logs(filter: {topics: [$wallets]}) { data } } }'

const FULL = 'all variables of a team on the tier free may have 5 items.'

let on: WebhookApi
const tier = { ...aTier({ variableItemsMax: 5 }) }

beforeEach(async () => {
  tier.variableItemsMax = 5
  on = await webhookApi({ tiers: new Map([['free', tier]]) })
})

afterEach(() => on.close())

describe('the items of all variables of a team', () => {
  test('are as many as its tier allows, and those of another team do not count', async () => {
    expect((await post('a', addresses(3))).status).toBe(201)
    const there = { token: on.other.token, body: { items: addresses(5) } }
    expect((await on.call('POST', '/api/graphql/variables/a', there)).status).toBe(201)
    expect((await post('b', addresses(2))).status).toBe(201)
    refused(await post('b', addresses(1, 9)), `items: ${FULL}`)
    refused(await post('c', addresses(1)), `items: ${FULL}`)
    refused(await patch('a', { add: addresses(1, 9) }), `add: ${FULL}`)
    expect(await totals()).toEqual([3, 2, null])
    // Items that are there already are no more than before.
    expect((await post('b', addresses(2))).status).toBe(201)
  })

  test('are as many when they come all at once', async () => {
    const calls = Array.from({ length: 12 }, (_, at) => post(at % 2 ? 'a' : 'b', addresses(1, at)))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(5)
    const [a, b] = await totals()
    expect((a ?? 0) + (b ?? 0)).toBe(5)
  })

  test('only become fewer where there are more than the tier allows', async () => {
    await post('a', addresses(5))
    tier.variableItemsMax = 2
    refused(await post('a', addresses(1, 9)), 'may have 2 items')
    expect((await patch('a', { delete: addresses(2) })).status).toBe(200)
    refused(await patch('a', { add: addresses(1, 9) }), 'may have 2 items')
    expect((await patch('a', { delete: addresses(4) })).status).toBe(200)
    expect((await patch('a', { add: addresses(1, 9) })).status).toBe(200)
    expect(await totals()).toEqual([2, null, null])
  })
})

describe('a variable of another kind than a query declares is refused and named', () => {
  const told = 'graphql_query: the variable wallets holds addresses; declare it as [Address!].'

  test('by create-webhook and update-webhook when it has its items', async () => {
    await post('wallets', addresses(1))
    refused(await on.create({ graphql_query: USING_EVENTS }), told)
    const { id } = await on.created({ graphql_query: USING_WALLETS })
    refused(await on.update({ webhook_id: id, graphql_query: USING_EVENTS }), told)
    expect((await on.list()).map((one: { graphql_query: unknown }) => one.graphql_query)).toEqual([
      { query: USING_WALLETS, skip_empty_messages: false },
    ])
  })

  test('by the variable when the webhook came first, until no webhook says otherwise', async () => {
    const { id } = await on.created({ graphql_query: USING_EVENTS })
    await on.created({ graphql_query: USING_WALLETS }, { token: on.other.token })
    const inUse = `items: the query of the webhook ${id} declares wallets as a variable of the other`
    refused(await post('wallets', addresses(1)), inUse)
    await on.update({ webhook_id: id, graphql_query: USING_WALLETS, name: 'changed' })
    expect((await post('wallets', addresses(1))).status).toBe(201)
    await on.call('DELETE', '/api/graphql/variables/wallets')
    await on.update({ webhook_id: id, graphql_query: USING_EVENTS })
    await on.call('DELETE', `/api/delete-webhook?webhook_id=${id}`)
    expect((await post('wallets', addresses(1))).status).toBe(201)
  })

  test('which a variable of a similar name is not', async () => {
    const query = (name: string) => USING_EVENTS.replaceAll('wallets', name)
    for (const name of ['walletsX', 'Wallets', 'xwallets']) {
      await on.created({ graphql_query: query(name) })
    }
    expect((await post('wallets', addresses(1))).status).toBe(201)
    await on.created({ graphql_query: query('aXb') })
    expect((await post('a_b', addresses(1))).status).toBe(201)
  })

  test('whoever comes first when both come at once', async () => {
    const [webhook, variable] = await Promise.all([
      on.create({ graphql_query: USING_EVENTS }),
      post('wallets', addresses(1)),
    ])
    expect([webhook.status, variable.status].sort()).not.toEqual([200, 201])
  })
})

function post(name: string, items: readonly string[]): Promise<Answer> {
  return on.call('POST', `/api/graphql/variables/${name}`, { body: { items } })
}

function patch(name: string, body: unknown): Promise<Answer> {
  return on.call('PATCH', `/api/graphql/variables/${name}`, { body })
}

async function totals(): Promise<(number | null)[]> {
  const pages = ['a', 'b', 'c'].map((name) => on.call('GET', `/api/graphql/variables/${name}`))
  return (await Promise.all(pages)).map(({ body }) => body.pagination?.total_count ?? null)
}

function addresses(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, at) => `0x${(from + at).toString(16).padStart(40, '0')}`)
}

function refused({ status, body }: Answer, message: string) {
  expect([status, body.name]).toEqual([400, 'ValidationError'])
  expect(body.message).toContain(message)
}
