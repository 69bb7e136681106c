import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { managementApi, PUBLIC_URL, START_MS } from '../../../../tests/management-api.ts'
import {
  attributesOf,
  type Browser,
  cookieOf,
  signedIn,
} from '../../../../tests/support/product/signed-in.ts'
import { hashKey } from '../../../core/access/hash-key.ts'
import { sql } from '../../../ports/database.ts'
import { OPEN_API } from '../../contract/open-api-document.ts'

const DAY_MS = 86_400_000
const LINK = 'l'.repeat(32)

let api: Awaited<ReturnType<typeof managementApi>>

beforeEach(async () => {
  api = await managementApi()
})

afterEach(() => api.close())

function signIn(body: unknown, headers: Record<string, string> = {}) {
  return api.call('POST', '/api/session', { token: '', body, headers })
}

function storedSessions(): Promise<Record<string, unknown>[]> {
  return api.needs.database.query(sql`SELECT * FROM sessions ORDER BY id`)
}

describe('signing in', () => {
  test('with a team’s token tells who is signed in, and sets a cookie that no page can read', async () => {
    const answer = await signIn({ token: api.teamToken })
    const { id, ...rest } = answer.body.data
    expect(id).toMatch(/^ses_[a-z0-9]{16}$/)
    expect(rest).toEqual({
      kind: 'team',
      team: { id: api.teamId, name: 'Payments', tier: 'free' },
      token: { id: expect.stringMatching(/^tok_/), name: 'first' },
      local_development: false,
      version: OPEN_API.info.version,
      public_url: PUBLIC_URL,
      time_created: START_MS,
      time_expires: START_MS + 7 * DAY_MS,
    })
    expect(cookieOf(answer)).toMatch(/^headgate_session=[a-z0-9]{32}$/)
    expect(attributesOf(answer)).toEqual([
      'HttpOnly',
      'Max-Age=2592000',
      'Path=/',
      'SameSite=Strict',
    ])
    expect(answer.headers.getSetCookie()).toHaveLength(1)
  })

  test('with the operator’s token belongs to no team', async () => {
    const { body } = await signIn({ token: api.operatorToken })
    expect(body.data).toMatchObject({
      kind: 'operator',
      team: null,
      token: { id: api.operatorTokenId, name: 'operator' },
    })
  })

  test('keeps neither the token nor the cookie, but the SHA-256 of the cookie', async () => {
    const { cookie } = await signedIn(api, api.teamToken)
    const secret = cookie.split('=')[1] ?? ''
    const [stored] = await storedSessions()
    expect(stored?.hash).toBe(hashKey(secret))
    expect(JSON.stringify([stored, api.logged])).not.toContain(secret)
    expect(JSON.stringify([stored, api.logged])).not.toContain(api.teamToken)
  })

  test('makes the cookie a secure one where the instance is reached over https', async () => {
    const other = await managementApi({ publicUrl: 'https://gate.example' })
    const body = { token: other.teamToken }
    const answer = await other.call('POST', '/api/session', { token: '', body })
    expect(attributesOf(answer)).toContain('Secure')
    await other.close()
  })

  test.each([
    [true, 'https', true],
    [true, 'http', false],
    [false, 'https', false],
  ])(
    'believes a proxy about https only where it is trusted: %p, %s',
    async (trustProxy, proto, is) => {
      const other = await managementApi({ trustProxy })
      const body = { token: other.teamToken }
      const headers = { 'x-forwarded-proto': proto }
      const answer = await other.call('POST', '/api/session', { token: '', body, headers })
      expect(attributesOf(answer).includes('Secure')).toBe(is)
      await other.close()
    },
  )

  test('anew in the same browser ends the session before', async () => {
    const first = await signedIn(api, api.teamToken)
    await signIn({ token: api.teamToken }, { cookie: first.cookie })
    expect((await first.call('GET', '/api/session')).status).toBe(401)
    expect(await storedSessions()).toHaveLength(1)
  })

  test('notes the address and what the browser calls itself, cut and without odd characters', async () => {
    const agent = `Mozilla\t\x1f${'é'.repeat(300)}`
    await signIn({ token: api.teamToken }, { 'user-agent': agent.replace('\x1f', '') })
    const [stored] = await storedSessions()
    expect(stored?.address).toBe('192.0.2.1')
    expect(String(stored?.user_agent)).toMatch(/^Mozilla[^\p{Cc}\p{Cs}]{193}$/u)
  })

  test('signs the oldest out where a token has more than fifty', async () => {
    const browsers: Browser[] = []
    for (let at = 0; at < 52; at++) {
      api.time.nowMs += 1000
      browsers.push(await signedIn(api, api.teamToken))
    }
    await signedIn(api, api.operatorToken)
    expect(await storedSessions()).toHaveLength(51)
    const statuses = await Promise.all(
      [0, 1, 2, 51].map((at) => browsers[at]?.call('GET', '/api/session')),
    )
    expect(statuses.map((answer) => answer?.status)).toEqual([401, 401, 200, 200])
  })

  test('removes sessions that have expired, a hundred at a time', async () => {
    const { database } = api.needs
    const rows = Array.from({ length: 150 }, (_, at) => [`ses_${at}`, `hash ${at}`])
    await database.each(
      sql`INSERT INTO sessions VALUES (${''}, ${''}, NULL, ${'t'}, '', '', 0, 0, 1)`,
      rows.map(([id = '', hash = '']) => [id, hash, 't']),
    )
    await signIn({ token: api.teamToken })
    expect(await storedSessions()).toHaveLength(51)
    await signIn({ token: api.teamToken })
    expect(await storedSessions()).toHaveLength(2)
  })
})

