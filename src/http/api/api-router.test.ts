import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { managementApi, PUBLIC_URL } from '../../../tests/management-api.ts'
import { Failure } from '../../core/errors.ts'
import type { Database } from '../../ports/database.ts'
import { openSecrets } from '../../system/machine/secrets.ts'
import { systemEntropy } from '../../system/machine/system-entropy.ts'

let api: Awaited<ReturnType<typeof managementApi>>

beforeEach(async () => {
  api = await managementApi()
})

afterEach(() => api.close())

const BODY_BYTES_MAX = 2.5 * 1024 * 1024
const NO_TOKEN = { token: '' }

function asOperator() {
  return { token: api.operatorToken }
}

describe('paths and methods', () => {
  test.each([
    ['GET', '/api/nothing'],
    ['GET', '/api/'],
    ['GET', '/api/apps/'],
    ['GET', '/api/apps//rotate-key'],
    ['GET', '/api/apps/%ff'],
    ['POST', '/api/apps/a/b/c'],
    ['GET', '/api/constructor'],
  ])('%s %s is not found', async (method, path) => {
    const answer = await api.call(method, path)
    expect([answer.status, answer.body.name]).toEqual([404, 'NotFound'])
  })

  test.each([
    ['PUT', '/api/apps', 'GET, POST'],
    ['POST', '/api/apps/app_1', 'GET, PATCH, DELETE'],
    ['GET', '/api/apps/app_1/rotate-key', 'POST'],
    ['OPTIONS', '/api/usage/summary', 'GET'],
    ['DELETE', '/api/team', 'GET, PATCH'],
    ['POST', '/api/openapi.json', 'GET'],
  ])('%s %s is told that the path takes %s', async (method, path, allow) => {
    const answer = await api.call(method, path)
    expect([answer.status, answer.body.name]).toEqual([405, 'MethodNotAllowed'])
    expect(answer.headers.get('allow')).toBe(allow)
  })
})

describe('tokens', () => {
  test.each([
    ['no token', {}],
    ['an unknown one', { 'x-service-token': 'a'.repeat(32) }],
    ['an endless one', { 'x-service-token': 'a'.repeat(8000) }],
  ])('%s is refused with 401', async (_title, headers) => {
    const answer = await api.call('GET', '/api/apps', { ...NO_TOKEN, headers })
    expect([answer.status, answer.body.name]).toEqual([401, 'Unauthorized'])
  })

  test('a token in another header does not count', async () => {
    const headers = { authorization: `Bearer ${api.teamToken}` }
    expect((await api.call('GET', '/api/apps', { ...NO_TOKEN, headers })).status).toBe(401)
  })

  test('a token with something behind it is another token', async () => {
    const answer = await api.call('GET', '/api/apps', { token: `${api.teamToken}x` })
    expect(answer.status).toBe(401)
  })

  test.each([
    ['GET', '/api/teams'],
    ['POST', '/api/teams'],
    ['GET', '/api/teams/team_1/tokens'],
    ['POST', '/api/teams/team_1/tokens'],
    ['DELETE', '/api/tokens/tok_1'],
  ])('%s %s takes the operator’s token', async (method, path) => {
    const answer = await api.call(method, path)
    expect([answer.status, answer.body.name]).toEqual([403, 'Forbidden'])
  })

  test('the operator acts for the team it names, by header or query', async () => {
    const { teamId } = api
    const byHeader = await api.call('GET', '/api/team', {
      ...asOperator(),
      headers: { 'X-Team-Id': teamId },
    })
    const byQuery = await api.call('GET', `/api/team?team_id=${teamId}`, asOperator())
    expect([byHeader.body.data.id, byQuery.body.data.id]).toEqual([teamId, teamId])
  })

  test('the operator is told to name a team, and which is unknown', async () => {
    const unnamed = await api.call('GET', '/api/apps', asOperator())
    expect([unnamed.status, unnamed.body.name]).toEqual([400, 'ValidationError'])
    expect(unnamed.body.message).toContain('X-Team-Id')
    const unknown = await api.call('GET', '/api/apps?team_id=team_9', asOperator())
    expect(unknown.status).toBe(404)
    const headers = { 'X-Team-Id': api.teamId }
    const torn = await api.call('GET', '/api/apps?team_id=team_9', { ...asOperator(), headers })
    expect(torn.status).toBe(400)
  })

  test('a team’s token may name its own team and no other', async () => {
    const own = await api.call('GET', `/api/team?team_id=${api.teamId}`)
    expect(own.status).toBe(200)
    const other = await api.call('GET', '/api/team', { headers: { 'X-Team-Id': 'team_other' } })
    expect([other.status, other.body.name]).toEqual([403, 'Forbidden'])
  })

  test('either token sees the networks, and neither needs to name a team for it', async () => {
    expect((await api.call('GET', '/api/networks')).body).toEqual({ data: [] })
    expect((await api.call('GET', '/api/networks', asOperator())).body).toEqual({ data: [] })
    expect((await api.call('GET', '/api/networks', NO_TOKEN)).status).toBe(401)
  })
})

