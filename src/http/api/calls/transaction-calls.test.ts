import { afterEach, beforeEach, expect, test } from 'bun:test'
import { managementApi } from '../../../../tests/management-api.ts'
import { recordSent, settleSent } from '../../../tables/sent/sent-transactions.ts'

const NETWORK = 'ETH_MAINNET'
const hashOf = (at: number) => `0x${at.toString(16).padStart(64, '0')}`

let api: Awaited<ReturnType<typeof managementApi>>
let appId: string
beforeEach(async () => {
  api = await managementApi()
  const app = { name: 'Sender', networks: [NETWORK] }
  appId = (await api.call('POST', '/api/apps', { body: app })).body.data.id
})
afterEach(() => api.close())

async function sent(count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, at) => ({
    appId,
    network: NETWORK,
    hash: hashOf(at),
    upstreams: ['a', 'b'],
    sentAtMs: at,
    isFollowed: true,
  }))
  await recordSent(api.needs.database, rows, 'us', 1000)
}

const list = (query = '', id = appId) => api.call('GET', `/api/apps/${id}/transactions${query}`)

test('an app’s transactions come newest first, page by page, each once', async () => {
  await sent(5)
  const seen: string[] = []
  let cursor = ''
  for (let page = 0; page < 3; page++) {
    const { status, body } = await list(`?limit=2${cursor}`)
    expect(status).toBe(200)
    seen.push(...body.data.map(({ hash }: { hash: string }) => hash))
    const { after } = body.pagination.cursors
    expect(after === undefined).toBe(page === 2)
    cursor = `&cursor=${after}`
  }
  expect(seen).toEqual([4, 3, 2, 1, 0].map(hashOf))
})

test('a transaction shows who took it and what became of it', async () => {
  await sent(2)
  const mined = { hash: hashOf(0), state: 'mined', blockNumber: 7 } as const
  await settleSent(api.needs.database, NETWORK, [mined], 2000)
  const { body } = await list('?state=mined')
  expect(body).toEqual({
    data: [
      {
        hash: hashOf(0),
        network: NETWORK,
        state: 'mined',
        block_number: 7,
        upstreams: ['a', 'b'],
        time_sent: 0,
        time_updated: 2000,
      },
    ],
    pagination: { cursors: {} },
  })
})

test('an app of nobody’s, or of another team, is not found', async () => {
  expect((await list('', 'app_none')).status).toBe(404)
})

test('a deleted app takes its log along', async () => {
  await sent(1)
  await api.call('DELETE', `/api/apps/${appId}`)
  expect((await list()).status).toBe(404)
})

test.each([
  ['?state=lost', 'state'],
  ['?limit=0', 'limit'],
  ['?limit=1001', 'limit'],
  ['?cursor=5', 'cursor'],
  [`?cursor=1-0x${'AB'.repeat(32)}`, 'cursor'],
  ["?cursor=1-0x'; DROP TABLE apps", 'cursor'],
])('%s is refused by the name of the field', async (query, field) => {
  const { status, body } = await list(query)
  expect({ status, name: body.name }).toEqual({ status: 400, name: 'ValidationError' })
  expect(body.message).toContain(field)
})
