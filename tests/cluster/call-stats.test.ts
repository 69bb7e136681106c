import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { until } from '../support/basics/until.ts'
import { callApi, callRpc, clusterEnv, openCluster } from '../support/cluster/cluster.ts'
import { startFakeNode } from '../support/nodes/fake-node.ts'
import { testDatabase } from '../support/postgres/test-postgres.ts'
import { cleanUp } from '../support/product/headgate-process.ts'
import { lacksPostgres } from '../support/product/world.ts'

setDefaultTimeout(120_000)

afterEach(cleanUp)

test.skipIf(lacksPostgres())('figures are the sum over all gateways', async () => {
  const [nodeA, nodeB] = [startFakeNode('node-a'), startFakeNode('node-b')]
  const database = await testDatabase()
  const networks = [{ id: 'ETH_MAINNET', chainId: 1, upstreams: [nodeA, nodeB] }]
  const cluster = openCluster({
    ...clusterEnv(database.url, networks),
    HEADGATE_POSTGRES_CONNECTIONS_MAX: '3',
    // One of them has workers, which count as well.
    HEADGATE_GATEWAY_WORKERS: '1',
  })
  const api = await cluster.start(['api'])
  const gateways = await Promise.all([
    cluster.start(['gateway']),
    cluster.start(['gateway'], { HEADGATE_GATEWAY_WORKERS: '2' }),
  ])
  const { app_key, team_token } = cluster.keys()
  const calls = gateways.flatMap((gateway, at) =>
    Array.from({ length: 30 + at * 10 }, (_, call) =>
      callRpc(gateway, app_key, 'eth_getBalance', { params: ['0x00', `0x${at}${call}`] }),
    ),
  )
  const answers = await Promise.all(calls)
  expect(answers.map(({ status }) => status)).toEqual(Array(70).fill(200))
  for (const gateway of gateways) await callRpc(gateway, app_key, '')

  const stats = async (query: string) =>
    (await callApi(api, team_token, 'GET', `/api/call-stats${query}`)).json.data
  await until(async () => (await stats(''))[0]?.calls === 72, 'all calls are counted')
  expect((await stats(''))[0]).toMatchObject({ calls: 72, errors: 2, node_errors: 0 })
  expect((await stats('?group_by=method'))[0]).toMatchObject({ group: 'eth_getBalance', calls: 70 })
  const { json } = await callApi(api, team_token, 'GET', '/api/call-stats/time-series')
  expect(json.data.reduce((sum: number, one: { calls: number }) => sum + one.calls, 0)).toBe(72)

  const upstreams = async () =>
    (await callApi(api, team_token, 'GET', '/api/networks')).json.data[0].upstreams
  const asked = [nodeA, nodeB].map((node) => node.callsOf('eth_getBalance'))
  await until(async () => {
    const seen = (await upstreams()).map(({ calls }: { calls: number }) => calls)
    return seen[0] >= (asked[0] ?? 0) && seen[1] >= (asked[1] ?? 0)
  }, 'all requests to nodes are counted')
  const shares = (await upstreams()).map((one: { share_percent: number }) => one.share_percent)
  expect(shares[0] + shares[1]).toBeCloseTo(100, 1)
  for (const node of [nodeA, nodeB]) node.stop()
  await database.drop()
})
