import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type WebhookApi, webhookApi } from '../../../../tests/support/deliveries/webhook-api.ts'
import { aTier } from '../../../../tests/support/product/a-tier.ts'
import type { Answer } from '../../../../tests/support/product/checked-call.ts'
import { sql } from '../../../ports/database.ts'
import { addItems, TEAM_VARIABLES_MAX } from '../../../tables/webhooks/variables.ts'

const CHECKSUMMED = '0xdAC17F958D2ee523a2206206994597C13D831ec7'
const USDT = CHECKSUMMED.toLowerCase()

const USING_WALLETS =
  'query ($wallets: [Address!]) { block { logs(filter: {addresses: $wallets}) { data } } }'

let on: WebhookApi

beforeEach(async () => {
  const free = aTier({ variableItemsMax: 20_000_000 })
  on = await webhookApi({ tiers: new Map([['free', free]]) })
})

afterEach(() => on.close())

describe('POST', () => {
  test('makes a variable of its first items: 201, lower case, each once', async () => {
    const { status, body } = await post({ items: [CHECKSUMMED, USDT, address(1)] })
    expect([status, body]).toEqual([201, {}])
    expect(await items()).toEqual([address(1), USDT])
    expect(on.seen.webhookChanges).toBe(1)
  })

  test('adds to one that is there', async () => {
    await post({ items: [address(1)] })
    expect((await post({ items: [address(2), address(1)] })).status).toBe(201)
    expect(await items()).toEqual([address(1), address(2)])
  })

  test('takes values of 32 bytes, and 10,000 at once', async () => {
    const topics = Array.from({ length: 10_000 }, (_, at) => bytes32(at))
    expect((await post({ items: topics }, 'topics')).status).toBe(201)
    const page = await on.call('GET', '/api/graphql/variables/topics?limit=10000')
    expect(page.body).toEqual({ data: topics, pagination: { cursors: {}, total_count: 10_000 } })
  })

  test.each([
    ['no items', { items: [] }, 'items must have at least one entry'],
    ['no list', { items: USDT }, 'items must be a list'],
    ['nothing', {}, 'items is required'],
    ['too many', { items: Array(10_001).fill(USDT) }, 'items must have at most 10000 entries'],
    ['a number', { items: [USDT, 5] }, 'items[1] must be a string'],
    ['null', { items: [null] }, 'items[0] must be a string'],
    ['a short one', { items: [USDT, USDT, '0x12'] }, 'items[2] must be an address or a value of'],
    ['no 0x', { items: [USDT.slice(2)] }, 'items[0] must be an address'],
    ['a letter too many', { items: [`${USDT.slice(0, -1)}g`] }, 'items[0] must be an address'],
    ['a line break behind', { items: [`${USDT}\n`] }, 'items[0] must be an address'],
    ['SQL', { items: [`'; DROP TABLE variables; --`] }, 'items[0] must be an address'],
    ['both kinds', { items: [USDT, USDT, bytes32(1)] }, 'items[2] is of another kind'],
    ['both kinds the other way', { items: [bytes32(1), USDT] }, 'items[1] is of another kind'],
    ['other fields', { items: [USDT], add: [USDT] }, 'add is not an option'],
  ])('refuses %s', async (_title, body, message) => {
    refused(await post(body), 400, 'ValidationError', message)
    expect((await on.call('GET', '/api/graphql/variables/wallets')).status).toBe(404)
    expect(on.seen.webhookChanges).toBe(0)
  })

  test('refuses items of another kind than the variable holds', async () => {
    await post({ items: [USDT] })
    const told = 'items: the variable wallets holds addresses.'
    refused(await post({ items: [bytes32(1)] }), 400, 'ValidationError', told)
    expect(await items()).toEqual([USDT])
  })

  test('refuses what would be over 10,000,000 items, all of it', async () => {
    await post({ items: [USDT] })
    await on.needs.database.query(sql`UPDATE variables SET item_count = ${9_999_999}`)
    const told = 'items: wallets would have more than 10000000 items.'
    refused(await post({ items: [address(1), address(2)] }), 400, 'ValidationError', told)
    expect(await items()).toEqual([USDT])
    expect((await post({ items: [address(1)] })).status).toBe(201)
  })

  test('refuses more variables than a team may have', async () => {
    const { database } = on.needs
    const kind = 'Address' as const
    for (let at = 0; at < TEAM_VARIABLES_MAX; at++) {
      await addItems(database, { teamId: on.teamId, name: `v${at}`, kind, items: [USDT] })
    }
    const told = 'name: a team may have 1000 variables.'
    refused(await post({ items: [USDT] }), 400, 'ValidationError', told)
    expect((await post({ items: [address(1)] }, 'v7')).status).toBe(201)
  })
})

