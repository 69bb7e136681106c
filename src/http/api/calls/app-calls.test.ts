import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { managementApi, PUBLIC_URL, START_MS } from '../../../../tests/management-api.ts'
import { hashKey } from '../../../core/access/hash-key.ts'
import { findAppByKeyHash } from '../../../tables/accounts/apps.ts'
import { readRevision } from '../../../tables/sql/revisions.ts'

let api: Awaited<ReturnType<typeof managementApi>>

beforeEach(async () => {
  api = await managementApi()
})

afterEach(() => api.close())

const WALLET = { name: 'Wallet', networks: ['ETH_MAINNET', 'SOLANA_MAINNET'] }

async function createdApp(body: unknown = WALLET) {
  const { status, body: reply } = await api.call('POST', '/api/apps', { body })
  expect(status).toBe(200)
  return reply.data
}

describe('an app', () => {
  test('is created with a key and a URL for each network', async () => {
    const app = await createdApp({ ...WALLET, description: 'two\nlines' })
    expect(app).toEqual({
      id: expect.stringMatching(/^app_[a-z0-9]{16}$/),
      name: 'Wallet',
      description: 'two\nlines',
      networks: ['ETH_MAINNET', 'SOLANA_MAINNET'],
      is_active: true,
      allow: { origins: [], ips: [], methods: [], contracts: [] },
      key: expect.stringMatching(/^[a-z0-9]{32}$/),
      urls: {
        ETH_MAINNET: `${PUBLIC_URL}/eth-mainnet/v2/${app.key}`,
        SOLANA_MAINNET: `${PUBLIC_URL}/sol/v2/${app.key}`,
      },
      time_created: START_MS,
    })
  })

  test('is created with allow-lists, which are changed one by one', async () => {
    const ips = ['10.0.0.1/8']
    const { id, allow } = await createdApp({ ...WALLET, allow: { ips } })
    expect(allow).toEqual({ origins: [], ips: ['10.0.0.0/8'], methods: [], contracts: [] })
    const change = { allow: { methods: ['eth_*'], ips: [] } }
    const { body } = await api.call('PATCH', `/api/apps/${id}`, { body: change })
    expect(body.data.allow).toEqual({ origins: [], ips: [], methods: ['eth_*'], contracts: [] })
  })

  test.each([
    [{ ips: ['10.0.0.0/8', '10.0.0.0/99'] }, 'allow.ips[1] must be an IP address'],
    [{ ips: Array.from({ length: 101 }, () => '10.0.0.1') }, 'allow.ips must have at most 100'],
    [{ origins: ['https://x/y'] }, 'allow.origins[0] must be an origin'],
    [{ contracts: [7] }, 'allow.contracts[0] must be a string'],
    [{ methods: [''] }, 'allow.methods[0] must not be empty'],
    [{ origin: [] }, 'allow.origin is not an option; did you mean origins?'],
    [null, 'allow must be an object'],
  ])('takes no allow-lists such as %j, and says where', async (allow, message) => {
    const { id } = await createdApp()
    for (const [method, path, body] of [
      ['PATCH', `/api/apps/${id}`, { allow }],
      ['POST', '/api/apps', { ...WALLET, allow }],
    ] as const) {
      const answer = await api.call(method, path, { body })
      expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError'])
      expect(answer.body.message).toContain(message)
    }
  })

  test('is found by its key as soon as it is created', async () => {
    const { id, key } = await createdApp()
    const found = await findAppByKeyHash(api.needs.database, hashKey(key))
    expect(found?.app.id).toBe(id)
  })

  test('can be read again, key included, alone and in the list', async () => {
    const first = await createdApp()
    const second = await createdApp({ name: 'Second', networks: ['ETH_MAINNET'] })
    expect((await api.call('GET', `/api/apps/${first.id}`)).body).toEqual({ data: first })
    const listed = (await api.call('GET', '/api/apps')).body.data
    expect(listed).toHaveLength(2)
    expect(listed).toContainEqual(first)
    expect(listed).toContainEqual(second)
  })

  test.each([
    [{ name: 'Renamed' }],
    [{ description: 'new words' }],
    [{ networks: ['SOLANA_MAINNET'] }],
    [{ is_active: false }],
    [{ name: 'All', description: '', networks: ['ETH_MAINNET'], is_active: false }],
    [{}],
  ])('changes only what is given: %j', async (change) => {
    const { urls, ...before } = await createdApp()
    const changed = await api.call('PATCH', `/api/apps/${before.id}`, { body: change })
    expect(changed.status).toBe(200)
    expect(changed.body.data).toMatchObject({ ...before, ...change })
    expect(Object.keys(changed.body.data.urls)).toEqual(changed.body.data.networks)
    expect((await api.call('GET', `/api/apps/${before.id}`)).body).toEqual(changed.body)
  })

  test('gets a new key by rotation, and the old one is unknown from then on', async () => {
    const before = await createdApp()
    const rotated = await api.call('POST', `/api/apps/${before.id}/rotate-key`)
    const { key } = rotated.body.data
    expect(key).toMatch(/^[a-z0-9]{32}$/)
    expect(key).not.toBe(before.key)
    expect(rotated.body.data.urls.ETH_MAINNET).toBe(`${PUBLIC_URL}/eth-mainnet/v2/${key}`)
    expect(await findAppByKeyHash(api.needs.database, hashKey(before.key))).toBeNull()
    expect((await findAppByKeyHash(api.needs.database, hashKey(key)))?.app.id).toBe(before.id)
    expect((await api.call('GET', `/api/apps/${before.id}`)).body).toEqual(rotated.body)
  })

  test('is gone with its key after deletion', async () => {
    const { id, key } = await createdApp()
    const deleted = await api.call('DELETE', `/api/apps/${id}`)
    expect([deleted.status, deleted.body]).toEqual([200, {}])
    expect(await findAppByKeyHash(api.needs.database, hashKey(key))).toBeNull()
    expect((await api.call('GET', `/api/apps/${id}`)).status).toBe(404)
  })

  test('shows no URL for a network that is not configured any more', async () => {
    const networks = [{ id: 'ETH_MAINNET', slug: 'eth-mainnet' }]
    const other = await managementApi({ networks: () => networks })
    const body = { name: 'Wallet', networks: ['ETH_MAINNET'] }
    const { id } = (await other.call('POST', '/api/apps', { body })).body.data
    networks.pop()
    const app = (await other.call('GET', `/api/apps/${id}`)).body.data
    expect([app.networks, app.urls]).toEqual([['ETH_MAINNET'], {}])
    await other.close()
  })

  test('tells every process of each change, and of nothing else', async () => {
    const revision = () => readRevision(api.needs.database, 'accounts')
    const before = await revision()
    const { id } = await createdApp()
    await api.call('PATCH', `/api/apps/${id}`, { body: { name: 'x' } })
    await api.call('POST', `/api/apps/${id}/rotate-key`)
    await api.call('GET', '/api/apps')
    await api.call('DELETE', `/api/apps/${id}`)
    await api.call('DELETE', `/api/apps/${id}`)
    expect(api.seen.changes).toBe(4)
    expect(await revision()).toBeGreaterThanOrEqual(before + 4)
  })
})

