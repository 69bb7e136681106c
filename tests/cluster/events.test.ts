import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  type Cluster,
  callApi,
  clusterEnv,
  type Member,
  openCluster,
  untilFollowed,
} from '../support/cluster/cluster.ts'
import { listen } from '../support/deliveries/event-client.ts'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/deliveries/webhook-receiver.ts'
import { type ChainNode, startChainNode } from '../support/nodes/chain-node.ts'
import { type TestDatabase, testDatabase } from '../support/postgres/test-postgres.ts'
import { cleanUp } from '../support/product/headgate-process.ts'
import { lacksPostgres } from '../support/product/world.ts'

setDefaultTimeout(60_000)

let node: ChainNode
let database: TestDatabase
let receiver: WebhookReceiver

beforeEach(async () => {
  node = startChainNode(1)
  database = await testDatabase()
  receiver = startWebhookReceiver()
})
afterEach(async () => {
  await cleanUp()
  node.stop()
  await receiver.stop()
  await database.drop()
})

describe.skipIf(lacksPostgres())('events of processes with one role each', () => {
  let cluster: Cluster
  let follower: Member
  let apis: Member[]

  beforeEach(async () => {
    const networks = [{ id: 'ETH_MAINNET', chainId: 1, upstreams: [node] }]
    const retries = { HEADGATE_WEBHOOKS_RETRY_DELAYS_MS: '100,100' }
    cluster = openCluster({ ...clusterEnv(database.url, networks), ...retries })
    const started = await Promise.all([
      cluster.start(['follower']),
      cluster.start(['courier']),
      cluster.start(['api']),
      cluster.start(['api']),
    ])
    follower = started[0]
    apis = started.slice(2)
    await untilFollowed(follower, node)
  })

  test('come to every api: heads of the follower, outcomes of the courier, changes of others', async () => {
    const { team_token: token } = cluster.keys()
    const clients = await Promise.all(apis.map(({ url }) => listen(url, token)))
    for (const client of clients) await client.hears('head', () => true)
    const body = {
      network: 'ETH_MAINNET',
      webhook_type: 'GRAPHQL',
      webhook_url: `${receiver.url}/hook`,
      graphql_query: '{ block { number hash } }',
    }
    let refused = 0
    receiver.answer = () => (++refused < 2 ? 503 : 200)
    const { json } = await callApi(apis[0]!, token, 'POST', '/api/create-webhook', body)
    const { id } = json.data
    for (const client of clients) await client.hears('webhook', (one) => one.id === id)

    node.mine()
    const { number, hash } = node.head
    for (const client of clients) {
      expect(await client.hears('head', (head) => head.number === number)).toMatchObject({ hash })
      const isDone = ({ status }: { status: string }) => status === 'delivered'
      const delivery = await client.hears('delivery', isDone)
      expect(delivery).toMatchObject({ webhook_id: id, block_hash: hash, attempts_made: 2 })
    }

    // What one process told is not known to another, which says so.
    const headers = { 'last-event-id': clients[0]?.lastId() ?? '' }
    const query = '?topics=deliveries'
    const elsewhere = await listen(apis[1]!.url, token, { query, headers })
    await elsewhere.hears('gap', ({ reason }) => reason === 'too_old')
    for (const client of [...clients, elsewhere]) client.close()
  })

  test('end when their process is stopped, which waits for none of them', async () => {
    const { team_token: token } = cluster.keys()
    const client = await listen(apis[0]!.url, token)
    await client.hears('head', () => true)
    expect(await apis[0]!.stop()).toBe(0)
    expect(await client.ended).toBe('in order')
  })
})
