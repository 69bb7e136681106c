import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { sql } from '../../src/ports/database.ts'
import { until } from '../support/basics/until.ts'
import {
  type Cluster,
  callApi,
  clusterEnv,
  type Member,
  openCluster,
  untilFollowed,
} from '../support/cluster/cluster.ts'
import { type ClusterDatabase, openClusterDatabase } from '../support/cluster/cluster-database.ts'
import { contradiction, miscount } from '../support/deliveries/stored-deliveries.ts'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/deliveries/webhook-receiver.ts'
import { type ChainNode, startChainNode } from '../support/nodes/chain-node.ts'
import { type TestDatabase, testDatabase } from '../support/postgres/test-postgres.ts'
import { cleanUp } from '../support/product/headgate-process.ts'
import { lacksPostgres } from '../support/product/world.ts'

setDefaultTimeout(180_000)

const SHARDS = 256
const WEBHOOKS = 12
const NETWORK = 'ETH_MAINNET'

/**
 * An attempt may take so long, which makes a lease of seven seconds. One that takes longer on a
 * busy machine is made again soon.
 */
const ENV = {
  HEADGATE_WEBHOOKS_TIMEOUT_MS: '2000',
  HEADGATE_WEBHOOKS_RETRY_DELAYS_MS: Array(10).fill(500).join(),
}

/** The lease lapses, and somebody looks after that. */
const TAKEOVER_MS_MAX = 40_000

let node: ChainNode
let server: TestDatabase
let database: ClusterDatabase
let receiver: WebhookReceiver
let cluster: Cluster

beforeEach(async () => {
  node = startChainNode(3)
  server = await testDatabase()
  database = openClusterDatabase(server.url)
  receiver = startWebhookReceiver()
  const networks = [{ id: NETWORK, chainId: 1, upstreams: [node] }]
  cluster = openCluster({ ...clusterEnv(server.url, networks), ...ENV })
})
afterEach(async () => {
  await cleanUp()
  await receiver.stop()
  await database.close()
  await server.drop()
  node.stop()
})

/** Waits until these couriers have all shards, each its share, and know it. */
async function untilShared(couriers: readonly Member[]): Promise<void> {
  const most = Math.ceil(SHARDS / couriers.length)
  const isShared = async () => {
    const stored = await database.shardCounts()
    const said = await Promise.all(couriers.map((one) => one.metric('headgate_courier_shards')))
    const owned = couriers.map(({ name }) => stored.get(name) ?? 0)
    const sum = owned.reduce((all, one) => all + one, 0)
    return sum === SHARDS && Math.max(...owned) <= most && said.join() === owned.join()
  }
  await until(isShared, `${couriers.length} couriers share all shards`, TAKEOVER_MS_MAX)
}

/** One webhook after the other belongs to another shard. */
async function createWebhooks(api: Member): Promise<void> {
  for (let at = 0; at < WEBHOOKS; at++) {
    const created = await callApi(api, cluster.keys().team_token, 'POST', '/api/create-webhook', {
      network: NETWORK,
      webhook_type: 'GRAPHQL',
      webhook_url: `${receiver.url}/${at}`,
      graphql_query: { query: '{ block { number } }', skip_empty_messages: false },
      ordered: at % 2 === 0,
    })
    expect(created.status).toBe(200)
  }
}

/** Each block that the node has now arrives at each webhook. */
async function untilDelivered(blocks: number): Promise<void> {
  const ids = () => new Set(receiver.arrivals.map(({ json }) => json.id))
  await until(() => ids().size === WEBHOOKS * blocks, 'all is delivered', TAKEOVER_MS_MAX)
}

async function couriersOf(count: number): Promise<Member[]> {
  return Promise.all(Array.from({ length: count }, () => cluster.start(['courier'])))
}

describe.skipIf(lacksPostgres())('the shards of couriers', () => {
  test('are spread evenly, and move when a courier comes, goes or is killed', async () => {
    const first = await cluster.start(['courier'])
    await untilShared([first])
    const [second, third] = await couriersOf(2)
    const all = [first, second!, third!]
    await untilShared(all)

    expect(await third!.stop()).toBe(0)
    expect((await database.shardCounts()).has(third!.name)).toBe(false)
    await untilShared([first, second!])
    await third!.start()
    await untilShared(all)
    await first.kill()
    await untilShared([second!, third!])
    await first.start()
    await untilShared(all)
  })

  test('are served by another when their owner sleeps in the middle of a commit', async () => {
    const api = await cluster.start(['api', 'follower'])
    await untilFollowed(api, node)
    await createWebhooks(api)
    const couriers = await couriersOf(3)
    await untilShared(couriers)
    node.mine()
    await untilDelivered(1)

    // Its outcomes are not written, so that it is in the middle of a commit when it falls asleep.
    const unlock = await database.lock(sql`LOCK TABLE done_deliveries IN SHARE MODE`)
    node.mine()
    await database.untilSomebodyWaits()
    const owner = await database.ownerOfFirst()
    const asleep = couriers.find(({ name }) => name === owner)!
    asleep.signal('SIGSTOP')
    await unlock()
    node.mine()
    await untilDelivered(3)
    const awake = couriers.filter((one) => one !== asleep)
    await untilShared(awake)

    asleep.signal('SIGCONT')
    await until(() => asleep.said().includes('"courier_fenced"'), 'it hears of it', TAKEOVER_MS_MAX)
    await untilShared(couriers)
    node.mine()
    await untilDelivered(4)
    const isSettled = async () => (await database.query(sql`SELECT 1 FROM outbox`)).length === 0
    await until(isSettled, 'everything is settled')
    expect(await contradiction(database)).toBeNull()
    expect(await miscount(database)).toBeNull()
    const bills = await database.query(sql`
      SELECT CAST(SUM(calls) AS BIGINT) AS calls FROM usage WHERE method = 'webhook'`)
    expect(bills).toEqual([{ calls: WEBHOOKS * 4 }])
  })
})
