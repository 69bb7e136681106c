import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { sql } from '../../src/ports/database.ts'
import { until } from '../support/basics/until.ts'
import {
  type Cluster,
  callApi,
  clusterEnv,
  type Member,
  openCluster,
} from '../support/cluster/cluster.ts'
import { type ClusterDatabase, openClusterDatabase } from '../support/cluster/cluster-database.ts'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/deliveries/webhook-receiver.ts'
import { type ChainNode, startChainNode } from '../support/nodes/chain-node.ts'
import { type TestDatabase, testDatabase } from '../support/postgres/test-postgres.ts'
import { cleanUp } from '../support/product/headgate-process.ts'
import { lacksPostgres } from '../support/product/world.ts'

setDefaultTimeout(180_000)

const NETWORK = 'ETH_MAINNET'
const FIRST_SEQUENCE = 1_000_000_000_001

/** A lease lasts 10 s, and whoever wants it looks every few seconds. */
const TAKEOVER_MS_MAX = 60_000
/** From then on nothing is in the way. */
const DELIVERED_MS_MAX = 40_000

let node: ChainNode
let server: TestDatabase
let database: ClusterDatabase
let receiver: WebhookReceiver
let cluster: Cluster
let followers: Member[]

beforeEach(async () => {
  node = startChainNode(2)
  server = await testDatabase()
  database = openClusterDatabase(server.url)
  receiver = startWebhookReceiver()
  cluster = openCluster(clusterEnv(server.url, [{ id: NETWORK, chainId: 1, upstreams: [node] }]))
  const courier = await cluster.start(['courier', 'api'])
  const created = await callApi(courier, cluster.keys().team_token, 'POST', '/api/create-webhook', {
    network: NETWORK,
    webhook_type: 'GRAPHQL',
    webhook_url: `${receiver.url}/hook`,
    graphql_query: { query: '{ block { number hash } }', skip_empty_messages: false },
  })
  expect(created.status).toBe(200)
  followers = await Promise.all([cluster.start(['follower']), cluster.start(['follower'])])
  await delivered()
})
afterEach(async () => {
  await cleanUp()
  await receiver.stop()
  await database.close()
  await server.drop()
  node.stop()
})

/** Waits for all blocks of the chain, each once and in order. */
async function delivered(waitMsMax = TAKEOVER_MS_MAX): Promise<void> {
  const wanted = node.blocks.map(({ hash }, at) => ({ hash, number: `${FIRST_SEQUENCE + at}` }))
  const seen = () => {
    const all = receiver.arrivals.map(({ json }) => ({
      hash: json.event.data.block.hash,
      number: json.event.sequenceNumber,
    }))
    return all.toSorted((a, b) => (a.number < b.number ? -1 : 1))
  }
  await until(() => seen().length >= wanted.length, 'all is delivered', waitMsMax)
  expect(seen()).toEqual(wanted)
}

async function holder(): Promise<{ held: Member; other: Member }> {
  const name = await database.followerOf(NETWORK)
  const held = followers.find((one) => one.name === name)
  const other = followers.find((one) => one.name !== name)
  if (!held || !other) throw new Error(`nobody follows but ${name}`)
  return { held, other }
}

const untilTaken = (by: Member) =>
  until(
    async () => (await database.followerOf(NETWORK)) === by.name,
    'the other follows',
    TAKEOVER_MS_MAX,
  )

function mine(blocks: number): void {
  for (let at = 0; at < blocks; at++) node.mine()
}

describe.skipIf(lacksPostgres())('of two followers of a network', () => {
  test('one goes on where the other was killed', async () => {
    const { held, other } = await holder()
    mine(5)
    await held.kill()
    mine(5)
    await untilTaken(other)
    await delivered()

    await held.start()
    mine(3)
    await delivered()
    expect((await holder()).held).toBe(other)
  })

  test('one goes on at once when the other is stopped', async () => {
    const { held, other } = await holder()
    mine(3)
    expect(await held.stop()).toBe(0)
    mine(3)
    await untilTaken(other)
    await delivered()
  })

  test('one goes on while the other sleeps in the middle of a commit, which comes to nothing', async () => {
    const { held, other } = await holder()
    const unlock = await database.lock(sql`
      SELECT network FROM chains WHERE network = ${NETWORK} FOR UPDATE`)
    node.mine()
    await database.untilSomebodyWaits()
    held.signal('SIGSTOP')
    await unlock()
    mine(4)
    await untilTaken(other)
    // The commit of the sleeper holds the row of the chain, and the server must not wait for it.
    await delivered(DELIVERED_MS_MAX)

    node.reorganise(2)
    held.signal('SIGCONT')
    const wanted = FIRST_SEQUENCE + 5 + 3
    const last = () => Math.max(...receiver.arrivals.map((one) => one.json.event.sequenceNumber))
    await until(() => last() === wanted, 'the reorganisation is delivered')
    const tip = receiver.arrivals.find((one) => one.json.event.sequenceNumber === `${wanted}`)
    expect(tip?.json.event.data.block.hash).toBe(node.head.hash)
    expect(receiver.arrivals).toHaveLength(9)

    await other.kill()
    node.mine()
    await untilTaken(held)
    await until(() => last() === wanted + 1, 'the woken one goes on', TAKEOVER_MS_MAX)
    expect(receiver.arrivals).toHaveLength(10)
    expect(receiver.arrivals.at(-1)?.json.event.data.block.hash).toBe(node.head.hash)
  })
})
