// Runs on both stores.
import { afterAll, beforeAll, setDefaultTimeout, test } from 'bun:test'
import { type DevnetChain, devnetChain } from '../../support/devnet/devnet-chain.ts'
import {
  type Peer,
  type ScriptedServer,
  startScriptedServer,
} from '../../support/nodes/scripted-server.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { newTeam } from '../../support/product/teams.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'

/** At four attempts each, more than are under way to hosts that never answered. */
const HOSTS = 140

/** A token may make a hundred calls a second. */
const TEAMS = 2

const BLOCKS = 4

const DELIVERED = 'network="ETH_DEVNET",outcome="delivered"'

let headgate: TestHeadgate
let chain: DevnetChain
const servers: ScriptedServer[] = []
const held: Peer[] = []
let isAnswering = false

beforeAll(async () => {
  headgate = await startHeadgate({
    env: {
      HEADGATE_DEVNET_BLOCK_TIME_MS: '600000',
      HEADGATE_WEBHOOKS_TIMEOUT_MS: '60000',
    },
  })
  chain = devnetChain(headgate)
  await chain.untilFollowed()
})
afterAll(async () => {
  await headgate.stop()
  for (const server of servers) server.stop()
})

test('operators see how long deliveries have waited for a courier', async () => {
  for (let team = 0; team < TEAMS; team++) {
    const { token } = await newTeam(headgate, 'enterprise')
    for (let at = 0; at < HOSTS / TEAMS; at++) await createOnNewHost(token)
  }
  await chain.mine(BLOCKS)
  await until(async () => (await ageS()) > 1, 'deliveries have waited for more than a second')
  const before = await ageS()
  await until(async () => (await ageS()) > before, 'they wait on')

  isAnswering = true
  for (const peer of held) peer.send(OK)
  const isDelivered = async () => {
    const due = await metric('headgate_deliveries_due_total', 'network="ETH_DEVNET"')
    return due === (await metric('headgate_deliveries_total', DELIVERED))
  }
  await until(isDelivered, 'everything is delivered')
  await until(async () => (await ageS()) === 0, 'nothing waits any more')
})

async function createOnNewHost(token: string): Promise<void> {
  const server = startScriptedServer({
    onRequest(peer) {
      if (isAnswering) peer.send(OK)
      else held.push(peer)
    },
  })
  servers.push(server)
  const body = {
    network: 'ETH_DEVNET',
    webhook_type: 'GRAPHQL',
    webhook_url: server.url,
    graphql_query: '{ block { number } }',
  }
  const { status, text } = await headgate.api('POST', '/api/create-webhook', body, token)
  if (status !== 200) throw new Error(text)
}

const ageS = () => metric('headgate_oldest_waiting_delivery_seconds', 'network="ETH_DEVNET"')

/** One that is missing has counted nothing yet. */
async function metric(name: string, labels: string): Promise<number> {
  const text = await (await fetch(`${headgate.url}/metrics`)).text()
  const line = text.split('\n').find((one) => one.startsWith(`${name}{${labels}} `))
  return Number(line?.split(' ').at(-1) ?? 0)
}
