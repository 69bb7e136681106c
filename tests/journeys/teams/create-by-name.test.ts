// Runs on both stores.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { NEW_WEBHOOK, type WebhookApi, webhookApi } from '../../support/deliveries/webhook-api.ts'

/** A kind of thing that a tool keeps as its files say, through its own calls. */
type Kind = {
  create: string
  list: string
  read(id: string): string
  token(): string
  /** A new one of this name; each of `differing` has another value than it. */
  body(name: string): Record<string, unknown>
  differing: Readonly<Record<string, Record<string, unknown>>>
}

const PEM = publicKey()

let on: WebhookApi

beforeAll(async () => {
  on = await webhookApi()
})

afterAll(() => on.close())

// A team may make so many calls a second, and only tests move the time.
beforeEach(() => {
  on.time.nowMs += 60_000
})

const KINDS: Readonly<Record<string, Kind>> = {
  app: {
    create: '/api/apps',
    list: '/api/apps',
    read: (id) => `/api/apps/${id}`,
    token: () => on.teamToken,
    body: (name) => ({
      name,
      networks: ['ETH_MAINNET', 'SOLANA_MAINNET'],
      description: 'Balances',
      allow: { methods: ['eth_*', 'net_*'], contracts: [`0x${'Ab'.repeat(20)}`] },
    }),
    differing: {
      networks: { networks: ['ETH_MAINNET'] },
      description: { description: '' },
      'allow.methods': { allow: { methods: ['eth_*'] } },
      'allow.ips': { allow: { ips: ['192.0.2.1'] } },
    },
  },
  webhook: {
    create: '/api/create-webhook',
    list: '/api/team-webhooks',
    read: (id) => `/api/webhooks/${id}`,
    token: () => on.teamToken,
    body: (name) => ({ ...NEW_WEBHOOK, name, ordered: true }),
    differing: {
      network: { network: 'BASE_MAINNET' },
      webhook_url: { webhook_url: 'https://receiver.example/other' },
      'graphql_query.query': { graphql_query: '{ block { hash } }' },
      'graphql_query.skip_empty_messages': {
        graphql_query: { query: NEW_WEBHOOK.graphql_query, skip_empty_messages: true },
      },
      ordered: { ordered: false },
      notify_removed: { notify_removed: true },
    },
  },
  'JWT key': {
    create: '/api/jwt-keys',
    list: '/api/jwt-keys',
    read: (id) => `/api/jwt-keys/${id}`,
    token: () => on.teamToken,
    body: (name) => ({ name, public_key: PEM }),
    differing: { public_key: { public_key: publicKey() } },
  },
  team: {
    create: '/api/teams',
    list: '/api/teams',
    read: (id) => `/api/teams/${id}`,
    token: () => on.operatorToken,
    body: (name) => ({ name, tier: 'free' }),
    differing: { tier: { tier: 'enterprise' } },
  },
}

