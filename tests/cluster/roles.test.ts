import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { until } from '../support/basics/until.ts'
import {
  type Cluster,
  callApi,
  callRpc,
  clusterEnv,
  type Member,
  openCluster,
  type Role,
  untilAnswered,
  untilFollowed,
} from '../support/cluster/cluster.ts'
import { startWebhookReceiver } from '../support/deliveries/webhook-receiver.ts'
import { type ChainNode, startChainNode } from '../support/nodes/chain-node.ts'
import { type TestDatabase, testDatabase } from '../support/postgres/test-postgres.ts'
import { cleanUp, keysIn, newFolder, runToEnd } from '../support/product/headgate-process.ts'
import { lacksPostgres } from '../support/product/world.ts'
import { openWsClient } from '../support/product/ws-client.ts'

setDefaultTimeout(180_000)

const ROLES: readonly Role[] = ['gateway', 'follower', 'courier', 'api']

let node: ChainNode
let database: TestDatabase
let env: Record<string, string>

beforeEach(async () => {
  node = startChainNode(1)
  database = await testDatabase()
  env = clusterEnv(database.url, [{ id: 'ETH_MAINNET', chainId: 1, upstreams: [node] }])
})
afterEach(async () => {
  await cleanUp()
  node.stop()
  await database.drop()
})

describe.skipIf(lacksPostgres())('processes with one role each', () => {
  let cluster: Cluster
  let by: Record<Role, Member>
  beforeEach(async () => {
    cluster = openCluster(env)
    const [gateway, follower, courier, api] = await Promise.all(
      ROLES.map((role) => cluster.start([role])),
    )
    by = { gateway: gateway!, follower: follower!, courier: courier!, api: api! }
  })
  const api = (method: string, path: string, body?: unknown) =>
    callApi(by.api, cluster.keys().team_token, method, path, body)

  test('answer what is theirs, and say 404 to the rest', async () => {
    const { app_key, team_token } = cluster.keys()
    for (const [role, member] of Object.entries(by)) {
      const rpc = await callRpc(member, app_key, 'eth_blockNumber')
      expect(rpc).toMatchObject(
        role === 'gateway'
          ? { status: 200, json: { result: `0x${node.head.number.toString(16)}` } }
          : { status: 404, json: { error: { code: -32600 } } },
      )
      const managed = await callApi(member, team_token, 'GET', '/api/apps')
      expect(managed.status).toBe(role === 'api' ? 200 : 404)
      expect((await fetch(`${member.url}/`)).status).toBe(role === 'api' ? 200 : 404)
      for (const path of ['/healthz', '/readyz', '/metrics']) {
        expect((await fetch(`${member.url}${path}`)).status).toBe(200)
      }
    }
  })

  test('know an app at once that another process made, changed or deleted', async () => {
    const created = await api('POST', '/api/apps', { name: 'New', networks: ['ETH_MAINNET'] })
    const { id, key } = created.json.data
    const call = () => callRpc(by.gateway, key, 'eth_blockNumber')
    expect((await call()).status).toBe(200)

    const rotated = await api('POST', `/api/apps/${id}/rotate-key`, {})
    await untilAnswered(call, 401)
    const newKey = rotated.json.data.key
    const callAgain = () => callRpc(by.gateway, newKey, 'eth_blockNumber')
    expect((await callAgain()).status).toBe(200)

    await api('PATCH', `/api/apps/${id}`, { is_active: false })
    await untilAnswered(callAgain, 403)
    await api('PATCH', `/api/apps/${id}`, { is_active: true })
    await untilAnswered(callAgain, 200)
    expect((await api('DELETE', `/api/apps/${id}`)).status).toBe(200)
    await untilAnswered(callAgain, 401)
  })

  test('deliver a block by the courier, and tell it to subscribers of the gateway', async () => {
    const receiver = startWebhookReceiver()
    await untilFollowed(by.follower, node)
    const { json } = await api('POST', '/api/create-webhook', {
      network: 'ETH_MAINNET',
      webhook_type: 'GRAPHQL',
      webhook_url: `${receiver.url}/hook`,
      graphql_query: { query: '{ block { number hash } }', skip_empty_messages: false },
    })
    // A gateway follows the chain for its subscribers by itself.
    const subscriber = await openWsClient(
      `${by.gateway.url}/eth-mainnet/v2/${cluster.keys().app_key}`,
    )
    expect((await subscriber.call('eth_subscribe', ['newHeads'])).result).toStartWith('0x')
    const seen = node.head.number
    node.mine()
    await until(() => receiver.acceptedOn('/hook').length === 1, 'the block is delivered')
    const [first] = receiver.acceptedOn('/hook')
    expect(first?.json.event.data.block.hash).toBe(node.head.hash)

    await api('PUT', '/api/update-webhook', {
      webhook_id: json.data.id,
      webhook_url: `${receiver.url}/moved`,
    })
    const isMoved = () => {
      node.mine()
      return receiver.acceptedOn('/moved').length > 0
    }
    await until(isMoved, 'its new address is used')
    await api('PUT', '/api/update-webhook', { webhook_id: json.data.id, is_active: false })
    node.mine()
    const { number } = node.head
    await untilFollowed(by.follower, node)
    const arrived = receiver.arrivals.map((one) => one.json.event.data.block.number)
    expect(arrived).not.toContain(number)
    const heights = () => subscriber.notifications().map((head) => Number(head.number))
    await until(() => heights().at(-1) === number, 'the subscriber has the last block')
    expect(heights()).toEqual(Array.from({ length: number - seen }, (_, at) => seen + 1 + at))
    await subscriber.close()
    await receiver.stop()
  })
})

test.skipIf(lacksPostgres())(
  'ten processes that start at once on an empty database come up with one first run',
  async () => {
    const cluster = openCluster(env)
    const started = await Promise.all(Array.from({ length: 10 }, () => cluster.start(ROLES)))
    const { app_key, team_token } = cluster.keys()
    for (const member of started) {
      expect((await callRpc(member, app_key, 'eth_blockNumber')).status).toBe(200)
      const { json } = await callApi(member, team_token, 'GET', '/api/apps')
      expect(json.data).toHaveLength(1)
    }
    expect(new Set(started.map(({ name }) => name)).size).toBe(10)
    expect(await Promise.all(started.map((member) => member.stop()))).toEqual(Array(10).fill(0))
  },
)

test.skipIf(lacksPostgres())('a process with another secret is refused, and told why', async () => {
  const cluster = openCluster(env)
  await cluster.start(['api'])
  const folder = newFolder()
  const ended = await runToEnd({ folder, env: { ...env, HEADGATE_SECRET: '7f'.repeat(32) } })
  expect(ended.exitCode).not.toBe(0)
  expect(ended.stderr + ended.stdout).toContain(
    'secret is not the one that this database was first used with',
  )
  expect(ended.stderr + ended.stdout).not.toContain('7f7f')
  expect(keysIn(folder)).toBeNull()
})
