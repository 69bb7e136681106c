import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { managementApi, PUBLIC_URL } from '../../../../tests/management-api.ts'
import { type Browser, signedIn } from '../../../../tests/support/product/signed-in.ts'

type Headers = Record<string, string>

let api: Awaited<ReturnType<typeof managementApi>>
let browser: Browser

async function open(trustProxy = false) {
  api = await managementApi({ trustProxy })
  browser = await signedIn(api, api.teamToken)
}

beforeEach(() => open())
afterEach(() => api.close())

/** A request with the cookie and only these headers. */
async function statusOf(method: string, headers: Headers): Promise<number> {
  const body = method === 'PATCH' ? { body: { autoscaling: true } } : {}
  const cookie = { cookie: browser.cookie }
  const sent = { token: '', headers: { ...cookie, ...headers }, ...body }
  return (await api.call(method, '/api/team', sent)).status
}

describe('a change with a session', () => {
  test.each<[string, Headers]>([
    ['neither Origin nor Sec-Fetch-Site', {}],
    ['another origin', { origin: 'https://elsewhere.example' }],
    ['another port of the same host', { origin: 'http://127.0.0.1:1' }],
    ['another scheme of the same host', { origin: 'https://gate.example:8080' }],
    ['a name that begins like ours', { origin: `${PUBLIC_URL}.elsewhere.example` }],
    ['a name below ours', { origin: 'http://x.gate.example:8080' }],
    ['our host and a path', { origin: `${PUBLIC_URL}/` }],
    ['our host in capitals, which no browser sends', { origin: 'HTTP://GATE.EXAMPLE:8080' }],
    ['a sandboxed page', { origin: 'null' }],
    ['nothing', { origin: '' }],
    ['two origins', { origin: `${PUBLIC_URL}, ${PUBLIC_URL}` }],
    ['a form of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a form of another host of the site', { 'sec-fetch-site': 'same-site' }],
    ['a typed address, which changes nothing', { 'sec-fetch-site': 'none' }],
    ['an unknown word', { 'sec-fetch-site': 'SAME-ORIGIN' }],
    ['two words', { 'sec-fetch-site': 'same-origin, same-origin' }],
    ['our origin, and another site', { origin: PUBLIC_URL, 'sec-fetch-site': 'cross-site' }],
    ['a host that says so itself', { 'x-forwarded-host': 'a.example', origin: 'http://a.example' }],
  ])('is refused from %s', async (_title, headers) => {
    expect(await statusOf('PATCH', headers)).toBe(403)
    expect((await browser.call('GET', '/api/team')).body.data.autoscaling).toBe(false)
  })

  test.each<[string, Headers]>([
    ['the public address', { origin: PUBLIC_URL }],
    ['there, as a browser says it', { origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin' }],
    ['the same origin, where Origin is absent', { 'sec-fetch-site': 'same-origin' }],
    ['the host that was asked', { origin: 'http://own.example:99', host: 'own.example:99' }],
    ['it in capitals', { origin: 'http://own.example', host: 'OWN.example' }],
    ['it with the port that http has', { origin: 'http://own.example', host: 'own.example:80' }],
    ['an IPv6 address', { origin: 'http://[::1]:8080', host: '[::1]:8080' }],
    ['a host below the domain', { origin: 'http://eth.localhost', host: 'eth.localhost' }],
  ])('is taken from %s', async (_title, headers) => {
    expect(await statusOf('PATCH', headers)).toBe(200)
  })

  test('says what to set where its own pages are refused', async () => {
    const headers = { cookie: browser.cookie, origin: 'https://gate.example' }
    const { body } = await api.call('DELETE', '/api/session', { token: '', headers })
    expect(body).toMatchObject({ name: 'Forbidden', message: expect.stringContaining('publicUrl') })
    expect((await browser.call('GET', '/api/session')).status).toBe(200)
  })
})

describe('behind a trusted proxy', () => {
  beforeEach(async () => {
    await api.close()
    await open(true)
  })
  const asked = { host: 'internal:8080' }

  test.each<[string, Headers]>([
    [
      'its scheme',
      { host: 'a.example', 'x-forwarded-proto': 'https', origin: 'https://a.example' },
    ],
    ['its host', { ...asked, 'x-forwarded-host': 'a.example', origin: 'http://a.example' }],
    [
      'both, the last of several',
      {
        ...asked,
        'x-forwarded-host': 'b.example, a.example',
        'x-forwarded-proto': 'http, HTTPS',
        origin: 'https://a.example',
      },
    ],
  ])('the address that the client has asked is known by %s', async (_title, headers) => {
    expect(await statusOf('PATCH', headers)).toBe(200)
  })

  test.each<[string, Headers]>([
    [
      'another scheme',
      { host: 'a.example', 'x-forwarded-proto': 'https', origin: 'http://a.example' },
    ],
    ['a host that is none', { 'x-forwarded-host': 'x@a.example', origin: 'http://a.example' }],
    ['a host with a path', { 'x-forwarded-host': 'a.example/x', origin: 'http://a.example' }],
    [
      'a host that was forwarded first',
      { 'x-forwarded-host': 'b.example, a.example', origin: 'http://b.example' },
    ],
    [
      'another scheme than these',
      { host: 'a.example', 'x-forwarded-proto': 'ftp', origin: 'ftp://a.example' },
    ],
  ])('%s is refused', async (_title, headers) => {
    expect(await statusOf('PATCH', headers)).toBe(403)
  })
})

describe('a question with a session', () => {
  test.each<[string, Headers, number]>([
    ['no header at all', {}, 200],
    ['the page itself', { 'sec-fetch-site': 'same-origin' }, 200],
    ['a typed address', { 'sec-fetch-site': 'none' }, 200],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another host of the site', { 'sec-fetch-site': 'same-site' }, 403],
    ['a word that is none', { 'sec-fetch-site': 'x' }, 403],
    ['a script of another origin', { origin: 'https://elsewhere.example' }, 403],
  ])('from %s: %j is answered with %d', async (_title, headers, status) => {
    expect(await statusOf('GET', headers)).toBe(status)
  })
})

describe('signing in', () => {
  test.each<[string, Headers, number]>([
    ['no browser', {}, 200],
    ['our own page', { origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin' }, 200],
    ['a page of another origin', { origin: 'https://elsewhere.example' }, 403],
    ['a form of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another host of the site', { 'sec-fetch-site': 'same-site', origin: PUBLIC_URL }, 403],
    ['a sandboxed page', { origin: 'null' }, 403],
  ])('from %s: %j is answered with %d', async (_title, headers, status) => {
    const body = { token: api.teamToken }
    const answer = await api.call('POST', '/api/session', { token: '', body, headers })
    expect([answer.status, answer.headers.has('set-cookie')]).toEqual([status, status === 200])
  })
})
