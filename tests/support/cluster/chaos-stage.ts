import { type Chance, seededChance } from '../basics/seeded-chance.ts'
import { type FlakyReceivers, startFlakyReceivers } from '../deliveries/flaky-receivers.ts'
import { type NatsTestServer, startNatsServer } from '../nats/nats-server.ts'
import { type ChainNode, startChainNode } from '../nodes/chain-node.ts'
import { startTcpRelay, type TcpRelay } from '../nodes/tcp-relay.ts'
import { type PostgresServer, startPostgresServer } from '../postgres/postgres-server.ts'
import { type Cluster, callApi, clusterEnv, openCluster } from './cluster.ts'

export type ChaosNetwork = { id: string; chainId: number; node: ChainNode }

export type ChaosWebhook = { id: string; network: string; isOrdered: boolean; skipsEmpty: boolean }

/** A cluster with everything that it depends on. */
export type ChaosStage = {
  server: PostgresServer
  relay: TcpRelay
  /** Null where PostgreSQL carries the signals. */
  nats: NatsTestServer | null
  cluster: Cluster
  networks: readonly ChaosNetwork[]
  receivers: FlakyReceivers
  webhooks: readonly ChaosWebhook[]
  /** The address of the database without the relay. */
  databaseUrl: string
  close(): Promise<void>
}

type Options = { seed: number; webhooks: number; hosts: number; withNats: boolean }

const FAILING = 1 / 3
/** A host whose failures are of that kind is left alone for some seconds, which takes its time. */
const BAD = 0.2
const TIMEOUT_MS = 1000

/** Nothing is given up: the longest list that may be configured. */
const RETRY_DELAYS_MS = Array(32).fill(200)

/** Connections from before a cut stay open on the side of the server. */
const CONNECTIONS_MAX = 1500

const ORDERED_EVERY = 8
const SKIPPING_EVERY = 5

export const ZERO = `0x${'0'.repeat(40)}`
const ALL_BLOCKS = '{ block { number hash } }'
const PAID_TO_ZERO = `{ block { number hash
  transactions(filter: { addresses: [{ to: "${ZERO}" }] }) { hash value } } }`

/** Two gateways, two followers, three couriers and the management API. */
export async function openChaosStage(options: Options): Promise<ChaosStage> {
  const { seed, hosts, withNats } = options
  const server = await startPostgresServer([`max_connections=${CONNECTIONS_MAX}`])
  const relay = await startTcpRelay(server.port)
  const nats = withNats ? await startNatsServer() : null
  const networks = ['ETH_MAINNET', 'SECOND_MAINNET'].map((id, at) => ({
    id,
    chainId: 1 + at * 999_000,
    node: startNode(seed + 2 + at, 1 + at * 999_000),
  }))
  const receivers = startFlakyReceivers({
    hosts,
    chance: seededChance(seed + 9),
    failing: FAILING,
    bad: BAD,
    timeoutMs: TIMEOUT_MS,
    // A courier that was put to sleep may read a late 200 before its timer fires.
    lateStatus: 503,
  })
  const cluster = openCluster(environment(relay, nats, networks))
  await cluster.start(['api'])
  const webhooks = await createWebhooks(options, cluster, networks, receivers)
  await Promise.all([
    ...Array.from({ length: 2 }, () => cluster.start(['gateway'])),
    ...Array.from({ length: 2 }, () => cluster.start(['follower'])),
    ...Array.from({ length: 3 }, () => cluster.start(['courier'])),
  ])
  const databaseUrl = `${server.url}/postgres`
  return {
    ...{ server, relay, nats, cluster, networks, receivers, webhooks, databaseUrl },
    async close() {
      for (const { node } of networks) node.stop()
      await receivers.stop()
      await relay.close()
      await nats?.close()
      await server.close()
    },
  }
}

function startNode(seed: number, chainId: number): ChainNode {
  const node = startChainNode(seed)
  node.chainId = chainId
  return node
}

function environment(
  relay: TcpRelay,
  nats: NatsTestServer | null,
  networks: readonly ChaosNetwork[],
): Record<string, string> {
  const url = `postgres://postgres@127.0.0.1:${relay.port}/postgres`
  const served = networks.map(({ id, chainId, node }) => ({ id, chainId, upstreams: [node] }))
  return {
    ...clusterEnv(url, served),
    HEADGATE_WEBHOOKS_TIMEOUT_MS: String(TIMEOUT_MS),
    HEADGATE_WEBHOOKS_RETRY_DELAYS_MS: RETRY_DELAYS_MS.join(),
    ...(nats ? { HEADGATE_NATS: `nats://127.0.0.1:${nats.port}` } : {}),
  }
}

async function createWebhooks(
  { webhooks: count, hosts }: Options,
  cluster: Cluster,
  networks: readonly ChaosNetwork[],
  receivers: FlakyReceivers,
): Promise<ChaosWebhook[]> {
  const [api] = cluster.members
  const created: ChaosWebhook[] = []
  for (let at = 0; at < count; at++) {
    const network = networks[at % networks.length]?.id ?? ''
    const skipsEmpty = at % SKIPPING_EVERY === 1
    const isOrdered = at % ORDERED_EVERY === 0
    const { status, json } = await callApi(
      api ?? { url: '' },
      cluster.keys().team_token,
      'POST',
      '/api/create-webhook',
      {
        network,
        webhook_type: 'GRAPHQL',
        webhook_url: receivers.urls[at % hosts],
        graphql_query: {
          query: skipsEmpty ? PAID_TO_ZERO : ALL_BLOCKS,
          skip_empty_messages: skipsEmpty,
        },
        ordered: isOrdered,
      },
    )
    if (status !== 200) throw new Error(JSON.stringify(json))
    receivers.keys.set(json.data.id, json.data.signing_key)
    created.push({ id: json.data.id, network, isOrdered, skipsEmpty })
  }
  return created
}

/** One reorganisation in so many blocks, some blocks deep. */
const REORGANISED_EVERY = 8
const DEPTH_MAX = 3

/** Mines until that is enough, with reorganisations in between. */
export async function mineOn(
  { networks }: ChaosStage,
  chance: Chance,
  everyMs: number,
  isEnough: () => Promise<boolean>,
): Promise<void> {
  while (!(await isEnough())) {
    const { node } = chance.pick(networks)
    const isReorganised = chance.between(1, REORGANISED_EVERY) === 1
    if (isReorganised && node.blocks.length > DEPTH_MAX + 1) {
      node.reorganise(chance.between(1, DEPTH_MAX))
    } else node.mine()
    await Bun.sleep(chance.between(0, 2 * everyMs))
  }
}
