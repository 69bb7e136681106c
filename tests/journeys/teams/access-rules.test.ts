import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { evmNetwork, networksEnv, solanaNetwork } from '../../support/nodes/networks.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { newApp } from '../../support/product/teams.ts'

const A = `0x${'aa'.repeat(20)}`
const B = `0x${'bb'.repeat(20)}`

const node = startFakeNode('node-a')
const solana = startFakeNode('node-s')
let headgate: TestHeadgate
let app: { id: string; key: string }

beforeAll(async () => {
  headgate = await startHeadgate({
    env: {
      ...networksEnv(evmNetwork('ETH_MAINNET', [node]), solanaNetwork('SOLANA_MAINNET', [solana])),
      HEADGATE_ROLES: 'gateway,api',
      HEADGATE_TRUST_PROXY: 'true',
      HEADGATE_DEMO_KEY: 'true',
    },
  })
  for (const method of ['eth_call', 'eth_getLogs', 'eth_getCode']) node.answers[method] = '0x'
  solana.answers.getAccountInfo = null
})

beforeEach(async () => {
  app = await newApp(headgate, headgate.teamToken)
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
  solana.stop()
})

type From = { origin?: string; address?: string; slug?: string }

function call(body: unknown, { origin, address = '192.0.2.1', slug = 'eth-mainnet' }: From = {}) {
  const headers = { 'x-forwarded-for': address, ...(origin && { origin }) }
  return headgate.post(body, { key: app.key, slug, headers })
}

/** Changes the app's lists and waits until a call that they refuse is refused. */
async function limit(allow: object, refused: () => ReturnType<typeof call>): Promise<void> {
  expect((await refused()).status).toBe(200)
  const { status, text } = await headgate.api('PATCH', `/api/apps/${app.id}`, { allow })
  expect([status, text]).toEqual([200, expect.any(String)])
  await until(async () => (await refused()).status === 403, 'the list acts')
}