describe('an app that the team does not have is not found', () => {
  test.each([
    ['GET', '', undefined],
    ['PATCH', '', { name: 'x' }],
    ['DELETE', '', undefined],
    ['POST', '/rotate-key', undefined],
  ])('%s /api/apps/{id}%s', async (method, tail, body) => {
    const foreign = await createdApp()
    const operator = { token: api.operatorToken }
    const team = { name: 'Other', tier: 'free' }
    const { token } = (await api.call('POST', '/api/teams', { ...operator, body: team })).body.data
    for (const id of [foreign.id, 'app_0000000000000000', 'nonsense', "'; DROP TABLE apps; --"]) {
      const path = `/api/apps/${encodeURIComponent(id)}${tail}`
      const answer = await api.call(method, path, { token, body })
      expect([answer.status, answer.body.name]).toEqual([404, 'NotFound'])
    }
    expect((await api.call('GET', `/api/apps/${foreign.id}`)).body).toEqual({ data: foreign })
  })
})

describe('a wrong body is refused with the name of the field', () => {
  const networks = ['ETH_MAINNET']
  test.each([
    ['no name', { networks }, 'name'],
    ['an empty name', { name: '', networks }, 'name'],
    ['a name of 101 characters', { name: 'x'.repeat(101), networks }, 'name'],
    ['a name that is a number', { name: 7, networks }, 'name'],
    ['a line break in the name', { name: 'a\nb', networks }, 'name'],
    ['a NUL in the name', { name: 'a\0b', networks }, 'name'],
    ['half a character in the name', { name: 'a\ud800b', networks }, 'name'],
    ['a NUL in the description', { name: 'x', description: '\0', networks }, 'description'],
    ['a description that is null', { name: 'x', description: null, networks }, 'description'],
    ['no networks', { name: 'x' }, 'networks'],
    ['an empty list', { name: 'x', networks: [] }, 'networks'],
    ['one twice', { name: 'x', networks: ['ETH_MAINNET', 'ETH_MAINNET'] }, 'networks'],
    ['a word for a list', { name: 'x', networks: 'ETH_MAINNET' }, 'networks'],
    ['a list in the list', { name: 'x', networks: [['ETH_MAINNET']] }, 'networks'],
    ['an unknown field', { name: 'x', networks, colour: 'red' }, 'colour'],
    ['a field of ours', { name: 'x', networks, key: 'mine' }, 'key'],
    ['a list for an object', [], ''],
    ['null for an object', null, ''],
  ])('%s', async (_title, body, field) => {
    const answer = await api.call('POST', '/api/apps', { text: JSON.stringify(body) })
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError'])
    expect(answer.body.message).toContain(field)
    expect((await api.call('GET', '/api/apps')).body.data).toEqual([])
  })

  test('a member called __proto__ is refused and changes nothing', async () => {
    const text = '{"name":"x","networks":["ETH_MAINNET"],"__proto__":{"is_active":false}}'
    const answer = await api.call('POST', '/api/apps', { text })
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError'])
  })

  test.each(['POST', 'PATCH'])('%s names the networks that are possible', async (method) => {
    const path = method === 'POST' ? '/api/apps' : `/api/apps/${(await createdApp()).id}`
    const body = { name: 'x', networks: ['ETH_MAINNET', 'DOGE_MAINNET'] }
    const answer = await api.call(method, path, { body })
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError'])
    expect(answer.body.message).toMatch(/networks.*DOGE_MAINNET.*ETH_MAINNET, SOLANA_MAINNET/)
  })

  test('100 characters outside of the basic plane are 100 characters', async () => {
    const app = await createdApp({ name: '🔑'.repeat(100), networks })
    expect(app.name).toBe('🔑'.repeat(100))
  })
})
