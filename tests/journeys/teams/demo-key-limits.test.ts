// Runs on both stores.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { evmNetwork, networksEnv, solanaNetwork } from '../../support/nodes/networks.ts'
import { rpc, startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'
import { expectRpcAnswer } from '../../support/product/rpc-answer.ts'

const DEMO_CU_PER_SECOND = 50
const BURST_CU = DEMO_CU_PER_SECOND * 10
/** Calls of 20 CU at once: when a millisecond passes meanwhile, one more leaves a debt. */
const BURSTS = [BURST_CU / 20, BURST_CU / 20 + 1]

const node = startFakeNode('node-a')
const solanaNode = startFakeNode('node-s')
const networks = networksEnv(
  evmNetwork('ETH_MAINNET', [node]),
  solanaNetwork('SOLANA_MAINNET', [solanaNode]),
)
let headgate: TestHeadgate

beforeAll(async () => {
  // Only behind a trusted proxy can one machine play many.
  headgate = await startHeadgate({
    env: { ...networks, HEADGATE_DEMO_KEY: 'true', HEADGATE_TRUST_PROXY: 'true' },
  })
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
  solanaNode.stop()
})

async function demo(forwardedFor: string, body: unknown = rpc('eth_gasPrice')) {
  const headers = { 'x-forwarded-for': forwardedFor }
  const slug = JSON.stringify(body).includes('eth_') ? 'eth-mainnet' : 'solana-mainnet'
  const answer = await headgate.post(body, { key: 'demo', slug, headers })
  expectRpcAnswer(answer)
  return answer
}

/** One batch of so many calls of 20 CU; how many were served. */
async function servedOf(calls: number, forwardedFor: string): Promise<number> {
  const { json } = await demo(forwardedFor, Array(calls).fill(rpc('eth_gasPrice')))
  return json.filter((one: object) => 'result' in one).length
}

describe('the demo key', () => {
  test('works on every network, without an account', async () => {
    expect((await demo('192.0.2.1')).json.result).toBe('0x3b9aca00')
    expect((await demo('192.0.2.1', rpc('getSlot'))).json.result).toBe(1000)
  })

  test('gives each address 50 CU a second, ten seconds of it at once', async () => {
    expect(BURSTS).toContain(await servedOf(40, '192.0.2.2'))
    let refusal = await demo('192.0.2.2')
    while (refusal.status === 200) refusal = await demo('192.0.2.2')
    const { status, json, headers } = refusal
    expect([status, json.error.code]).toEqual([429, 429])
    expect(json.error.message).toContain('compute units per second')
    expect(headers.get('ratelimit-limit')).toBe(String(BURST_CU))
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  })

  test('gets back what failed on our side, up to as much again', async () => {
    node.misbehave = (method) =>
      method === 'eth_getCode' ? new Response('', { status: 500 }) : null
    const calls = Array(10).fill(rpc('eth_getCode', ['0x00', 'latest']))
    let failed = 0
    for (let round = 0; round < 6; round++) {
      const { json } = await demo('192.0.2.9', calls)
      failed += json.filter((one: { error: { code: number } }) => one.error.code === -32603).length
    }
    node.misbehave = null
    expect(failed).toBeGreaterThanOrEqual((2 * BURST_CU) / 20)
    expect(failed).toBeLessThan(60)
  })

  test('does not let one address use up another’s', async () => {
    expect(BURSTS).toContain(await servedOf(40, '192.0.2.3'))
    expect(await servedOf(5, '192.0.2.4')).toBe(5)
  })

  test('believes only the hop that the proxy itself wrote', async () => {
    expect(BURSTS).toContain(await servedOf(40, '203.0.113.1, 192.0.2.5'))
    expect(await servedOf(5, '203.0.113.2, 192.0.2.5')).toBeLessThan(5)
  })

  test('counts the whole of one household’s IPv6 as one address', async () => {
    expect(BURSTS).toContain(await servedOf(40, '2001:db8:1:2::1'))
    expect(await servedOf(5, '2001:db8:1:2:ffff::2')).toBeLessThan(5)
    expect(await servedOf(5, '2001:db8:1:3::1')).toBe(5)
  })

  test('is on the free tier: what is paid-only stays closed', async () => {
    const { status, json } = await demo('192.0.2.6', rpc('getProgramAccounts', ['x']))
    expect(status).toBe(403)
    expect(json.error.message).toStartWith(
      'getProgramAccounts is not available on the Free tier - upgrade to a paid tier for access.',
    )
  })

  test.each([
    ['GET', '/api/apps'],
    ['GET', '/api/team'],
    ['GET', '/api/usage/summary'],
    ['GET', '/api/teams'],
    ['GET', '/api/networks'],
  ])('opens nothing of the management API: %s %s', async (method, path) => {
    const { status } = await headgate.api(method, path, undefined, 'demo')
    expect(status).toBe(401)
  })

  test('can be turned off', async () => {
    const closed = await startHeadgate({ env: { ...networks, HEADGATE_DEMO_KEY: 'false' } })
    expect((await closed.post(rpc('eth_gasPrice'), { key: 'demo' })).status).toBe(401)
    await closed.stop()
  })
})
