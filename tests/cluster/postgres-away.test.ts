import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { sql } from '../../src/ports/database.ts'
import { until } from '../support/basics/until.ts'
import {
  type Cluster,
  callApi,
  callRpc,
  clusterEnv,
  type Member,
  openCluster,
  untilFollowed,
} from '../support/cluster/cluster.ts'
import { openClusterDatabase } from '../support/cluster/cluster-database.ts'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/deliveries/webhook-receiver.ts'
import { type ChainNode, startChainNode } from '../support/nodes/chain-node.ts'
import { startTcpRelay, type TcpRelay } from '../support/nodes/tcp-relay.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres/postgres-server.ts'
import { cleanUp } from '../support/product/headgate-process.ts'
import { lacksPostgres } from '../support/product/world.ts'

setDefaultTimeout(120_000)

const NETWORK = 'ETH_MAINNET'
const FIRST_SEQUENCE = 1_000_000_000_001
const RECOVERY_MS_MAX = 40_000
const QUERY = { query: '{ block { number hash } }', skip_empty_messages: false }

let node: ChainNode
let server: PostgresServer
let relay: TcpRelay
let receiver: WebhookReceiver
let cluster: Cluster
let members: { gateway: Member; api: Member; follower: Member; courier: Member }

beforeEach(async () => {
  if (lacksPostgres()) return
  node = startChainNode(4)
  server = await startPostgresServer()
  relay = await startTcpRelay(server.port)
  receiver = startWebhookReceiver()
  const networks = [{ id: NETWORK, chainId: 1, upstreams: [node] }]
  cluster = openCluster(
    clusterEnv(`postgres://postgres@127.0.0.1:${relay.port}/postgres`, networks),
  )
  const api = await cluster.start(['api'])
  const [gateway, follower, courier] = await Promise.all([
    cluster.start(['gateway']),
    cluster.start(['follower']),
    cluster.start(['courier']),
  ])
  members = { gateway, api, follower, courier }
  await untilFollowed(follower, node)
})
afterEach(async () => {
  await cleanUp()
  node?.stop()
  await receiver?.stop()
  await relay?.close()
  await server?.close()
})

const api = (method: string, path: string, body?: unknown) =>
  callApi(members.api, cluster.keys().team_token, method, path, body)
const rpc = (key: string) => callRpc(members.gateway, key, 'eth_getBalance')
const isReady = async ({ url }: Member) => (await fetch(`${url}/readyz`)).ok

async function createWebhook(path: string): Promise<string> {
  const { status, json } = await api('POST', '/api/create-webhook', {
    network: NETWORK,
    webhook_type: 'GRAPHQL',
    webhook_url: `${receiver.url}${path}`,
    graphql_query: QUERY,
  })
  expect(status).toBe(200)
  return json.data.id
}

/** Calls many times and returns how many were answered, which must be all. */
async function callsServed(key: string, count: number): Promise<number> {
  for (let at = 0; at < count; at++) expect(await rpc(key)).toMatchObject({ status: 200 })
  return count
}

const billed = async () => {
  const database = openClusterDatabase(`${server.url}/postgres`)
  try {
    const [row] = await database.query<{ calls: number; cu: number }>(sql`
      SELECT CAST(SUM(calls) AS BIGINT) AS calls, CAST(SUM(centi_cu) AS BIGINT) AS cu
      FROM usage WHERE method = 'eth_getBalance'`)
    return row
  } finally {
    await database.close()
  }
}

/** What arrived on a path, by sequence number, each once however often it was sent. */
function arrivedOn(path: string): string[] {
  const all = receiver.acceptedOn(path).map(({ json: { event } }) => {
    return `${event.sequenceNumber} ${event.data.block.hash}`
  })
  return [...new Set(all)].toSorted()
}

describe.skipIf(lacksPostgres()).each([
  ['is stopped', () => server.stop('SIGQUIT'), () => server.start()],
  ['is cut off', async () => relay.cut(), async () => relay.mend()],
] as const)('while PostgreSQL %s', (_how, leave, comeBack) => {
  test('known keys are served, all else is told so or waits, and later all is there', async () => {
    await createWebhook('/first')
    node.mine()
    await until(() => receiver.arrivals.length === 1, 'a block is delivered')
    const { app_key } = cluster.keys()
    const unseen = await api('POST', '/api/apps', { name: 'Unseen', networks: [NETWORK] })
    let served = await callsServed(app_key, 20)
    await createWebhook('/second')
    await leave()

    served += await callsServed(app_key, 20)
    for (const { url } of Object.values(members)) {
      expect((await fetch(`${url}/healthz`)).status).toBe(200)
    }
    const refused = { status: 503, json: { error: { code: -32603 } } }
    expect(await rpc(unseen.json.data.key)).toMatchObject(refused)
    expect(await rpc('nobody-has-such-a-key')).toMatchObject(refused)
    const unavailable = { status: 503, json: { name: 'Unavailable' } }
    expect(await api('GET', '/api/apps')).toMatchObject(unavailable)
    expect(await api('POST', '/api/apps', { name: 'A', networks: [] })).toMatchObject(unavailable)
    for (let at = 0; at < 3; at++) node.mine()
    served += await callsServed(app_key, 20)
    for (const member of Object.values(members)) {
      await until(async () => !(await isReady(member)), 'it says that it is not ready')
    }
    expect(receiver.arrivals).toHaveLength(1)

    await comeBack()
    for (const member of Object.values(members)) {
      await until(() => isReady(member), 'it is ready again', RECOVERY_MS_MAX)
    }
    const wanted = node.blocks.map(({ hash }, at) => `${FIRST_SEQUENCE + at} ${hash}`)
    const isThere = () => arrivedOn('/second').length === 3 && arrivedOn('/first').length === 4
    await until(isThere, 'all blocks are delivered', RECOVERY_MS_MAX)
    expect(arrivedOn('/first')).toEqual(wanted.slice(1))
    expect(arrivedOn('/second')).toEqual(wanted.slice(2))
    expect((await rpc(unseen.json.data.key)).status).toBe(200)
    expect((await rpc('nobody-has-such-a-key')).status).toBe(401)
    served += 1
    expect((await api('GET', '/api/apps')).json.data).toHaveLength(2)
    await until(async () => (await billed())?.calls === served, 'all calls are billed')
    await members.gateway.stop()
    expect(await billed()).toEqual({ calls: served, cu: served * 2000 })
  })
})
