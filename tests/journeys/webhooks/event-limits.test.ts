// Runs on both stores.
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type EventClient, listen } from '../../support/deliveries/event-client.ts'
import { type ChainNode, startChainNode } from '../../support/nodes/chain-node.ts'
import { openPage } from '../../support/pages/page.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

setDefaultTimeout(30_000)

/** As the contract has it. */
const TEAM_STREAMS_MAX = 20

let node: ChainNode
let headgate: TestHeadgate
const clients: EventClient[] = []

const networks = () =>
  JSON.stringify([
    {
      id: 'ETH_MAINNET',
      kind: 'evm',
      chainId: 1,
      verify: 'off',
      blockTimeMs: 1000,
      headPollMs: 100,
      upstreams: [{ name: node.name, url: node.url }],
    },
  ])

beforeAll(async () => {
  node = startChainNode(1)
  headgate = await startHeadgate({ env: { HEADGATE_NETWORKS: networks() } })
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  await until(async () => (await openStreams()) === 0, 'all streams are over')
})
afterAll(async () => {
  await headgate.stop()
  node.stop()
})

describe('a stream of events', () => {
  test('is for those with a token, and only for what there is', async () => {
    expect((await fetch(`${headgate.url}/api/events`)).status).toBe(401)
    expect((await headgate.api('GET', '/api/events', undefined, 'x'.repeat(32))).status).toBe(401)
    expect((await headgate.api('POST', '/api/events', {})).status).toBe(405)
    const missing = await headgate.api('GET', '/api/events?webhook_id=wh_0000000000000000')
    expect([missing.status, missing.json.name]).toEqual([404, 'NotFound'])
  })

  test.each([
    ['topics=', 'topics must be one or several of heads'],
    ['topics=all', 'topics must be'],
    ['topics=heads,', 'topics must be'],
    ['topics=heads%0Adeliveries', 'topics must be'],
    ['topics=heads&topics=usage', 'topics is given more than once'],
    [`topics=${'heads,'.repeat(1000)}heads`, 'topics'],
    ['webhook_id=', 'webhook_id'],
    ['webhook_id=%00', 'webhook_id'],
    [`last_event_id=${'x'.repeat(101)}`, 'last_event_id'],
    ['since=1', 'no query parameter "since"'],
  ])('refuses ?%s', async (query, message) => {
    const { status, json } = await headgate.api('GET', `/api/events?${query}`)
    expect([status, json.name]).toEqual([400, 'ValidationError'])
    expect(json.message).toContain(message)
  })

  test('takes an id of any kind to come back with, and says that it knows nothing of it', async () => {
    const hostile = ["' OR 1=1 --", 'a.1', '..', 'é'.repeat(40), '9'.repeat(100)]
    for (const id of hostile) {
      const query = `?topics=webhooks&last_event_id=${encodeURIComponent(id)}`
      const client = await heard({ query })
      await client.hears('gap', ({ reason }) => reason === 'too_old')
    }
    const headers = { 'last-event-id': 'x'.repeat(5_000) }
    const refused = await fetch(`${headgate.url}/api/events`, {
      headers: { 'x-service-token': headgate.teamToken, ...headers },
    })
    expect(refused.status).toBe(400)
  })

  test('is neither stored, changed nor held back on its way', async () => {
    const { response } = await heard({ headers: { 'accept-encoding': 'gzip, zstd' } })
    expect(response.headers.get('content-encoding')).toBeNull()
    expect(response.headers.get('cache-control')).toContain('no-store')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
  })

  test('ends when its token is revoked, and no other does', async () => {
    const { json } = await headgate.api('GET', '/api/team')
    const path = `/api/teams/${json.data.id}/tokens`
    const made = await headgate.api('POST', path, { name: 'new' }, headgate.operatorToken)
    const { id, token } = made.json.data
    const client = await listen(headgate.url, token, { query: '?topics=webhooks' })
    const other = await heard({ query: '?topics=webhooks' })
    await headgate.api('DELETE', `/api/tokens/${id}`, undefined, headgate.operatorToken)
    await client.ended
    const { status } = await headgate.api('GET', '/api/events', undefined, token)
    expect(status).toBe(401)
    let isOver = false
    void other.ended.then(() => {
      isOver = true
    })
    await Bun.sleep(0)
    expect(isOver).toBe(false)
  })

  test('ends when the one who opened it signs out, in whichever tab', async () => {
    const page = await openPage(headgate.url, { token: headgate.teamToken })
    const headers = { cookie: `headgate_session=${page.secret}` }
    const tabs = [await heard({ headers }, ''), await heard({ headers }, '')]
    const other = await openPage(headgate.url, { token: headgate.teamToken })
    expect((await page.call('DELETE', '/api/session')).status).toBe(200)
    for (const tab of tabs) expect(await tab.ended).toBe('in order')
    expect((await other.call('GET', '/api/session')).status).toBe(200)
  })

  test(`is one of ${TEAM_STREAMS_MAX} of a team, and a place is free when one is left`, async () => {
    for (let at = 0; at < TEAM_STREAMS_MAX; at++) await heard({ query: '?topics=webhooks' })
    const refused = await headgate.api('GET', '/api/events')
    expect([refused.status, refused.json.name]).toEqual([429, 'TooManyRequests'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.json.message).toContain(`${TEAM_STREAMS_MAX} streams`)
    const other = await newTeam()
    clients.push(await listen(headgate.url, other, { query: '?topics=webhooks' }))
    clients.shift()?.close()
    const isFree = async () => (await openStreams()) === TEAM_STREAMS_MAX
    await until(isFree, 'one is left')
    await heard({ query: '?topics=webhooks' })
  })
})

describe('a stop', () => {
  test('waits for no stream, and each one ends in order', async () => {
    const stopped = await startHeadgate({ env: { HEADGATE_NETWORKS: networks() } })
    const all = await Promise.all(
      [1, 2, 3].map(() => listen(stopped.url, stopped.teamToken, { query: '?topics=heads' })),
    )
    for (const client of all) await client.hears('head', () => true)
    await stopped.stop()
    // Cut off they would be if the stop had waited for them in vain.
    expect(await Promise.all(all.map(({ ended }) => ended))).toEqual(all.map(() => 'in order'))
  })
})

async function heard(
  options: Parameters<typeof listen>[2],
  token = headgate.teamToken,
): Promise<EventClient> {
  const client = await listen(headgate.url, token, options)
  clients.push(client)
  return client
}

async function newTeam(): Promise<string> {
  const team = { name: 'Other', tier: 'free' }
  const { json } = await headgate.api('POST', '/api/teams', team, headgate.operatorToken)
  return json.data.token
}

const openStreams = () => metric('headgate_event_streams')

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${headgate.url}/metrics`)).text()
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return Number(line?.split(' ').at(-1) ?? 0)
}
