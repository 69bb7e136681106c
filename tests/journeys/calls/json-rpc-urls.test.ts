import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { evmNetwork, networksEnv, solanaNetwork } from '../../support/nodes/networks.ts'
import { sendRaw } from '../../support/nodes/raw-http.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { expectRpcAnswer } from '../../support/product/rpc-answer.ts'
import { storedText } from '../../support/store/stored-text.ts'

const evmNode = startFakeNode('node-a')
const solanaNode = startFakeNode('node-s')
const nodes = [evmNode, solanaNode]
const ASK = rpc('eth_gasPrice')
const REPLY = { jsonrpc: '2.0', id: 1, result: '0x3b9aca00' }
const UNKNOWN_KEY = 'k'.repeat(32)
let headgate: TestHeadgate
let app: { id: string; key: string }

beforeAll(async () => {
  headgate = await startHeadgate({
    env: networksEnv(
      evmNetwork('ETH_MAINNET', [evmNode]),
      evmNetwork('POLYGON_MAINNET', [evmNode], { slug: 'matic' }),
      solanaNetwork('SOLANA_MAINNET', [solanaNode], { genesisHash: solanaNode.genesisHash }),
    ),
  })
  const made = { name: 'Wallet', networks: ['ETH_MAINNET'] }
  app = (await headgate.api('POST', '/api/apps', made)).json.data
})

afterAll(async () => {
  await headgate.stop()
  for (const node of nodes) node.stop()
})

/** POSTs to a path with a Host header of choice, as a browser does for a host name. */
async function post(path: string, headers: Record<string, string> = {}, body: unknown = ASK) {
  const answer = await headgate.post(body, { url: path, headers })
  expectRpcAnswer(answer)
  return answer
}

describe('both forms of the base URL reach the network', () => {
  test.each([
    ['the path', '/eth-mainnet/v2/<key>', ''],
    ['the path, with a slash at the end', '/eth-mainnet/v2/<key>/', ''],
    ['the path, with a query', '/eth-mainnet/v2/<key>?from=wallet', ''],
    ['the host', '/v2/<key>', 'eth-mainnet.localhost'],
    ['the host with a port', '/v2/<key>', 'eth-mainnet.localhost:8080'],
    ['the host in capitals', '/v2/<key>', 'ETH-MAINNET.localhost'],
    ['the path, whatever the host', '/eth-mainnet/v2/<key>', 'matic.localhost'],
  ])('%s', async (_form, path, host) => {
    const headers: Record<string, string> = host === '' ? {} : { host }
    const { status, json } = await post(path.replace('<key>', app.key), headers)
    expect([status, json]).toEqual([200, REPLY])
  })

  test.each([
    ['the path', '/eth-mainnet/v2', {}],
    ['the host', '/v2', { host: 'eth-mainnet.localhost' }],
  ])('with the key as a bearer token on %s', async (_form, path, headers) => {
    const good = await post(path, { ...headers, authorization: `Bearer ${app.key}` })
    expect([good.status, good.json]).toEqual([200, REPLY])
    const odd = await post(path, { ...headers, authorization: `bearer ${app.key}` })
    expect(odd.status).toBe(200)
    const bad = await post(path, { ...headers, authorization: `Bearer ${UNKNOWN_KEY}` })
    expect(bad.status).toBe(401)
    const basic = await post(path, { ...headers, authorization: `Basic ${app.key}` })
    expect(basic.status).toBe(401)
  })

  test('a slug of the operator’s own choice takes the place of the kebab form', async () => {
    const { status } = await headgate.post(ASK, { slug: 'matic' })
    expect(status).toBe(200)
    const { status: missing } = await headgate.post(ASK, { slug: 'polygon-mainnet' })
    expect(missing).toBe(404)
  })

  test('a network of another kind is reached the same way', async () => {
    const { json } = await headgate.post(rpc('getSlot'), { slug: 'solana-mainnet' })
    expect(json).toEqual({ jsonrpc: '2.0', id: 1, result: 1000 })
  })

  test('only version 2 of the path is served', async () => {
    const { status } = await headgate.post(ASK, { url: `/eth-mainnet/v1/${app.key}` })
    expect(status).toBe(404)
  })
})

describe('who may not pass', () => {
  test.each([
    ['no key', '/eth-mainnet/v2/'],
    ['no key and no slash', '/eth-mainnet/v2'],
    ['an unknown key', `/eth-mainnet/v2/${UNKNOWN_KEY}`],
    ['a key of odd characters', '/eth-mainnet/v2/%00%27--'],
    ['a long key', `/eth-mainnet/v2/${'x'.repeat(4000)}`],
    ['a key with more behind it', '/eth-mainnet/v2/<key>/more'],
  ])('%s is answered 401', async (_case, path) => {
    const answer = await post(path.replace('<key>', app.key))
    expect(answer.status).toBe(401)
    const error = { code: -32600, message: 'Must be authenticated!' }
    expect(answer.json).toEqual({ jsonrpc: '2.0', id: null, error })
    expect(answer.headers.get('x-headgate-cu')).toBe('0')
  })

  test('a management token is no key', async () => {
    expect((await headgate.post(ASK, { key: headgate.teamToken })).status).toBe(401)
    expect((await headgate.post(ASK, { key: headgate.operatorToken })).status).toBe(401)
  })

  test('a network the app lacks is named, with the page that adds it', async () => {
    const { status, json } = await post(`/matic/v2/${app.key}`)
    expect(status).toBe(403)
    expect(json.error.code).toBe(-32600)
    expect(json.error.message).toStartWith('POLYGON_MAINNET is not enabled for this app.')
    expect(json.error.message).toContain(`${headgate.url}/apps/${app.id}`)
  })

  test.each([
    ['by path', '/eth-moonnet/v2/<key>', {}],
    ['by host', '/v2/<key>', { host: 'eth-moonnet.localhost' }],
    ['by nobody', '/v2/<key>', {}],
    ['by a host of another domain', '/v2/<key>', { host: 'eth-mainnet.example.com' }],
    ['by the name of an object’s inheritance', '/__proto__/v2/<key>', {}],
  ])('an unknown network named %s is not found', async (_case, path, headers) => {
    const { status, json } = await post(path.replace('<key>', app.key), headers)
    expect([status, json.error.code]).toEqual([404, -32600])
  })

  test('an inactive app is refused and an active one served again', async () => {
    const made = { name: 'Sleeper', networks: ['ETH_MAINNET'] }
    const { data } = (await headgate.api('POST', '/api/apps', made)).json
    await headgate.api('PATCH', `/api/apps/${data.id}`, { is_active: false })
    const { status, json } = await post(`/eth-mainnet/v2/${data.key}`)
    expect([status, json.error.code]).toEqual([403, -32600])
    await headgate.api('PATCH', `/api/apps/${data.id}`, { is_active: true })
    const served = async () => (await post(`/eth-mainnet/v2/${data.key}`)).status === 200
    await until(served, 'the app is active again')
  })
})

