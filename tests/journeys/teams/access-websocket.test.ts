import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { newSigner, tokenOf } from '../../support/product/access-tokens.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { newApp, newTeam, type TestTeam } from '../../support/product/teams.ts'

const A = `0x${'aa'.repeat(20)}`
const B = `0x${'bb'.repeat(20)}`

const node = startFakeNode('node-a')
let headgate: TestHeadgate
let team: TestTeam
let app: { id: string; key: string }

beforeAll(async () => {
  node.answers.eth_call = '0x'
  headgate = await startHeadgate({ nodes: [node], env: { HEADGATE_TRUST_PROXY: 'true' } })
  team = await newTeam(headgate, 'enterprise')
})

beforeEach(async () => {
  app = await newApp(headgate, team.token)
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
})

/** The status of a handshake, which ends right after it. */
async function upgrade(path: string, headers: Record<string, string> = {}): Promise<number> {
  const ending = new AbortController()
  const { status } = await fetch(`${headgate.url}/eth-mainnet/v2${path}`, {
    signal: ending.signal,
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    },
  })
  ending.abort()
  return status
}

async function open(path: string, options: object = {}) {
  const url = `${headgate.url.replace('http', 'ws')}/eth-mainnet/v2${path}`
  const socket = new WebSocket(url, options as never)
  const answers: { id: unknown; error?: { code: number; message: string } }[] = []
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }))
  })
  socket.addEventListener('message', ({ data }) => answers.push(JSON.parse(String(data))))
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  const ask = async (call: object) => {
    const before = answers.length
    socket.send(JSON.stringify(call))
    await until(() => answers.length > before, 'it is answered')
    return answers[before]
  }
  return { socket, closed, ask }
}

function limit(allow: object) {
  return headgate.api('PATCH', `/api/apps/${app.id}`, { allow }, team.token)
}

test('an upgrade is held to origins and addresses', async () => {
  await limit({ origins: ['https://shop.example'], ips: ['203.0.113.0/24'] })
  const from = (origin: string, address: string) =>
    upgrade(`/${app.key}`, { origin, 'x-forwarded-for': address })
  await until(async () => (await from('https://a.example', '203.0.113.1')) === 403, 'it acts')
  expect(await from('https://shop.example', '192.0.2.1')).toBe(403)
  expect(await from('https://shop.example', '203.0.113.1')).toBe(101)
  expect(await upgrade(`/${app.key}`, { 'x-forwarded-for': '203.0.113.1' })).toBe(403)
})

test('each call is held to methods and contracts, subscriptions too', async () => {
  await limit({ methods: ['eth_call', 'eth_subscribe'], contracts: [A] })
  await until(
    async () => (await headgate.post(rpc('eth_gasPrice'), { key: app.key })).status === 403,
    'it acts',
  )
  const { socket, ask } = await open(`/${app.key}`)
  expect(await ask(rpc('eth_call', [{ to: A }, 'latest'], 1))).toMatchObject({ result: '0x' })
  for (const [call, rule] of [
    [rpc('eth_call', [{ to: B }, 'latest'], 2), 'allow.contracts'],
    [rpc('eth_gasPrice', [], 3), 'allow.methods'],
    [rpc('eth_subscribe', ['logs', { address: B }], 4), 'allow.contracts'],
    [rpc('eth_subscribe', ['logs'], 5), 'allow.contracts'],
  ] as const) {
    const answer = await ask(call)
    expect(answer).toMatchObject({ id: call.id, error: { code: -32600 } })
    expect(answer?.error?.message).toContain(rule)
  }
  socket.close()
})

test('a connection is closed when its app forbids where it came from', async () => {
  await until(async () => (await upgrade(`/${app.key}`)) === 101, 'the key is known')
  const { closed } = await open(`/${app.key}`)
  await limit({ ips: ['203.0.113.1'] })
  const { code, reason } = await closed
  expect([code, reason]).toEqual([1008, expect.stringContaining('(allow.ips)')])
})

test('a page opens it with a signed token among its protocols, until the key is revoked', async () => {
  const signer = newSigner('ES256')
  const body = { name: 'Page', public_key: signer.publicKey }
  const { json } = await headgate.api('POST', '/api/jwt-keys', body, team.token)
  const { id } = json.data
  const exp = Math.floor(Date.now() / 1000) + 600
  const offer = (token: string) => ({ protocols: ['headgate', `headgate.jwt.${token}`] })
  const token = tokenOf(signer, id, { app: app.id, exp })
  const asks = (sent: string) => upgrade('', { 'sec-websocket-protocol': `headgate.jwt.${sent}` })
  await until(async () => (await asks(token)) === 101, 'the key is known')
  const { socket, ask, closed } = await open('', offer(token))
  expect(socket.protocol).toBe('headgate')
  expect(await ask(rpc('eth_gasPrice'))).toMatchObject({ result: expect.any(String) })

  const forged = tokenOf(newSigner('ES256'), id, { app: app.id, exp })
  expect(await asks(forged)).toBe(401)
  expect(await asks(tokenOf(signer, id, { app: app.id, exp: 1 }))).toBe(401)
  const foreign = await newTeam(headgate, 'enterprise')
  expect(await asks(tokenOf(signer, id, { app: foreign.appId, exp }))).toBe(401)

  await headgate.api('DELETE', `/api/jwt-keys/${id}`, undefined, team.token)
  expect((await closed).code).toBe(1008)
})
