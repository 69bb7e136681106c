import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
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
import { startTcpRelay, type TcpRelay } from '../support/nodes/tcp-relay.ts'
import { type PostgresPair, startPostgresPair } from '../support/postgres/postgres-pair.ts'
import { cleanUp } from '../support/product/headgate-process.ts'
import { lacksPostgres } from '../support/product/world.ts'

setDefaultTimeout(180_000)

const NETWORK = 'ETH_MAINNET'
const QUERY = { query: '{ block { number hash } }', skip_empty_messages: false }

type Members = { gateway: Member; api: Member; follower: Member; courier: Member }

let node: ChainNode
let pair: PostgresPair
let relay: TcpRelay
let receiver: WebhookReceiver
let cluster: Cluster
let members: Members

afterEach(async () => {
  await cleanUp()
  node?.stop()
  await receiver?.stop()
  await relay?.close()
  await pair?.close()
})

/** A cluster on both servers, or on one address that can be moved. */
async function start(address: 'both' | 'moved'): Promise<void> {
  node = startChainNode(9)
  pair = await startPostgresPair()
  relay = await startTcpRelay(pair.primary.port)
  receiver = startWebhookReceiver()
  const ports = address === 'both' ? [pair.standby.port, pair.primary.port] : [relay.port]
  const url = `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join()}/postgres`
  cluster = openCluster(clusterEnv(url, [{ id: NETWORK, chainId: 1, upstreams: [node] }]))
  const api = await cluster.start(['api'])
  const [gateway, follower, courier] = await Promise.all([
    cluster.start(['gateway']),
    cluster.start(['follower']),
    cluster.start(['courier']),
  ])
  members = { gateway, api, follower, courier }
  await untilFollowed(follower, node)
  const created = await callApi(api, cluster.keys().team_token, 'POST', '/api/create-webhook', {
    network: NETWORK,
    webhook_type: 'GRAPHQL',
    webhook_url: `${receiver.url}/blocks`,
    graphql_query: QUERY,
  })
  expect(created.status).toBe(200)
}

const call = () => callRpc(members.gateway, cluster.keys().app_key, 'eth_getBalance')

/** The accepted deliveries: by id, every block that was sent under it. */
function sentById(): Map<string, Set<string>> {
  const byId = new Map<string, Set<string>>()
  for (const { json } of receiver.acceptedOn('/blocks')) {
    byId.set(json.id, (byId.get(json.id) ?? new Set()).add(json.event.data.block.hash))
  }
  return byId
}

/** The block of each height as a receiver has it, which goes by sequence numbers. */
function asReceived(): Map<number, string> {
  const last = new Map<number, { sequence: number; hash: string }>()
  for (const { json } of receiver.acceptedOn('/blocks')) {
    const { number, hash } = json.event.data.block
    const sequence = Number(json.event.sequenceNumber)
    if (sequence > (last.get(number)?.sequence ?? 0)) last.set(number, { sequence, hash })
  }
  return new Map([...last].map(([number, { hash }]) => [number, hash]))
}

/** Every block from this place of the chain on has arrived, in its canonical version. */
async function untilReceived(from: number): Promise<void> {
  await until(() => {
    const received = asReceived()
    return node.blocks.slice(from).every(({ number, hash }) => received.get(+number) === hash)
  }, 'the receiver has the canonical chain')
}

async function mineDelivered(count: number): Promise<void> {
  for (let at = 0; at < count; at++) node.mine()
  await untilReceived(node.blocks.length - count)
}

const expectOneBlockPerId = () => {
  for (const [id, hashes] of sentById()) expect([id, hashes.size]).toEqual([id, 1])
}

async function expectAllReady(): Promise<void> {
  for (const { url } of Object.values(members)) {
    await until(async () => (await fetch(`${url}/readyz`)).ok, 'every process is ready')
  }
}

describe.skipIf(lacksPostgres())('a failover loses nothing with synchronous replication', () => {
  test.each([
    ['the primary is killed', 'both', () => pair.killPrimary()],
    ['the primary is killed behind one address', 'moved', () => pair.killPrimary()],
    ['the address moves and old connections stay silent', 'moved', async () => {}],
  ] as const)('when %s', async (_how, address, fail) => {
    await start(address)
    await pair.makeSynchronous()
    await mineDelivered(3)
    const before = node.blocks.length
    for (let at = 0; at < 20; at++) expect((await call()).status).toBe(200)

    await fail()
    for (let at = 0; at < 3; at++) node.mine()
    await pair.promote()
    relay.moveTo(pair.standby.port)
    for (let at = 0; at < 20; at++) expect((await call()).status).toBe(200)
    await untilReceived(before - 3)
    await expectAllReady()

    await mineDelivered(2)
    const made = { name: 'After', networks: [NETWORK] }
    const { team_token } = cluster.keys()
    const created = await callApi(members.api, team_token, 'POST', '/api/apps', made)
    expect(created.status).toBe(200)
    expectOneBlockPerId()
    const numbers = receiver.acceptedOn('/blocks').map(({ json }) => json.event.sequenceNumber)
    const sequences = [...new Set(numbers)].map(Number).sort((a, b) => a - b)
    const [first = 0] = sequences
    expect(sequences).toEqual(sequences.map((_, at) => first + at))
  })
})

describe.skipIf(lacksPostgres())('with asynchronous replication', () => {
  test.each([
    ['the follower goes on', false],
    ['another follower takes over', true],
  ] as const)('no delivery id is used for two blocks: %s', async (_who, isReplaced) => {
    await start('both')
    const spare = isReplaced ? await cluster.start(['follower']) : null
    await mineDelivered(2)
    await pair.untilReplicated()
    pair.cutReplication()
    await mineDelivered(4)

    await pair.killPrimary()
    if (spare) {
      await members.follower.kill()
      members.follower = spare
    }
    // The chain has other blocks at the heights that the new primary knows nothing about.
    node.reorganise(4)
    await pair.promote()
    await untilReceived(1)
    await mineDelivered(2)
    expectOneBlockPerId()
    await until(async () => (await wentBack()) > 0, 'it is reported')
    await expectAllReady()
  })
})

async function wentBack(): Promise<number> {
  const counts = Object.values(members).map((one) => one.metric('headgate_store_went_back_total'))
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}