describe('a name', () => {
  test.each(['a', '_', '__x', 'Wallets_2', 'n'.repeat(64)])('may be %s', async (name) => {
    expect((await post({ items: [USDT] }, name)).status).toBe(201)
    expect(await items(name)).toEqual([USDT])
  })

  test.each(['2nd', 'a-b', 'a.b', 'n'.repeat(65), '%20', 'a%0A', '%24a', 'caf%C3%A9', '%27%3B--'])(
    'may not be %s',
    async (name) => {
      const told = 'name must be a GraphQL name of up to 64'
      refused(await post({ items: [USDT] }, name), 400, 'ValidationError', told)
    },
  )

  test('is told apart by case', async () => {
    await post({ items: [USDT] }, 'Wallets')
    expect((await on.call('GET', '/api/graphql/variables/wallets')).status).toBe(404)
  })
})

describe('GET', () => {
  test('goes through all items page by page, each once', async () => {
    const all = Array.from({ length: 7 }, (_, at) => address(at))
    await post({ items: all.toReversed() })
    const seen: string[] = []
    const sizes: number[] = []
    let after = ''
    do {
      const path = `/api/graphql/variables/wallets?limit=3${after && `&after=${after}`}`
      const { body } = await on.call('GET', path)
      expect(body.pagination.total_count).toBe(7)
      seen.push(...body.data)
      sizes.push(body.data.length)
      after = body.pagination.cursors.after ?? ''
    } while (after)
    expect([seen, sizes]).toEqual([all, [3, 3, 1]])
  })

  test('has no cursor after the last page, even when that is full', async () => {
    await post({ items: [address(1), address(2)] })
    const { body } = await on.call('GET', '/api/graphql/variables/wallets?limit=2')
    expect(body.pagination).toEqual({ cursors: {}, total_count: 2 })
  })

  test('gives 100 items when it is not told how many', async () => {
    await post({ items: Array.from({ length: 101 }, (_, at) => address(at)) })
    const { body } = await on.call('GET', '/api/graphql/variables/wallets')
    expect([body.data.length, body.pagination.cursors.after]).toEqual([100, address(99)])
  })

  test('shows a variable whose items are all gone as empty', async () => {
    await post({ items: [USDT] })
    await patch({ delete: [USDT] })
    const { body } = await on.call('GET', '/api/graphql/variables/wallets')
    expect(body).toEqual({ data: [], pagination: { cursors: {}, total_count: 0 } })
  })

  test.each([
    ['limit=0', 'limit must be at least 1'],
    ['limit=10001', 'limit must be at most 10000'],
    ['limit=x', 'limit must be a whole number'],
    ['after=x', 'after must be what pagination.cursors.after'],
    ['page=2', 'no query parameter "page"'],
  ])('refuses %s', async (query, message) => {
    await post({ items: [USDT] })
    const answer = await on.call('GET', `/api/graphql/variables/wallets?${query}`)
    refused(answer, 400, 'ValidationError', message)
  })
})

