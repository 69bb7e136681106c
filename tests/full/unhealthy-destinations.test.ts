// Runs on both stores.
import { afterAll, afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { startWebhookReceiver } from '../support/deliveries/webhook-receiver.ts'
import { startChainNode } from '../support/nodes/chain-node.ts'
import {
  type Peer,
  type ScriptedServer,
  startScriptedServer,
} from '../support/nodes/scripted-server.ts'
import { until } from '../support/product/headgate.ts'
import {
  cleanUp,
  configText,
  type HeadgateProcess,
  newFolder,
  startProcess,
  writeConfig,
} from '../support/product/headgate-process.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

const HEALTHY = 10
/** At four attempts each, more than all that are under way at once. */
const HANGING = 270
const DRIPPING = 10
const FLOODING = 5
const DEAD = 300
const BLOCKS = 10
const TEAMS = 7

/** A courier that waited for a receiver that hangs would wait longer than this test does. */
const TIMEOUT_MS = 60_000

/** Ports at which nobody listens on a usual machine; one that does is one dead host less. */
const FIRST_DEAD_PORT = 200

/** Bytes of one answer; one that is not cut off by then never will be. */
const FLOOD_BYTES_MAX = 64 * 2 ** 20
const MEGABYTE = Buffer.alloc(2 ** 20, 'x')

/** An order of magnitude above what it takes, and one below what answers would fill. */
const GROWTH_BYTES_MAX = 256 * 2 ** 20

const servers: ScriptedServer[] = []

afterEach(cleanUp)
afterAll(() => servers.forEach((server) => void server.stop()))

test(`healthy receivers get every block as it comes beside ${DEAD} dead hosts and others that hang, drip and flood`, async () => {
  const node = startChainNode(7)
  const healthy = startWebhookReceiver()
  const folder = newFolder()
  const more =
    `webhooks: { allowPrivateDestinations: true, timeoutMs: ${TIMEOUT_MS} }\n` +
    'tiers: { enterprise: { webhooksMax: 1000 } }\n'
  writeConfig(folder, configText([node], more))
  const headgate = await startProcess({ folder, args: ['--config', 'headgate.yaml'] })
  let flooded = 0
  const hang = misbehaving(() => {})
  const drip = misbehaving(dripOn)
  const flood = misbehaving(async (peer) => {
    flooded = Math.max(flooded, await floodOn(peer))
  })
  await createAll(headgate, [
    ...many(HANGING, () => hang().url),
    ...many(DRIPPING, () => drip().url),
    ...many(FLOODING, () => flood().url),
    ...many(DEAD, (at) => `http://127.0.0.1:${FIRST_DEAD_PORT + at}/`),
    ...many(HEALTHY, (at) => `${healthy.url}/${at}`),
  ])

  const rssBefore = rssBytes(headgate.pid)
  const attempts = () => servers.reduce((sum, server) => sum + server.requests().length, 0)
  for (let block = 1; block <= BLOCKS; block++) {
    node.mine()
    const arrived = () => healthy.arrivals.length === block * HEALTHY
    await until(arrived, `block ${block} has come to all that are healthy`)
  }
  for (let at = 0; at < HEALTHY; at++) {
    const numbers = healthy.acceptedOn(`/${at}`).map(({ json }) => json.event.sequenceNumber)
    expect(new Set(numbers).size).toBe(BLOCKS)
  }
  // The bad ones were tried too, and most of what was sent to them still hangs.
  await until(() => attempts() > HANGING + DRIPPING, 'the bad ones were tried')
  const open = () => servers.flatMap(({ peers }) => peers).filter(({ closed }) => !closed).length
  await until(() => open() > HANGING, 'most of them hang')
  await until(() => flooded > 0, 'a flood is cut off')
  expect(flooded).toBeLessThan(FLOOD_BYTES_MAX)
  expect(rssBytes(headgate.pid) - rssBefore).toBeLessThan(GROWTH_BYTES_MAX)
  node.stop()
  await healthy.stop()
}, 180_000)

function misbehaving(onRequest: (peer: Peer) => void) {
  return () => {
    const server = startScriptedServer({ onRequest })
    servers.push(server)
    return server
  }
}

/** A byte now and then, so that something always comes and nothing ever ends. */
async function dripOn(peer: Peer): Promise<void> {
  const letters = `HTTP/1.1 200 OK\r\nx-slow: ${'x'.repeat(100)}`
  for (const letter of letters) {
    if (peer.closed) return
    peer.send(letter)
    await Bun.sleep(1000)
  }
}

/** A gigabyte is said to come. How much of it could be sent until somebody hung up. */
async function floodOn(peer: Peer): Promise<number> {
  const before = peer.sentBytes
  peer.send(`HTTP/1.1 500 Oh\r\ncontent-length: ${2 ** 30}\r\n\r\n`)
  while (!peer.closed && peer.sentBytes - before < FLOOD_BYTES_MAX) {
    peer.send(MEGABYTE)
    await Bun.sleep(1)
  }
  return peer.sentBytes - before
}

async function createAll(headgate: HeadgateProcess, urls: readonly string[]): Promise<void> {
  const { operator_token } = headgate.keys
  // A team may have 200 queries read in ten seconds; each gets some of every kind.
  const teams = await Promise.all(
    many(TEAMS, (at) => {
      const team = { name: `crowd ${at}`, tier: 'enterprise' }
      return call(headgate, operator_token, '/api/teams', team)
    }),
  )
  const create = async (webhook_url: string, at: number): Promise<void> => {
    const graphql_query = '{ block { number hash } }'
    const body = { network: 'ETH_MAINNET', webhook_type: 'GRAPHQL', webhook_url, graphql_query }
    await call(headgate, teams[at % TEAMS]?.token, '/api/create-webhook', body)
  }
  await Promise.all(urls.map(create))
}

async function call({ url }: HeadgateProcess, token: string, path: string, body?: unknown) {
  const response = await fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'x-service-token': token, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return JSON.parse(text).data
}

function many<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at))
}

/** Zero where the system does not say. */
function rssBytes(pid: number): number {
  if (process.platform !== 'linux') return 0
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}