describe('limits on calls', () => {
  test('the 101st call of a token within a second waits for the next', async () => {
    for (let call = 1; call <= 100; call++) {
      expect((await api.call('GET', '/api/team')).status).toBe(200)
    }
    const refused = await api.call('GET', '/api/team')
    expect([refused.status, refused.body.name]).toEqual([429, 'TooManyRequests'])
    expect(refused.headers.get('retry-after')).toBe('1')
    expect((await api.call('GET', '/api/networks', asOperator())).status).toBe(200)

    api.time.nowMs += 1000
    expect((await api.call('GET', '/api/team')).status).toBe(200)
  })

  test('an address that keeps guessing is stopped, but not its neighbour with a good token', async () => {
    await api.call('GET', '/api/team')
    const guess = (at: number) => api.call('GET', '/api/team', { token: `guess-${at}` })
    const statuses: number[] = []
    for (let at = 0; at < 22; at++) statuses.push((await guess(at)).status)
    expect(statuses).toEqual([...Array(20).fill(401), 429, 429])
    expect((await guess(99)).headers.get('retry-after')).toBe('10')
    expect((await api.call('GET', '/api/team')).status).toBe(200)

    // A good token that nobody has used yet is good from there all the same.
    expect((await api.call('GET', '/api/networks', asOperator())).status).toBe(200)
    const path = `/api/teams/${api.teamId}/tokens`
    const { token } = (await api.call('POST', path, asOperator())).body.data
    const calls = await Promise.all([guess(1), api.call('GET', '/api/team', { token }), guess(2)])
    expect(calls.map(({ status }) => status)).toEqual([429, 200, 429])
    api.time.nowMs += 10_000
    expect((await guess(100)).status).toBe(401)
  })

  test('a revoked token loses its good name', async () => {
    const path = `/api/teams/${api.teamId}/tokens`
    const { id, token } = (await api.call('POST', path, asOperator())).body.data
    expect((await api.call('GET', '/api/team', { token })).status).toBe(200)
    await api.call('DELETE', `/api/tokens/${id}`, asOperator())
    for (let at = 0; at < 20; at++) {
      expect((await api.call('GET', '/api/team', { token })).status).toBe(401)
    }
    expect((await api.call('GET', '/api/team', { token })).status).toBe(429)
  })
})

