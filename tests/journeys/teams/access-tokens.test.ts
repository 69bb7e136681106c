import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { newSigner, type Signer, tokenOf } from '../../support/product/access-tokens.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { newApp, newTeam, type TestTeam } from '../../support/product/teams.ts'

const node = startFakeNode('node-a')
const ours = newSigner('EdDSA')
let headgate: TestHeadgate
let team: TestTeam
let other: TestTeam
let keyId: string

beforeAll(async () => {
  headgate = await startHeadgate({ nodes: [node] })
  team = await newTeam(headgate, 'enterprise')
  other = await newTeam(headgate, 'enterprise')
  keyId = await register(ours)
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
})

async function register({ publicKey }: Signer, token = team.token): Promise<string> {
  const body = { name: 'Shop front', public_key: publicKey }
  const { status, json, text } = await headgate.api('POST', '/api/jwt-keys', body, token)
  if (status !== 200) throw new Error(text)
  return json.data.id
}

function inMinutes(minutes: number): number {
  return Math.floor(Date.now() / 1000) + minutes * 60
}

function claims(more: Readonly<Record<string, unknown>> = {}) {
  return { app: team.appId, exp: inMinutes(10), ...more }
}

function call(token: string, url = '/eth-mainnet/v2', headers: Record<string, string> = {}) {
  const sent = { authorization: `Bearer ${token}`, ...headers }
  return headgate.post(rpc('eth_gasPrice'), { url, headers: sent })
}

describe('a token that a team has signed', () => {
  test.each(['RS256', 'ES256', 'EdDSA'] as const)('with %s calls as its app', async (algorithm) => {
    const signer = newSigner(algorithm)
    const token = tokenOf(signer, await register(signer), claims())
    await until(async () => (await call(token)).status === 200, 'the key is known')
    const { json, headers } = await call(token, '/eth-mainnet/v2/')
    expect([json.result, headers.get('x-headgate-cu')]).toEqual([expect.any(String), '20'])
  })

  test('is billed to the app that it names', async () => {
    const made = await newApp(headgate, team.token)
    const token = tokenOf(ours, keyId, claims({ app: made.id }))
    await until(async () => (await call(token)).status === 200, 'the app is known')
    await until(async () => {
      const series = '/api/usage/time-series?group_by=app'
      return (await headgate.api('GET', series, undefined, team.token)).text.includes(made.id)
    }, 'the app is billed')
  })

  test('works where the host names the network', async () => {
    const { port } = new URL(headgate.url)
    const host = `eth-mainnet.localhost:${port}`
    expect((await call(tokenOf(ours, keyId, claims()), '/v2', { host })).status).toBe(200)
  })

  test('is held to the rules of the app', async () => {
    const made = await headgate.api(
      'POST',
      '/api/apps',
      { name: 'Page', networks: ['ETH_MAINNET'], allow: { origins: ['https://shop.example'] } },
      team.token,
    )
    const token = tokenOf(ours, keyId, claims({ app: made.json.data.id }))
    const from = (origin: string) => call(token, '/eth-mainnet/v2', { origin })
    await until(async () => (await from('https://shop.example')).status === 200, 'it is known')
    expect((await from('https://evil.example')).status).toBe(403)
    await headgate.api('PATCH', `/api/apps/${made.json.data.id}`, { is_active: false }, team.token)
    await until(async () => (await from('https://shop.example')).status === 403, 'it is inactive')
  })

  test('does not stand in for the key in a path, nor for a token of the management API', async () => {
    const token = tokenOf(ours, keyId, claims())
    expect((await call('', `/eth-mainnet/v2/${token}`)).status).toBe(401)
    // A key in the path is enough: whatever is in the header may be for a proxy in front.
    expect((await call('not.a.token', `/eth-mainnet/v2/${team.key}`)).status).toBe(200)
    expect((await headgate.api('GET', '/api/apps', undefined, token)).status).toBe(401)
  })
})

describe('a token is refused', () => {
  const forger = newSigner('EdDSA')

  test.each([
    ['forged', () => tokenOf(forger, keyId, claims()), 'has a wrong signature'],
    ['expired', () => tokenOf(ours, keyId, claims({ exp: inMinutes(-1) })), 'has expired'],
    ['without an end', () => tokenOf(ours, keyId, claims({ exp: undefined })), 'has no "exp"'],
    [
      'for more than a day',
      () => tokenOf(ours, keyId, claims({ exp: inMinutes(24 * 60 + 5) })),
      'expires more than 24 hours from now',
    ],
    ['not valid yet', () => tokenOf(ours, keyId, claims({ nbf: inMinutes(5) })), '"nbf"'],
    [
      'foreign, of another team’s app',
      () => tokenOf(ours, keyId, claims({ app: other.appId })),
      'names an app ("app") that the team of its key does not have',
    ],
    [
      'of a key that is not registered',
      () => tokenOf(ours, `jwk_${'x'.repeat(16)}`, claims()),
      'names a key ("kid") that is not registered',
    ],
    ['for elsewhere', () => tokenOf(ours, keyId, claims({ aud: 'https://x.example' })), '"aud"'],
    ['without alg', () => tokenOf(ours, keyId, claims(), { alg: 'none' }), 'signed with EdDSA'],
    ['unsigned', () => tokenOf(ours, keyId, claims()).replace(/[^.]*$/, ''), 'no signature'],
    ['huge', () => `a.${'b'.repeat(12_000)}.c`, 'is longer than 4096 characters'],
    ['no token at all', () => '...', 'is not three parts'],
  ])('that is %s', async (_, made, reason) => {
    const before = node.callsOf('eth_gasPrice')
    const { status, json, headers } = await call(made())
    expect(status).toBe(401)
    expect(json).toMatchObject({ id: null, error: { code: -32600 } })
    expect(json.error.message).toStartWith('Must be authenticated! The JWT ')
    expect(json.error.message).toContain(reason)
    expect(headers.get('x-headgate-cu')).toBe('0')
    expect(node.callsOf('eth_gasPrice')).toBe(before)
  })

  test('that another team has signed for this team’s app', async () => {
    const theirs = newSigner('ES256')
    const theirId = await register(theirs, other.token)
    const good = tokenOf(theirs, theirId, claims({ app: other.appId }))
    await until(async () => (await call(good)).status === 200, 'their key is known')
    expect((await call(tokenOf(theirs, theirId, claims()))).status).toBe(401)
    expect((await call(tokenOf(theirs, keyId, claims()))).status).toBe(401)
  })

  test('within a second after its key was revoked', async () => {
    const signer = newSigner('EdDSA')
    const id = await register(signer)
    const token = tokenOf(signer, id, claims())
    await until(async () => (await call(token)).status === 200, 'the key is known')
    const stolen = await headgate.api('DELETE', `/api/jwt-keys/${id}`, undefined, other.token)
    expect(stolen.status).toBe(404)
    await headgate.api('DELETE', `/api/jwt-keys/${id}`, undefined, team.token)
    await until(async () => (await call(token)).status === 401, 'the key is revoked')
  })
})

test('no token and nothing of it stands in a log line', async () => {
  const secret = tokenOf(ours, keyId, claims({ sub: 'someone' }))
  const lines = () => headgate.logText().split('"event":"rpc"').length
  const before = lines()
  expect((await call(secret)).status).toBe(200)
  expect((await call(`${secret}x`)).status).toBe(401)
  await until(() => lines() >= before + 2, 'both calls are in the log')
  for (const part of secret.split('.')) expect(headgate.logText()).not.toContain(part)
})