describe('PATCH', () => {
  beforeEach(async () => {
    await post({ items: [USDT] })
    on.seen.webhookChanges = 0
  })

  test('adds', async () => {
    const { status, body } = await patch({ add: [CHECKSUMMED, address(1)] })
    expect([status, body]).toEqual([200, {}])
    expect(await items()).toEqual([address(1), USDT])
    expect(on.seen.webhookChanges).toBe(1)
  })

  test('deletes, whatever the spelling, and minds no items that are not there', async () => {
    await patch({ add: [address(1)] })
    const { status, body } = await patch({ delete: [CHECKSUMMED, address(9)] })
    expect([status, body]).toEqual([200, {}])
    expect(await items()).toEqual([address(1)])
  })

  test.each([
    ['both', { add: [address(1)], delete: [USDT] }, 'add, delete: give one of the two.'],
    ['neither', {}, 'add, delete: give one of the two.'],
    ['no items to add', { add: [] }, 'add must have at least one entry'],
    ['no items to delete', { delete: [] }, 'delete must have at least one entry'],
    ['a bad one to add', { add: [address(1), 'x'] }, 'add[1] must be an address'],
    ['a bad one to delete', { delete: ['x'] }, 'delete[0] must be an address'],
    ['both kinds to add', { add: [USDT, bytes32(1)] }, 'add[1] is of another kind'],
    ['both kinds to delete', { delete: [USDT, bytes32(1)] }, 'delete[1] is of another kind'],
    ['another kind to add', { add: [bytes32(1)] }, 'add: the variable wallets holds addresses.'],
    ['another kind to delete', { delete: [bytes32(1)] }, 'delete: the variable wallets holds'],
    ['items', { items: [USDT] }, 'items is not an option'],
  ])('refuses %s', async (_title, body, message) => {
    refused(await patch(body), 400, 'ValidationError', message)
    expect(await items()).toEqual([USDT])
    expect(on.seen.webhookChanges).toBe(0)
  })
})

describe('DELETE', () => {
  test('answers {}, with webhooks that name it too, and the name is free again', async () => {
    await post({ items: [USDT] })
    await on.created({ graphql_query: USING_WALLETS })
    const { status, body } = await on.call('DELETE', '/api/graphql/variables/wallets')
    expect([status, body]).toEqual([200, {}])
    expect((await on.call('GET', '/api/graphql/variables/wallets')).status).toBe(404)
    expect((await post({ items: [address(1)] })).status).toBe(201)
    expect(await items()).toEqual([address(1)])
  })
})

describe('a variable that is not there, or is another team’s, is 404', () => {
  test.each([
    ['GET', undefined],
    ['PATCH', { add: [USDT] }],
    ['PATCH', { delete: [USDT] }],
    ['DELETE', undefined],
  ])('to %s %j', async (method, body) => {
    await post({ items: [address(1)] })
    const there = { token: on.other.token, body }
    const foreign = await on.call(method, '/api/graphql/variables/wallets', there)
    refused(foreign, 404, 'NotFound', 'This team has no variable wallets.')
    refused(await on.call(method, '/api/graphql/variables/none', { body }), 404, 'NotFound', 'none')
    expect(await items()).toEqual([address(1)])
  })

  test('and two teams may use one name for lists of their own', async () => {
    await post({ items: [address(1)] })
    const there = { token: on.other.token, body: { items: [bytes32(2)] } }
    expect((await on.call('POST', '/api/graphql/variables/wallets', there)).status).toBe(201)
    expect(await items()).toEqual([address(1)])
  })
})

function post(body: unknown, name = 'wallets'): Promise<Answer> {
  return on.call('POST', `/api/graphql/variables/${name}`, { body })
}

function patch(body: unknown): Promise<Answer> {
  return on.call('PATCH', '/api/graphql/variables/wallets', { body })
}

async function items(name = 'wallets'): Promise<string[]> {
  return (await on.call('GET', `/api/graphql/variables/${name}`)).body.data
}

function address(at: number): string {
  return `0x${at.toString(16).padStart(40, '0')}`
}

function bytes32(at: number): string {
  return `0x${at.toString(16).padStart(64, '0')}`
}

function refused(answer: Answer, status: number, name: string, message: string) {
  expect([answer.status, answer.body.name]).toEqual([status, name])
  expect(answer.body.message).toContain(message)
}