describe('an app whose callers are limited', () => {
  test('to origins takes calls of those pages, and no others', async () => {
    const asked = rpc('eth_gasPrice')
    await limit({ origins: ['https://shop.example', 'https://*.team.example'] }, () => call(asked))
    for (const origin of ['https://shop.example', 'https://a.team.example']) {
      const { status, headers } = await call(asked, { origin })
      expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    }
    const before = node.callsOf('eth_gasPrice')
    for (const origin of [
      'https://evil.example',
      'http://shop.example',
      'null',
      'https://team.example',
    ]) {
      const { status, json, headers } = await call(asked, { origin })
      expect(status).toBe(403)
      expect(json).toEqual({
        jsonrpc: '2.0',
        id: null,
        error: {
          code: -32600,
          message: `Origin ${origin} is not allowed for this app (allow.origins).`,
        },
      })
      expect(headers.get('x-headgate-cu')).toBe('0')
      // The page itself can read why.
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
    const { json } = await call(asked)
    expect(json.error.message).toContain('without an Origin header')
    expect(node.callsOf('eth_gasPrice')).toBe(before)
  })

  test('to addresses takes calls from there, as the proxy in front names them', async () => {
    const asked = rpc('eth_gasPrice')
    await limit({ ips: ['203.0.113.0/24', '2001:db8:40::/48'] }, () => call(asked))
    for (const address of ['203.0.113.200', '2001:db8:40::1', '::ffff:203.0.113.9']) {
      expect((await call(asked, { address })).status).toBe(200)
    }
    // All but the last hop can be written by anybody.
    const { status, json } = await call(asked, { address: '203.0.113.1, 198.51.100.7' })
    expect(status).toBe(403)
    expect(json.error).toEqual({
      code: -32600,
      message: 'Address 198.51.100.7 is not allowed for this app (allow.ips).',
    })
    expect((await call(asked, { address: '2001:db8:41::1' })).status).toBe(403)
  })

  test('to methods takes those, by name or by their beginning', async () => {
    await limit({ methods: ['eth_gasPrice', 'eth_get*'] }, () => call(rpc('eth_chainId')))
    expect((await call(rpc('eth_gasPrice'))).status).toBe(200)
    expect((await call(rpc('eth_getLogs', [{}]))).status).toBe(200)
    const { json, headers } = await call(rpc('eth_chainId', [], 'my-id'))
    expect(json).toEqual({
      jsonrpc: '2.0',
      id: 'my-id',
      error: { code: -32600, message: 'eth_chainId is not allowed for this app (allow.methods).' },
    })
    expect(headers.get('x-headgate-cu')).toBe('0')
    expect((await call(rpc('getSlot'), { slug: 'solana-mainnet' })).status).toBe(403)
  })

  test('to contracts may name no others, on EVM networks', async () => {
    const other = rpc('eth_call', [{ to: B, data: '0x' }, 'latest'])
    await limit({ contracts: [A.toUpperCase().replace('0X', '0x')] }, () => call(other))
    const asked = node.callsOf('eth_call')
    expect((await call(rpc('eth_call', [{ to: A }, 'latest']))).status).toBe(200)
    expect((await call(rpc('eth_getLogs', [{ address: [A] }]))).status).toBe(200)
    expect((await call(rpc('eth_getCode', [A, 'latest']))).status).toBe(200)
    expect((await call(rpc('eth_gasPrice'))).status).toBe(200)
    for (const refused of [
      rpc('eth_call', [{ data: '0x' }, 'latest']),
      rpc('eth_estimateGas', [{ to: B }]),
      rpc('eth_getLogs', [{ address: [A, B] }]),
      rpc('eth_getLogs', [{ fromBlock: '0x1' }]),
      rpc('eth_newFilter', [{ address: B }]),
      rpc('eth_getCode', [B, 'latest']),
      rpc('eth_getStorageAt', [B, '0x0', 'latest']),
    ]) {
      const { status, json, headers } = await call(refused)
      expect(status).toBe(403)
      expect(json.error.code).toBe(-32600)
      expect(json.error.message).toStartWith(`${refused.method} is limited to this app’s contracts`)
      expect(headers.get('x-headgate-cu')).toBe('0')
    }
    expect(node.callsOf('eth_call')).toBe(asked + 1)
    const account = rpc('getAccountInfo', ['11111111111111111111111111111111'])
    expect((await call(account, { slug: 'solana-mainnet' })).status).toBe(200)
  })

  test('has each member of a batch judged by itself', async () => {
    await limit({ methods: ['eth_call'], contracts: [A] }, () => call(rpc('eth_gasPrice')))
    const { status, json, headers } = await call([
      rpc('eth_call', [{ to: A }, 'latest'], 1),
      rpc('eth_call', [{ to: B }, 'latest'], 2),
      rpc('eth_gasPrice', [], 3),
    ])
    expect(status).toBe(200)
    expect(json.map((one: { error?: { message: string } }) => one.error?.message)).toEqual([
      undefined,
      `eth_call is limited to this app’s contracts (allow.contracts): ${B} is not among them.`,
      'eth_gasPrice is not allowed for this app (allow.methods).',
    ])
    expect(headers.get('x-headgate-cu')).toBe('26')
  })

  test('is open again when its lists are emptied, and the demo key never was closed', async () => {
    const asked = rpc('eth_gasPrice')
    await limit({ ips: ['203.0.113.1'], methods: ['eth_call'] }, () => call(asked))
    const { json } = await headgate.api('PATCH', `/api/apps/${app.id}`, { allow: { ips: [] } })
    expect(json.data.allow).toEqual({ origins: [], ips: [], methods: ['eth_call'], contracts: [] })
    await headgate.api('PATCH', `/api/apps/${app.id}`, { allow: { methods: [] } })
    await until(async () => (await call(asked)).status === 200, 'it is open')
    expect((await headgate.post(asked, { key: 'demo' })).status).toBe(200)
  })

  test('may have its limits from the beginning', async () => {
    const { json } = await headgate.api('POST', '/api/apps', {
      name: 'Limited',
      networks: ['ETH_MAINNET'],
      allow: { methods: ['eth_call'] },
    })
    const { key } = json.data
    const allowed = rpc('eth_call', [{}, 'latest'])
    await until(async () => (await headgate.post(allowed, { key })).status === 200, 'it is known')
    expect((await headgate.post(rpc('eth_gasPrice'), { key })).status).toBe(403)
  })

  test('shows what was refused in its figures, by the reason', async () => {
    await limit({ methods: ['eth_call'] }, () => call(rpc('eth_gasPrice')))
    const path = `/api/call-stats?app_id=${app.id}&group_by=status`
    await until(async () => {
      const { json } = await headgate.api('GET', path)
      return JSON.stringify(json).includes('rpc_method_not_allowed')
    }, 'the refusal is counted')
  })
})