describe.each(Object.entries(KINDS))('a create of a %s by its name', (kind, it) => {
  const create = (body: unknown, query = '?by_name=true') =>
    on.call('POST', it.create + query, { body, token: it.token() })
  const named = async (name: string) => {
    const { body } = await on.call('GET', it.list, { token: it.token() })
    return body.data.filter((one: { name: string }) => one.name === name)
  }

  test('makes it once, and then finds it', async () => {
    const first = await create(it.body('Once, 世界'))
    const second = await create(it.body('Once, 世界'))
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body.data.id).toBe(first.body.data.id)
    expect(await named('Once, 世界')).toHaveLength(1)
    // The token of a team is known to nobody any more; all else is shown again.
    const shown = kind === 'team' ? { token: null, token_id: null } : first.body.data
    expect(second.body.data).toMatchObject(shown)
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
  })

  test.each(Object.keys(it.differing))('is refused where %s differs', async (field) => {
    await create(it.body(`Differs in ${field}`))
    const other = { ...it.body(`Differs in ${field}`), ...it.differing[field] }
    const { status, body } = await create(other)
    expect([status, body.name]).toEqual([409, 'Conflict'])
    expect(body.message).toStartWith(`${field}: `)
    expect(await named(`Differs in ${field}`)).toHaveLength(1)
  })

  test('makes one, however many ask at the same time', async () => {
    const asked = Array.from({ length: 8 }, () => create(it.body('At once')))
    const answers = await Promise.all(asked)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1)
    expect(await named('At once')).toHaveLength(1)
  })

  test('does not guess which one is meant where several have the name', async () => {
    for (const query of ['', '?by_name=false']) await create(it.body('Twins'), query)
    const { status, body } = await create(it.body('Twins'))
    expect([status, body.name]).toEqual([409, 'Conflict'])
    expect(body.message).toStartWith('name: ')
  })

  test('is not made by a name that only looks alike', async () => {
    await create(it.body('Case'))
    await create(it.body('case'))
    expect(await named('Case')).toHaveLength(1)
    expect(await named('case')).toHaveLength(1)
  })

  test.each(['1', 'TRUE', '', 'true&by_name=true'])('refuses by_name=%s', async (value) => {
    const { status, body } = await create(it.body('Never'), `?by_name=${value}`)
    expect([status, body.name]).toEqual([400, 'ValidationError'])
    expect(await named('Never')).toHaveLength(0)
  })

  test('is read by the id that it keeps, with the ETag of its representation', async () => {
    const { id } = (await create(it.body('Read'))).body.data
    const read = () => on.call('GET', it.read(id), { token: it.token() })
    const [once, again] = [await read(), await read()]
    expect(once.body.data).toMatchObject({ id, name: 'Read' })
    expect(once.headers.get('etag')).toMatch(/^"[0-9a-f]{32}"$/)
    expect(again.headers.get('etag')).toBe(once.headers.get('etag'))
    const nobody = await on.call('GET', it.read(`${id}x`), { token: it.token() })
    expect([nobody.status, nobody.body.name]).toEqual([404, 'NotFound'])
  })

  test('is sent once to a client that has it already', async () => {
    const { id } = (await create(it.body('Known'))).body.data
    const read = (tags: string) =>
      fetch(on.url + it.read(id), {
        headers: { 'x-service-token': it.token(), 'if-none-match': tags },
      })
    const tag = (await read('"other"')).headers.get('etag') ?? ''
    for (const tags of [tag, `W/${tag}`, `"a,b" , ${tag}`, '*']) {
      const answer = await read(tags)
      expect([answer.status, await answer.text(), answer.headers.get('etag')]).toEqual([
        304,
        '',
        tag,
      ])
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
    expect((await read('"other", W/"x"')).status).toBe(200)
  })
})

test('another team finds nothing by a name, and reads nothing by an id', async () => {
  const { token } = on.other
  const bodies = [KINDS.app, KINDS.webhook, KINDS['JWT key']] as Kind[]
  for (const { create, read, body } of bodies) {
    const path = `${create}?by_name=true`
    const ours = await on.call('POST', path, { body: body('Ours') })
    expect((await on.call('GET', read(ours.body.data.id), { token })).status).toBe(404)
    const theirs = await on.call('POST', path, { body: body('Ours'), token })
    expect(theirs.body.data.id).not.toBe(ours.body.data.id)
  }
  const { status } = await on.call('GET', `/api/teams/${on.teamId}`, { token })
  expect(status).toBe(403)
})

test('a webhook that is there is found when the team may have no more', async () => {
  const full = await webhookApi({
    tiers: new Map([['free', { ...on.needs.tiers.get('free')!, webhooksMax: 1 }]]),
  })
  const create = (name: string) =>
    full.call('POST', '/api/create-webhook?by_name=true', { body: { ...NEW_WEBHOOK, name } })
  const made = await create('only')
  expect((await create('only')).body.data.id).toBe(made.body.data.id)
  expect((await create('more')).body.name).toBe('WebhookLimitReached')
  await full.close()
})

test('a webhook without a name cannot be found by it', async () => {
  for (const name of [{}, { name: '' }]) {
    const path = '/api/create-webhook?by_name=true'
    const { status, body } = await on.call('POST', path, { body: { ...NEW_WEBHOOK, ...name } })
    expect([status, body.message.split(':')[0]]).toEqual([400, 'name'])
  }
})

function publicKey(): string {
  const { publicKey } = generateKeyPairSync('ed25519')
  return publicKey.export({ type: 'spki', format: 'pem' }).toString()
}
