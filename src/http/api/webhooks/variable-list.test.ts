import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type WebhookApi, webhookApi } from '../../../../tests/support/deliveries/webhook-api.ts'
import { aTier } from '../../../../tests/support/product/a-tier.ts'
import { sql, sqlRows } from '../../../ports/database.ts'
import { TEAM_VARIABLES_MAX } from '../../../tables/webhooks/variables.ts'

const ITEMS_MAX = 20_000

let on: WebhookApi

beforeEach(async () => {
  on = await webhookApi({ tiers: new Map([['free', aTier({ variableItemsMax: ITEMS_MAX })]]) })
})

afterEach(() => on.close())

describe('GET /api/graphql/variables', () => {
  test('has nothing to list at first', async () => {
    expect(await list()).toEqual({ data: [], items: 0, items_max: ITEMS_MAX })
  })

  test('lists name, kind and how many items, by name', async () => {
    await put('wallets', [address(1), address(2)])
    await put('Topics', [`0x${'0'.repeat(63)}1`])
    await put('_own', [address(1)])
    expect(await list()).toEqual({
      data: [
        { name: 'Topics', kind: 'Bytes32', items: 1, webhook_ids: [] },
        { name: '_own', kind: 'Address', items: 1, webhook_ids: [] },
        { name: 'wallets', kind: 'Address', items: 2, webhook_ids: [] },
      ],
      items: 4,
      items_max: ITEMS_MAX,
    })
  })

  test('counts what is left after items were taken out, and no deleted variable', async () => {
    await put('wallets', [address(1), address(2)])
    await put('gone', [address(1)])
    await on.call('PATCH', '/api/graphql/variables/wallets', { body: { delete: [address(1)] } })
    await on.call('DELETE', '/api/graphql/variables/gone')
    const { data, items } = await list()
    expect(data.map(({ name, items }: Listed) => [name, items])).toEqual([['wallets', 1]])
    expect(items).toBe(1)
  })

  test('names the webhooks whose queries use it, and none that were deleted', async () => {
    await put('wallets', [address(1)])
    await put('other', [address(1)])
    const ids = [await using('wallets'), await using('wallets'), await using('missing')]
    const deleted = await using('wallets')
    await on.call('DELETE', `/api/delete-webhook?webhook_id=${deleted}`)
    const { data } = await list()
    const users = Object.fromEntries(data.map((each: Listed) => [each.name, each.webhook_ids]))
    expect(users).toEqual({ other: [], wallets: ids.slice(0, 2).sort() })
  })

  test('shows nothing of another team', async () => {
    await put('wallets', [address(1)])
    const theirs = await on.call('GET', '/api/graphql/variables', { token: on.other.token })
    expect(theirs.body).toEqual({ data: [], items: 0, items_max: ITEMS_MAX })
  })

  test('is whole with as many variables as a team may have', async () => {
    const names = Array.from({ length: TEAM_VARIABLES_MAX }, (_, at) => `v${1000 + at}`)
    const rows = names.map((name, at) => [-at, on.teamId, name, 'Address', 7, 0, 0, -at] as const)
    await on.needs.database.query(sql`
      INSERT INTO variables
        (id, team_id, name, kind, item_count, removed_count, is_gone, revision)
      VALUES ${sqlRows(rows)}`)
    const { data, items } = await list()
    expect(data.map(({ name }: Listed) => name)).toEqual(names)
    expect(items).toBe(7 * TEAM_VARIABLES_MAX)
  })
})

type Listed = { name: string; items: number; webhook_ids: string[] }

async function list() {
  const { status, body } = await on.call('GET', '/api/graphql/variables')
  expect(status).toBe(200)
  return body
}

async function put(name: string, items: string[]): Promise<void> {
  const { status } = await on.call('POST', `/api/graphql/variables/${name}`, { body: { items } })
  expect(status).toBe(201)
}

/** The id of a new webhook whose query names the variable. */
async function using(name: string): Promise<string> {
  const filter = `{addresses: [{to: $${name}}]}`
  const query = `query ($${name}: [Address!]) { block { transactions(filter: ${filter}) { hash } } }`
  return (await on.created({ graphql_query: query })).id
}

function address(at: number): string {
  return `0x${at.toString(16).padStart(40, '0')}`
}
