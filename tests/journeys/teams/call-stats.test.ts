// Runs on both stores.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { NodeError, startFakeNode } from '../../support/nodes/fake-node.ts'
import { evmNetwork, networksEnv, solanaNetwork } from '../../support/nodes/networks.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { newApp, newTeam, type TestTeam } from '../../support/product/teams.ts'

setDefaultTimeout(60_000)

const nodeA = startFakeNode('node-a')
const nodeB = startFakeNode('node-b')
const nodeC = startFakeNode('node-c')
const solanaNode = startFakeNode('node-s')
let headgate: TestHeadgate

beforeAll(async () => {
  nodeA.answers.eth_getCode = '0x60'
  nodeA.answers.eth_call = () => {
    throw new NodeError(3, 'execution reverted', '0x')
  }
  const env = {
    ...networksEnv(
      evmNetwork('ETH_MAINNET', [nodeA]),
      evmNetwork('ETH_SECOND', [nodeB]),
      solanaNetwork('SOLANA_MAINNET', [solanaNode]),
    ),
    HEADGATE_ROLES: 'gateway,api',
  }
  headgate = await startHeadgate({ env })
})

afterAll(async () => {
  await headgate.stop()
  for (const node of [nodeA, nodeB, nodeC, solanaNode]) node.stop()
})

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
async function get(path: string, token: string): Promise<any> {
  const { status, json } = await headgate.api('GET', path, undefined, token)
  expect(status).toBe(200)
  return json.data
}

const statsOf = ({ token }: TestTeam, query: string) => get(`/api/call-stats${query}`, token)

/** Calls by group. */
async function callsBy(team: TestTeam, groupBy: string, more = '') {
  const groups = await statsOf(team, `?group_by=${groupBy}${more}`)
  return Object.fromEntries(
    groups.map(({ group, calls }: { group: string; calls: number }) => [group, calls]),
  )
}

function counted(team: TestTeam, calls: number): Promise<void> {
  const all = async () => (await statsOf(team, ''))[0]?.calls === calls
  return until(all, `${calls} calls are counted`)
}