describe('how to ask', () => {
  test.each(['GET', 'PUT', 'PATCH', 'DELETE'])('%s is answered 405 with Allow', async (method) => {
    for (const path of [`/eth-mainnet/v2/${app.key}`, '/eth-mainnet/v2', '/v2/x']) {
      const response = await fetch(`${headgate.url}${path}`, { method })
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('POST, OPTIONS')
      expect(await response.json()).toMatchObject({ id: null, error: { code: -32600 } })
    }
  })

  test('HEAD is answered 405 without a body', async () => {
    const response = await fetch(`${headgate.url}/eth-mainnet/v2/${app.key}`, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([405, ''])
    expect(response.headers.get('allow')).toBe('POST, OPTIONS')
  })

  test('a browser of any origin may ask, with any header', async () => {
    const response = await fetch(`${headgate.url}/eth-mainnet/v2/${app.key}`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://dapp.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-odd',
      },
    })
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-methods')).toContain('POST')
    expect(response.headers.get('access-control-allow-headers')).toBe('content-type,x-odd')
  })

  test('a browser may read our headers, on refusals too', async () => {
    for (const key of [app.key, UNKNOWN_KEY]) {
      const { headers } = await post(`/eth-mainnet/v2/${key}`, { origin: 'https://dapp.example' })
      expect(headers.get('access-control-allow-origin')).toBe('*')
      const exposed = headers.get('access-control-expose-headers') ?? ''
      for (const name of ['x-headgate-cu', 'x-request-id', 'retry-after', 'ratelimit-reset']) {
        expect(exposed).toContain(name)
      }
    }
  })
})

describe('a client without a usable Host header', () => {
  const body = JSON.stringify(ASK)
  const head = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`

  test.each([
    ['of HTTP/1.0, as load balancers use', 'HTTP/1.0', ''],
    ['with an empty one', 'HTTP/1.1', 'host: \r\n'],
    ['with one that is no host', 'HTTP/1.1', 'host: a b\r\n'],
    ['with a port that is none', 'HTTP/1.1', 'host: localhost:99999\r\n'],
  ])('%s is served by path', async (_what, version, host) => {
    const lines = `${version}\r\n${host}connection: close\r\n`
    const path = `/eth-mainnet/v2/${app.key}`
    const rpcAnswer = await sendRaw(headgate.url, `POST ${path} ${lines}${head}\r\n${body}`)
    expect([rpcAnswer.status, rpcAnswer.body]).toEqual([200, JSON.stringify(REPLY)])
    const alive = await sendRaw(headgate.url, `GET /healthz ${lines}\r\n`)
    expect(alive.status).toBe(200)
  })
})

describe('networks are configuration', () => {
  test.each([
    ['an EVM node on another chain id', () => [evmNetwork('ETH', [evmNode], { chainId: 5 })]],
    [
      'a Solana node with another genesis hash',
      () => [solanaNetwork('SOL', [solanaNode], { genesisHash: 'E'.repeat(44) })],
    ],
  ])('%s stops the start with its name', async (_case, networks) => {
    const starting = startHeadgate({ env: networksEnv(...networks()) })
    await expect(starting).rejects.toThrow(/upstream node-[as] of (ETH|SOL) is on chain/)
  })
})

describe('ids and keys', () => {
  test('have their prefixes and lengths', async () => {
    expect(app.id).toMatch(/^app_[a-z0-9]{16}$/)
    expect(app.key).toMatch(/^[A-Za-z0-9_-]{32}$/)
    expect(headgate.teamToken).toHaveLength(32)
    expect(headgate.operatorToken).toHaveLength(32)
    const { data } = (await headgate.api('GET', '/api/team')).json
    expect(data.id).toMatch(/^team_[a-z0-9]{16}$/)
  })

  test('an app’s key is shown again, and neither it nor a token lies open in the store', async () => {
    const { data } = (await headgate.api('GET', `/api/apps/${app.id}`)).json
    expect(data.key).toBe(app.key)
    const stored = await storedText(headgate.running.settings)
    expect(stored).toContain(app.id)
    for (const secret of [app.key, headgate.appKey, headgate.teamToken, headgate.operatorToken]) {
      expect(stored).not.toContain(secret)
    }
  })
})