describe('bodies', () => {
  test.each([
    ['not JSON', '{"name":'],
    ['two values', '{} {}'],
    ['a word', 'hello'],
    ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['a million levels', '['.repeat(1_000_000)],
    ['nothing', ''],
    ['blanks', '   \n'],
  ])('%s is refused with 400', async (_title, text) => {
    const answer = await api.call('POST', '/api/apps', { text })
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError'])
  })

  test('bytes that are not UTF-8 are refused with 400', async () => {
    const response = await fetch(`${api.url}/api/apps`, {
      method: 'POST',
      body: new Uint8Array([0x22, 0xff, 0x22]),
      headers: { 'x-service-token': api.teamToken },
    })
    expect(response.status).toBe(400)
    expect((await response.json()) as unknown).toMatchObject({ name: 'ValidationError' })
  })

  test('a body of 2.5 MiB is read, and one byte more is refused with 413', async () => {
    const blanks = ' '.repeat(BODY_BYTES_MAX - 2)
    const fits = await api.call('POST', '/api/apps', { text: `{${blanks}}` })
    expect(fits.status).toBe(400)
    const over = await api.call('POST', '/api/apps', { text: `{${blanks}} ` })
    expect([over.status, over.body.name]).toEqual([413, 'PayloadTooLarge'])
  })

  test('a body without a length is cut off at 2.5 MiB too', async () => {
    const { port } = new URL(api.url)
    const status = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', reject)
      socket.on('data', (bytes) => {
        resolve(bytes.toString().split('\r\n')[0] ?? '')
        socket.destroy()
      })
      const head = `POST /api/apps HTTP/1.1\r\nhost: x\r\nx-service-token: ${api.teamToken}\r\n`
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n`)
      const chunk = ' '.repeat(0x10000)
      for (let sent = 0; sent <= BODY_BYTES_MAX; sent += chunk.length) {
        socket.write(`10000\r\n${chunk}\r\n`)
      }
      socket.write('0\r\n\r\n')
    })
    expect(status).toContain('413')
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    '%s is refused with 415',
    async (type) => {
      const headers = { 'content-type': type }
      const answer = await api.call('POST', '/api/apps', { body: {}, headers })
      expect([answer.status, answer.body.name]).toEqual([415, 'UnsupportedMediaType'])
    },
  )

  test('JSON may come with a charset, in capitals, or without a content type', async () => {
    const text = JSON.stringify({ name: 'x', networks: ['ETH_MAINNET'] })
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' }
    expect((await api.call('POST', '/api/apps', { text, headers })).status).toBe(200)
    const bare = await fetch(`${api.url}/api/apps`, {
      method: 'POST',
      body: new TextEncoder().encode(text),
      headers: { 'x-service-token': api.teamToken },
    })
    expect(bare.status).toBe(200)
  })
})

describe('query parameters', () => {
  test('a misspelt one is refused by name, with those that are possible', async () => {
    const answer = await api.call('GET', '/api/usage/time-series?groupby=method')
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError'])
    expect(answer.body.message).toMatch(/"groupby".*group_by/)
  })

  test('one that comes twice is refused', async () => {
    const answer = await api.call('GET', '/api/usage/time-series?bucket=day&bucket=hour')
    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain('bucket')
  })
})

describe('when something breaks', () => {
  test('a store that cannot be reached is a 503 and a line in the log', async () => {
    const { status, body, log } = await withBrokenStore(new Failure('database_unavailable'))
    expect([status, body.name]).toEqual([503, 'Unavailable'])
    expect(log).toMatchObject({ operation: 'listApps', code: 'database_unavailable' })
  })

  test('a bug of ours is a 500 that tells the caller nothing of it', async () => {
    const { status, body, log } = await withBrokenStore(new Error('secret detail'))
    expect([status, body.name]).toEqual([500, 'InternalError'])
    expect(body.message).not.toContain('secret')
    expect(log).toMatchObject({ code: 'bug', error: 'secret detail' })
  })

  test('a key that was sealed with another secret is a 500, and the others go on', async () => {
    const body = { name: 'x', networks: ['ETH_MAINNET'] }
    await api.call('POST', '/api/apps', { body })
    const entropy = systemEntropy()
    api.needs.secrets = openSecrets(entropy.bytes(32), entropy)
    expect((await api.call('GET', '/api/apps')).status).toBe(500)
    expect((await api.call('GET', '/api/team')).status).toBe(200)
  })

  async function withBrokenStore(error: Error) {
    const broken: Database = {
      ...api.needs.database,
      query: () => Promise.reject(error),
    }
    api.needs.database = broken
    const answer = await api.call('GET', '/api/apps')
    return { ...answer, log: api.logged.find((fields) => 'code' in fields) }
  }
})

test('the document is public and names this instance', async () => {
  const { status, body } = await api.call('GET', '/api/openapi.json', NO_TOKEN)
  expect(status).toBe(200)
  expect(body.openapi).toBe('3.1.0')
  expect(body.servers[0].url).toBe(PUBLIC_URL)
})
