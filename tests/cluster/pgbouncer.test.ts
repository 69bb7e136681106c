import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
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
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/deliveries/webhook-receiver.ts'
import { type ChainNode, startChainNode } from '../support/nodes/chain-node.ts'
import {
  isPgBouncerMissing,
  type PgBouncer,
  sayPgBouncerIsMissing,
  startPgBouncer,
} from '../support/postgres/pgbouncer.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres/postgres-server.ts'
import { cleanUp, newFolder, runToEnd } from '../support/product/headgate-process.ts'
import { lacksPostgres } from '../support/product/world.ts'

setDefaultTimeout(120_000)

const NETWORK = 'ETH_MAINNET'
const RECOVERY_MS_MAX = 40_000

if (isPgBouncerMissing) sayPgBouncerIsMissing()
else describe.skipIf(lacksPostgres())('a cluster behind PgBouncer', tests)

function tests(): void {
  let node: ChainNode
  let server: PostgresServer
  let pooler: PgBouncer
  let receiver: WebhookReceiver
  let cluster: Cluster
  let front: Member
  let back: Member
  const networks = () => [{ id: NETWORK, chainId: 1, upstreams: [node] }]
  beforeEach(async () => {
    node = startChainNode(7)
    receiver = startWebhookReceiver()
    server = await startPostgresServer()
    pooler = await startPgBouncer(server.port)
    const direct = `${server.url}/postgres`
    cluster = openCluster({
      ...clusterEnv(pooler.urlOf(direct), networks()),
      HEADGATE_POSTGRES_TRANSACTION_POOLER: 'true',
      HEADGATE_POSTGRES_DIRECT_URL: direct,
    })
    front = await cluster.start(['gateway', 'api'])
    back = await cluster.start(['follower', 'courier'])
    await untilFollowed(back, node)
  })
  afterEach(async () => {
    await cleanUp()
    node.stop()
    await receiver.stop()
    await pooler?.close()
    await server?.close()
  })

  const createWebhook = async () => {
    const { status } = await callApi(
      front,
      cluster.keys().team_token,
      'POST',
      '/api/create-webhook',
      {
        network: NETWORK,
        webhook_type: 'GRAPHQL',
        webhook_url: `${receiver.url}/hook`,
        graphql_query: { query: '{ block { number hash } }', skip_empty_messages: false },
      },
    )
    expect(status).toBe(200)
  }

  const arrivedHashes = () => new Set(receiver.arrivals.map(({ json }) => hashIn(json)))

  test('serves calls and delivers blocks, with signals on a direct connection', async () => {
    await createWebhook()
    node.mine()
    await until(() => receiver.arrivals.length === 1, 'the block is delivered')
    expect(hashIn(receiver.arrivals[0]?.json)).toBe(node.head.hash)

    const call = () => callRpc(front, cluster.keys().app_key, 'eth_blockNumber')
    expect(await call()).toMatchObject({ status: 200 })
    for (const member of [front, back]) {
      expect(member.said()).not.toMatch(/signals_(absent|away)/)
      expect(await member.metric('headgate_store_failures_total')).toBe(0)
    }
    expect(await Promise.all([front.stop(), back.stop()])).toEqual([0, 0])
  })

  test('that is taken for a server ends the start at once, and says what to set', async () => {
    const env = clusterEnv(pooler.urlOf(`${server.url}/postgres`), networks())
    const { exitCode, stdout, stderr } = await runToEnd({ folder: newFolder(), env })
    expect(exitCode).toBe(1)
    expect(stderr).toContain('set postgres.transactionPooler')
    expect(stdout).not.toContain('database_awaited')
  })

  test('goes on where it was when PgBouncer was started again', async () => {
    await createWebhook()
    node.mine()
    await until(() => receiver.arrivals.length === 1, 'a block is delivered')
    await pooler.stop('SIGKILL')
    const isReady = async () => (await fetch(`${back.url}/readyz`)).ok
    await until(async () => !(await isReady()), 'it says that it is not ready')
    for (let at = 0; at < 3; at++) node.mine()
    await pooler.start()
    await until(() => arrivedHashes().size === 4, 'all are delivered', RECOVERY_MS_MAX)
    const mined = node.blocks.slice(-4).map(({ hash }) => hash)
    expect([...arrivedHashes()].toSorted()).toEqual(mined.toSorted())
    await until(isReady, 'it is ready again', RECOVERY_MS_MAX)
  })
}

// biome-ignore lint/suspicious/noExplicitAny: a delivery has the shape of its query.
function hashIn(json: any): string {
  return json.event.data.block.hash
}
