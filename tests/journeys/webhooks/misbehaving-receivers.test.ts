// Runs on both stores.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/deliveries/webhook-receiver.ts'
import { type DevnetChain, devnetChain } from '../../support/devnet/devnet-chain.ts'
import {
  type Peer,
  type ScriptedServer,
  startScriptedServer,
} from '../../support/nodes/scripted-server.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

const OK = 'HTTP/1.1 200 OK\r\n'
const MEGABYTE = Buffer.alloc(2 ** 20, 'x')
const BLOCKS = 6

/** The ways in which a receiver misbehaves with a delivery. */
const MISDEEDS: Record<string, (peer: Peer) => void> = {
  hangs: () => {},
  drips: (peer) => drip(peer),
  floods: (peer) => flood(peer),
  resets: (peer) => peer.reset(),
  babbles: (peer) => peer.send('SSH-2.0-OpenSSH_9.2\r\n'),
}

let headgate: TestHeadgate
let chain: DevnetChain
let healthy: WebhookReceiver
const servers: ScriptedServer[] = []
/** The deliveries that the bad ones took once they behaved, as `name sequenceNumber`. */
const taken = new Set<string>()
let doBehave = false

beforeAll(async () => {
  healthy = startWebhookReceiver()
  headgate = await startHeadgate({
    env: {
      HEADGATE_DEVNET_BLOCK_TIME_MS: '600000',
      HEADGATE_WEBHOOKS_TIMEOUT_MS: '300',
      HEADGATE_WEBHOOKS_RETRY_DELAYS_MS: Array(20).fill(500).join(','),
    },
  })
  chain = devnetChain(headgate)
  await chain.untilFollowed()
})
afterAll(async () => {
  await headgate.stop()
  await healthy.stop()
  for (const server of servers) server.stop()
})

test('receivers that misbehave hold up nobody, and get everything once they behave', async () => {
  for (const [name, misbehave] of Object.entries(MISDEEDS)) {
    const server = startScriptedServer({
      onRequest(peer, { body }) {
        if (!doBehave) return misbehave(peer)
        taken.add(`${name} ${JSON.parse(body.toString()).event.sequenceNumber}`)
        peer.send(`${OK}content-length: 0\r\n\r\n`)
      },
    })
    servers.push(server)
    await create(server.url)
  }
  await create(healthy.url)

  await chain.mine(BLOCKS)
  // One whose answer came too late on a busy machine was sent again.
  const arrived = () =>
    new Set<string>(healthy.acceptedOn('/').map(({ json }) => json.event.sequenceNumber))
  await until(() => arrived().size === BLOCKS, 'the healthy one has every block')
  // Several are under way at once, so connections decide which one is heard first.
  const numbers = [...arrived()].toSorted()
  const [first = 0] = numbers.map(Number)
  expect(numbers.map(Number)).toEqual(Array.from({ length: BLOCKS }, (_, at) => first + at))

  // A flood begins with a 200, which is what counts; the others accepted nothing.
  doBehave = true
  const names = Object.keys(MISDEEDS).filter((name) => name !== 'floods')
  const missing = () =>
    names.flatMap((name) => numbers.map((number) => `${name} ${number}`)).filter(isMissing)
  await until(() => missing().length === 0, 'the others have every block too')
}, 180_000)

function isMissing(one: string): boolean {
  return !taken.has(one)
}

async function create(url: string): Promise<void> {
  const { status, text } = await headgate.api('POST', '/api/create-webhook', {
    network: 'ETH_DEVNET',
    webhook_type: 'GRAPHQL',
    webhook_url: `${url}/`,
    graphql_query: '{ block { number hash } }',
  })
  expect(status, text).toBe(200)
}

/** A byte now and then, so that something always comes and nothing ever ends. */
async function drip(peer: Peer): Promise<void> {
  for (const letter of `${OK}x-slow: ${'x'.repeat(1000)}`) {
    if (peer.closed) return
    peer.send(letter)
    await Bun.sleep(50)
  }
}

/** A gigabyte, as fast as it is taken. */
async function flood(peer: Peer): Promise<void> {
  peer.send(`${OK}content-length: ${2 ** 30}\r\n\r\n`)
  for (let sent = 0; sent < 1024 && !peer.closed; sent++) {
    peer.send(MEGABYTE)
    await Bun.sleep(0)
  }
}
