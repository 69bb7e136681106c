// Runs on both stores.
import { afterAll, beforeAll, setDefaultTimeout, test } from 'bun:test'
import { type DevnetChain, devnetChain } from '../../support/devnet/devnet-chain.ts'
import { type ScriptedServer, startScriptedServer } from '../../support/nodes/scripted-server.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { newTeam } from '../../support/product/teams.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
const NOISY_WEBHOOKS = 90
const BLOCKS = 8

let headgate: TestHeadgate
let chain: DevnetChain
let shared: ScriptedServer
/** Ids of deliveries: an answer that came too late on a busy machine brings one again. */
const victims = new Set<string>()
let closed = 0

beforeAll(async () => {
  shared = startScriptedServer({
    onRequest(peer, { head, body }) {
      if (head.startsWith('POST /victim ')) {
        victims.add(JSON.parse(body.toString()).id)
        return peer.send(OK)
      }
      closed += 1
      peer.reset()
    },
  })
  // It waits in vain for a request from those who speak TLS to it, and so do they.
  const env = { HEADGATE_DEVNET_BLOCK_TIME_MS: '600000', HEADGATE_WEBHOOKS_TIMEOUT_MS: '300' }
  headgate = await startHeadgate({ env })
  chain = devnetChain(headgate)
  await chain.untilFollowed()
})
afterAll(async () => {
  await headgate.stop()
  shared.stop()
})

test('a team whose webhooks fail on a shared server holds up no other team there', async () => {
  const victim = await newTeam(headgate, 'free')
  const noisy = await newTeam(headgate, 'free')
  const tlsUrl = shared.url.replace('http:', 'https:')
  await create(`${shared.url}victim`, victim.token)
  await create(`${shared.url}closes`, noisy.token)
  for (let at = 0; at < NOISY_WEBHOOKS; at++) await create(`${tlsUrl}${at}`, noisy.token)

  for (let block = 1; block <= BLOCKS; block++) {
    await chain.mine(1)
    await until(() => victims.size === block, `block ${block} has come to the victim`)
  }
  // The others were tried, and given up: so many in a row had no answer.
  await until(() => closed > 0, 'the one that closes was tried')
  const isOpen = async () => {
    const metrics = await fetch(`${headgate.url}/metrics`)
    const open = (await metrics.text()).match(/^headgate_host_breakers_open(?:\{\})? (\d+)$/m)
    return Number(open?.[1]) > 0
  }
  await until(isOpen, 'a circuit breaker is open')
})

async function create(url: string, token: string): Promise<void> {
  const body = {
    network: 'ETH_DEVNET',
    webhook_type: 'GRAPHQL',
    webhook_url: url,
    graphql_query: '{ block { number } }',
  }
  const { status, text } = await headgate.api('POST', '/api/create-webhook', body, token)
  if (status !== 200) throw new Error(text)
}