describe('the figures of a team', () => {
  test('show every call with its outcome, on the right app, network and method', async () => {
    const team = await newTeam(headgate, 'free')
    const second = await newApp(headgate, team.token)
    const first = { key: team.key }
    for (let call = 0; call < 5; call++) {
      await headgate.post(rpc('eth_getBalance', ['0x00', `0x${call}`]), first)
    }
    await headgate.post(rpc('eth_call', [{}, 'latest']), first)
    // Not served, not JSON-RPC, not JSON, and no method of any node.
    await headgate.post(rpc('admin_peers'), first)
    await headgate.post({ id: 1 }, first)
    await headgate.post('{', first)
    await headgate.post(rpc('eth_noSuchThing'), first)
    await headgate.post([rpc('eth_gasPrice'), { id: 2 }, rpc('eth_chainId', [], 3)], second)
    await headgate.post(rpc('eth_gasPrice'), { ...second, slug: 'eth-second' })
    await headgate.post(rpc('getSlot'), { ...second, slug: 'solana-mainnet' })
    await counted(team, 15)

    expect(await callsBy(team, 'app')).toEqual({ [team.appId]: 10, [second.id]: 5 })
    expect(await callsBy(team, 'network')).toEqual({
      ETH_MAINNET: 13,
      ETH_SECOND: 1,
      SOLANA_MAINNET: 1,
    })
    expect(await callsBy(team, 'method', `&app_id=${team.appId}`)).toEqual({
      eth_getBalance: 5,
      eth_call: 1,
      none: 2,
      // Names that no node has answered.
      other: 1,
      unknown: 1,
    })
    expect(await callsBy(team, 'status')).toEqual({
      ok: 9,
      node_error: 2,
      invalid_request: 2,
      parse_error: 1,
      method_not_served: 1,
    })
    expect(await callsBy(team, 'upstream')).toEqual({ 'node-a': 9, 'node-b': 1, 'node-s': 1 })
    const [all] = await statsOf(team, '')
    expect(all).toMatchObject({ calls: 15, errors: 4, node_errors: 2, share_percent: 100 })
    expect(all.median_ms).toBeGreaterThan(0)
    expect(all.p99_ms).toBeGreaterThanOrEqual(all.median_ms)
    const { month_cu } = await get('/api/usage/summary', team.token)
    expect(all.cu).toBe(month_cu)
  })

  test('count what came from the cache, and what shared an answer', async () => {
    const team = await newTeam(headgate, 'growth')
    const gate = Promise.withResolvers<null>()
    nodeA.misbehave = (method) => (method === 'eth_getCode' ? gate.promise : null)
    const call = () => headgate.post(rpc('eth_getCode', ['0x01', '0x1']), { key: team.key })
    const asked = Array.from({ length: 20 }, call)
    await until(() => nodeA.callsOf('eth_getCode') > 0, 'the node has the call')
    gate.resolve(null)
    const answers = await Promise.all(asked)
    nodeA.misbehave = null
    await until(async () => {
      const answer = await call()
      answers.push(answer)
      return answer.headers.get('x-headgate-cache') === 'hit'
    }, 'an answer comes from the cache')
    await counted(team, answers.length)
    const [all] = await statsOf(team, '?group_by=method')
    const seen = (word: string) =>
      answers.filter(({ headers }) => headers.get('x-headgate-cache') === word).length
    expect(seen('coalesced')).toBeGreaterThan(0)
    expect(all).toMatchObject({ cached: seen('hit'), coalesced: seen('coalesced') })
  })

  test('show a flood that was refused, without a trace of it in the times', async () => {
    const env = { HEADGATE_TIERS_FREE_CU_PER_SECOND: '1' }
    const small = await startHeadgate({ nodes: [nodeC], env })
    const team = await newTeam(small, 'free')
    const calls = Array.from({ length: 40 }, (_, at) =>
      small.post(rpc('eth_getBalance', ['0x00', `0x${at}`]), { key: team.key }),
    )
    const answers = await Promise.all(calls)
    const refused = answers.filter(({ status }) => status === 429).length
    expect(refused).toBeGreaterThan(30)
    const stats = async (query: string) =>
      (await small.api('GET', `/api/call-stats${query}`, undefined, team.token)).json.data
    await until(async () => (await stats(''))[0]?.calls === 40, 'all calls are counted')
    expect((await stats(''))[0]).toMatchObject({ calls: 40, errors: refused })
    const byStatus = await stats('?group_by=status')
    expect(byStatus[0]).toMatchObject({ group: 'throughput_exceeded', calls: refused })
    expect(byStatus[0].median_ms).toBeNull()
    await small.stop()
  })

  test('are nobody else’s, and unknown keys are nobody’s', async () => {
    const [team, other] = [await newTeam(headgate, 'free'), await newTeam(headgate, 'free')]
    await headgate.post(rpc('eth_chainId'), { key: team.key })
    await headgate.post(rpc('eth_chainId'), { key: 'x'.repeat(32) })
    await counted(team, 1)
    for (const by of ['none', 'app', 'method', 'network', 'status', 'upstream']) {
      expect(await statsOf(other, `?group_by=${by}&app_id=${team.appId}`)).toEqual([])
    }
  })

  test('go over time by the minute, the hour and the day', async () => {
    const team = await newTeam(headgate, 'free')
    for (let call = 0; call < 3; call++) await headgate.post(rpc('eth_chainId'), { key: team.key })
    await counted(team, 3)
    const spans = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }
    for (const [bucket, spanMs] of Object.entries(spans)) {
      const points = await get(`/api/call-stats/time-series?bucket=${bucket}`, team.token)
      const sum = points.reduce((all: number, one: { calls: number }) => all + one.calls, 0)
      expect(sum).toBe(3)
      for (const { start } of points) expect(start % spanMs).toBe(0)
    }
  })
})

describe('the figures of upstreams', () => {
  const upstreamsOf = async (id: string) => {
    const networks = await get('/api/networks', headgate.teamToken)
    return networks.find((network: { id: string }) => network.id === id).upstreams
  }

  test('say what was sent there and what failed, and never an address', async () => {
    const team = await newTeam(headgate, 'growth')
    const call = (at: number) =>
      headgate.post(rpc('eth_getBalance', ['0x00', `0x${at}`]), {
        key: team.key,
        slug: 'eth-second',
      })
    nodeB.misbehave = (method) =>
      method === 'eth_getBalance' ? new Response('', { status: 500 }) : null
    expect((await call(1)).status).toBe(503)
    nodeB.misbehave = null
    await until(async () => (await call(2)).status === 200, 'the node is asked again')
    for (let at = 3; at < 13; at++) await call(at)
    expect(nodeB.callsOf('eth_getBlockByNumber')).toBeGreaterThan(5)
    await until(async () => {
      const [{ calls }] = await upstreamsOf('ETH_SECOND')
      // All but the polls.
      return calls === nodeB.callsOf('eth_getBalance') + nodeB.callsOf('eth_gasPrice')
    }, 'the requests are counted')
    const [after] = await upstreamsOf('ETH_SECOND')
    expect(after.errors).toBeGreaterThan(0)
    expect(after.errors).toBeLessThan(after.calls)
    expect(after).toMatchObject({ name: 'node-b', share_percent: 100, last_fault: 'http_500' })
    expect(after.last_fault_age_ms).toBeGreaterThanOrEqual(0)
    expect(after.median_ms).toBeGreaterThan(0)
    expect(after.hours.at(-1).calls).toBe(after.calls)
    expect(JSON.stringify(after)).not.toMatch(/127\.0\.0\.1|secret-path/)
  })
})
