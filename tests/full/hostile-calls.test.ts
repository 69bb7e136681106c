import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/deliveries/webhook-receiver.ts'
import { rpc, until } from '../support/product/headgate.ts'
import {
  cleanUp,
  type HeadgateProcess,
  newFolder,
  startProcess,
} from '../support/product/headgate-process.ts'
import { HOSTILE_KINDS, type HostileKind } from '../support/product/hostile-calls.ts'

/** Calls of each kind; a day's worth is 10,000. */
const CALLS = Number(process.env.HEADGATE_HOSTILE_CALLS ?? 100)
const AT_ONCE = { small: 16, large: 4 }
const BLOCK_MS = 1500
const LOOK_EVERY_MS = 100

setDefaultTimeout(180_000 + CALLS * 200)

let headgate: HeadgateProcess
let receiver: WebhookReceiver
let bystander: { token: string; key: string }
let asked = 0

beforeAll(async () => {
  receiver = startWebhookReceiver()
  headgate = await startProcess({
    folder: newFolder(),
    env: {
      HEADGATE_LISTEN: '127.0.0.1:0',
      HEADGATE_DEVNET_BLOCK_TIME_MS: String(BLOCK_MS),
      // Each call of the demo key comes from an address of its own, as from a botnet.
      HEADGATE_TRUST_PROXY: 'true',
      HEADGATE_TIERS_FREE_CU_PER_SECOND: 'null',
      HEADGATE_LOG_REQUESTS: 'false',
    },
  })
  bystander = await newTeam()
  const webhook = {
    network: 'ETH_DEVNET',
    webhook_type: 'GRAPHQL',
    webhook_url: `${receiver.url}/bystander`,
    graphql_query: '{ block { number } }',
  }
  expect((await api('POST', '/api/create-webhook', bystander.token, webhook)).status).toBe(200)
  await until(() => numbers().length > 0, 'the first block arrives')
})

afterAll(async () => {
  await cleanUp()
  await receiver.stop()
})

describe('while anybody calls the node like this, the webhooks of others go on', () => {
  test.each(HOSTILE_KINDS)('$title', async (kind) => {
    const startedAtMs = performance.now()
    const watch = watchService()
    const lateBefore = numbers().length
    try {
      await sendAll(kind)
      const head = await blockNumber()
      await until(() => (numbers().at(-1) ?? 0) > head, 'the next block arrives')
    } finally {
      await watch.end()
    }
    const seen = watch.seen()

    expect(seen.states).toEqual(['used: healthy'])
    expect(seen.lagBlocksMax).toBeLessThanOrEqual(1)
    expect(seen.bystanderStatuses).toEqual([200])
    const arrived = numbers()
    expect(arrived).toEqual(arrived.map((_, at) => (arrived[0] ?? 0) + at))
    if (process.env.HEADGATE_HOSTILE_CALLS !== undefined) {
      const seconds = Math.round((performance.now() - startedAtMs) / 100) / 10
      const blocks = arrived.length - lateBefore
      const { lagBlocksMax, looks } = seen
      console.log(JSON.stringify({ ...kind, calls: CALLS, seconds, blocks, lagBlocksMax, looks }))
    }
  })
})

async function sendAll(kind: HostileKind): Promise<void> {
  const lanes = kind.isLarge ? AT_ONCE.large : AT_ONCE.small
  const send = async (lane: number) => {
    for (let at = lane; at < CALLS; at += lanes) await sendOne(kind, at)
  }
  await Promise.all(Array.from({ length: lanes }, (_, lane) => send(lane)))
}

async function sendOne({ bodyOf, status }: HostileKind, at: number): Promise<void> {
  const response = await fetch(`${headgate.url}/eth-devnet/v2/demo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': nextAddress() },
    body: bodyOf(at),
  })
  const text = await response.text()
  expect(response.status).toBe(status)
  expect(text).toInclude('"error":')
  expect(/[}\]]$/.test(text)).toBe(true)
}

/** Looks at what operators and other callers see, until it is ended. */
function watchService() {
  const states = new Set<string>()
  const bystanderStatuses = new Set<number>()
  let lagBlocksMax = 0
  let looks = 0
  let ended = false
  const look = async () => {
    const { json } = await api('GET', '/api/networks', bystander.token)
    const { state, reason } = json.data[0].upstreams[0]
    states.add(`${state}: ${reason}`)
    lagBlocksMax = Math.max(lagBlocksMax, await lagBlocks())
    bystanderStatuses.add((await call(bystander.key, 'eth_getBalance', addressAt(looks))).status)
    looks++
  }
  const lookAround = async () => {
    while (!ended) {
      await look()
      await Bun.sleep(LOOK_EVERY_MS)
    }
  }
  const looking = lookAround()
  return {
    async end() {
      ended = true
      await looking
    },
    seen() {
      const statuses = [...bystanderStatuses]
      return { states: [...states], bystanderStatuses: statuses, lagBlocksMax, looks }
    },
  }
}

function numbers(): number[] {
  return receiver.acceptedOn('/bystander').map(({ json }) => json.event.data.block.number)
}

async function lagBlocks(): Promise<number> {
  const text = await (await fetch(`${headgate.url}/metrics`)).text()
  const lag = /^headgate_follower_lag_blocks\{network="ETH_DEVNET"\} (\d+)/m.exec(text)?.[1]
  if (lag === undefined) throw new Error('no metric of the lag')
  return Number(lag)
}

async function blockNumber(): Promise<number> {
  return Number((await call(bystander.key, 'eth_blockNumber')).json.result)
}

function call(key: string, method: string, ...params: unknown[]) {
  return api('POST', `/eth-devnet/v2/${key}`, '', rpc(method, params))
}

async function newTeam(): Promise<{ token: string; key: string }> {
  const team = { name: 'Bystanders', tier: 'growth' }
  const { json } = await api('POST', '/api/teams', headgate.keys.operator_token, team)
  const { token } = json.data
  const app = { name: 'Theirs', networks: ['ETH_DEVNET'] }
  return { token, key: (await api('POST', '/api/apps', token, app)).json.data.key }
}

async function api(method: string, path: string, token: string, body?: unknown) {
  const response = await fetch(`${headgate.url}${path}`, {
    method,
    headers: { 'x-service-token': token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
  return { status: response.status, json: (await response.json()) as any }
}

function addressAt(at: number): string {
  return `0x${at.toString(16).padStart(40, '0')}`
}

function nextAddress(): string {
  asked++
  return `10.${(asked >> 16) & 255}.${(asked >> 8) & 255}.${asked & 255}`
}
