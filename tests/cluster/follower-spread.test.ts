import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { until } from '../support/basics/until.ts'
import {
  type Cluster,
  callApi,
  clusterEnv,
  type Member,
  openCluster,
} from '../support/cluster/cluster.ts'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/deliveries/webhook-receiver.ts'
import { type ChainNode, startChainNode } from '../support/nodes/chain-node.ts'
import { type TestDatabase, testDatabase } from '../support/postgres/test-postgres.ts'
import { cleanUp } from '../support/product/headgate-process.ts'
import { lacksPostgres } from '../support/product/world.ts'

setDefaultTimeout(120_000)

const NETWORKS = [
  { id: 'ETH_MAINNET', chainId: 1 },
  { id: 'BASE_MAINNET', chainId: 8453 },
  { id: 'OPT_MAINNET', chainId: 10 },
  { id: 'MATIC_MAINNET', chainId: 137 },
]
const FIRST_SEQUENCE = 1_000_000_000_001

/** A lease lasts 10 s, and those who want it look every few seconds. */
const MOVED_MS_MAX = 40_000

let nodes: ChainNode[]
let server: TestDatabase
let receiver: WebhookReceiver
let cluster: Cluster

beforeEach(async () => {
  nodes = NETWORKS.map(({ chainId }, at) => Object.assign(startChainNode(at + 1), { chainId }))
  server = await testDatabase()
  receiver = startWebhookReceiver()
  const networks = NETWORKS.map((network, at) => ({ ...network, upstreams: [nodes[at]!] }))
  cluster = openCluster(clusterEnv(server.url, networks))
  const courier = await cluster.start(['courier', 'api'])
  for (const { id } of NETWORKS) {
    const created = await callApi(courier, cluster.keys().team_token, 'POST', CREATE, {
      network: id,
      webhook_type: 'GRAPHQL',
      webhook_url: `${receiver.url}/${id}`,
      graphql_query: { query: '{ block { hash } }', skip_empty_messages: false },
    })
    expect(created.status).toBe(200)
  }
})
afterEach(async () => {
  await cleanUp()
  await receiver.stop()
  await server.drop()
  for (const node of nodes) node.stop()
})

const CREATE = '/api/create-webhook'

/** Waits for all blocks of all networks, each once and in order. */
async function delivered(): Promise<void> {
  const wanted = NETWORKS.map(({ id }, at) => ({
    id,
    blocks: nodes[at]!.blocks.map(({ hash }, place) => [`${FIRST_SEQUENCE + place}`, hash]),
  }))
  const seen = () =>
    NETWORKS.map(({ id }) => {
      const arrived = receiver.arrivals.filter(({ path }) => path === `/${id}`)
      const blocks = arrived.map(({ json }) => [
        json.event.sequenceNumber as string,
        json.event.data.block.hash as string,
      ])
      return { id, blocks: blocks.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)) }
    })
  const isAll = () => seen().every(({ blocks }, at) => blocks.length >= wanted[at]!.blocks.length)
  await until(isAll, 'all blocks of all networks are delivered', MOVED_MS_MAX)
  expect(seen()).toEqual(wanted)
}

const followed = (member: Member) => member.metric('headgate_followed_networks')

const untilFollowed = (member: Member, count: number) =>
  until(
    async () => (await followed(member)) === count,
    `a process follows ${count} networks`,
    MOVED_MS_MAX,
  )

function mine(): void {
  for (const node of nodes) node.mine()
}

describe.skipIf(lacksPostgres())('followers of four networks', () => {
  test('share them, and each block is delivered once however they move', async () => {
    const first = await cluster.start(['follower'])
    await untilFollowed(first, 4)
    await delivered()
    const second = await cluster.start(['follower'])
    mine()
    await untilFollowed(second, 2)
    expect(await followed(first)).toBe(2)
    mine()
    await delivered()

    await second.kill()
    mine()
    await untilFollowed(first, 4)
    await delivered()

    await second.start()
    mine()
    await untilFollowed(second, 2)
    mine()
    expect(await first.stop()).toBe(0)
    mine()
    await untilFollowed(second, 4)
    await delivered()
  })
})