describe('an attempt', () => {
  test.each([
    [{ token: 'x'.repeat(32) }, 'an unknown token'],
    [{ token: 'x' }, 'a short one'],
    [{ token: 'é😀' }, 'an odd one'],
  ])('with %j is refused with 401 and sets no cookie', async (body) => {
    const answer = await signIn(body)
    expect([answer.status, answer.body]).toEqual([
      401,
      { name: 'Unauthorized', message: 'The token is unknown or was revoked.' },
    ])
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  test.each([
    [{}, /one of token and link/],
    [{ token: 'a', link: 'b' }, /one of token and link/],
    [{ token: '' }, /token/],
    [{ token: 'x'.repeat(201) }, /token/],
    [{ token: null }, /token/],
    [{ token: ['a'] }, /token/],
    [{ token: 'a\u0000' }, /token/],
    [{ password: 'a' }, /password/],
    [[], /object/],
  ])('with %j is refused with 400', async (body, message) => {
    const answer = await signIn(body)
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError'])
    expect(answer.body.message).toMatch(message)
  })

  test('with a long body is refused before it is read', async () => {
    const long = await signIn({ token: api.teamToken, x: 'x'.repeat(5000) })
    expect([long.status, long.body.name]).toEqual([413, 'PayloadTooLarge'])
    const text = JSON.stringify({ token: api.teamToken })
    const unsized = await fetch(`${api.url}/api/session`, {
      method: 'POST',
      body: new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(text))
          controller.close()
        },
      }),
    })
    expect(unsized.status).toBe(413)
  })

  test('too many of them from one address have to wait, and a good token does not', async () => {
    const guess = (at: number) => signIn({ token: `guess-${at}` })
    const statuses: number[] = []
    for (let at = 0; at < 22; at++) statuses.push((await guess(at)).status)
    expect(statuses).toEqual([...Array(20).fill(401), 429, 429])
    expect((await guess(99)).headers.get('retry-after')).toBe('10')
    expect((await signIn({ token: api.teamToken })).status).toBe(200)
    // One limit: guesses in the header and guesses here are the same.
    expect((await api.call('GET', '/api/team', { token: 'guess' })).status).toBe(429)
    api.client.address = '192.0.2.2'
    expect((await guess(100)).status).toBe(401)
  })

  test('counts as a call of its token', async () => {
    for (let at = 0; at < 100; at++) await api.call('GET', '/api/team')
    const answer = await signIn({ token: api.teamToken })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1'])
  })
})

describe('the link of local development', () => {
  let local: typeof api
  beforeEach(async () => {
    local = await managementApi()
    local.needs.localSignIn = { secretHash: hashKey(LINK), teamId: local.teamId }
    local.client.address = '127.0.0.1'
  })
  afterEach(() => local.close())
  const byLink = (link: string) => local.call('POST', '/api/session', { token: '', body: { link } })

  test('signs in for the default team, without a token', async () => {
    const browser = await signedIn(local, { link: LINK })
    expect((await browser.call('GET', '/api/session')).body.data).toMatchObject({
      kind: 'team',
      team: { id: local.teamId },
      token: null,
      local_development: true,
    })
    expect((await browser.call('GET', '/api/teams')).status).toBe(403)
    expect((await browser.call('GET', '/api/sessions')).body.data).toMatchObject([
      { id: browser.id, token: null, is_current: true },
    ])
    const tokens = (await browser.call('GET', '/api/team/tokens')).body.data
    const revoked = await browser.call('DELETE', `/api/team/tokens/${tokens[0].id}`)
    expect(revoked.status).toBe(200)
    expect((await browser.call('GET', '/api/session')).status).toBe(200)
  })

  test.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '::FFFF:127.0.0.1'])(
    'works from %s',
    async (address) => {
      local.client.address = address
      expect((await byLink(LINK)).status).toBe(200)
    },
  )

  test.each([
    '192.0.2.1',
    '10.0.0.1',
    '::',
    '::2',
    '::ffff:10.0.0.1',
    '127.0.0.1.evil',
    '',
    'unknown',
  ])('is refused from %j', async (address) => {
    local.client.address = address
    const answer = await byLink(LINK)
    expect([answer.status, answer.body.name]).toEqual([403, 'Forbidden'])
    expect(answer.body.message).toMatch(/^link: .*machine itself/)
  })

  test('of another start is refused, and guesses have to wait', async () => {
    const statuses: number[] = []
    for (let at = 0; at < 21; at++) statuses.push((await byLink(`guess-${at}`)).status)
    expect(statuses).toEqual([...Array(20).fill(401), 429])
    expect((await byLink(LINK)).status).toBe(200)
  })

  test('is refused elsewhere, and so are sessions that it has begun', async () => {
    const browser = await signedIn(local, { link: LINK })
    local.needs.localSignIn = null
    const answer = await byLink(LINK)
    expect([answer.status, answer.body.message]).toEqual([
      403,
      'link: only local development has links; use a token.',
    ])
    expect((await browser.call('GET', '/api/session')).status).toBe(401)
  })
})
