// Runs on both stores.
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { openSqliteFile } from '../../../src/embedded/database/sqlite-database.ts'
import type { Database } from '../../../src/ports/database.ts'
import { openTestPostgres } from '../../fresh-store.ts'
import { seededChance } from '../../support/basics/seeded-chance.ts'
import type { NodeJson } from '../../support/blocks/node-json.ts'
import {
  type FlakyReceivers,
  startFlakyReceivers,
} from '../../support/deliveries/flaky-receivers.ts'
import {
  contradiction,
  miscount,
  storedDeliveries,
} from '../../support/deliveries/stored-deliveries.ts'
import { type ChainNode, startChainNode } from '../../support/nodes/chain-node.ts'
import {
  cleanUp,
  configText,
  type HeadgateProcess,
  newFolder,
  startProcess,
  writeConfig,
} from '../../support/product/headgate-process.ts'
import { worldOf } from '../../support/product/world.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

type Stage = {
  headgate: HeadgateProcess
  node: ChainNode
  receivers: FlakyReceivers
  webhooks: Webhook[]
}
type Points = { group: string; calls: number; bytes: number; cu: number }[]
type Webhook = { id: string; ordered: boolean; query: string }

/** The whole promise is 50 kills and 20,000 deliveries, which takes minutes. */
const KILLS = Number(process.env.HEADGATE_KILLS ?? 3)
const DELIVERIES = Number(process.env.HEADGATE_KILL_DELIVERIES ?? 300)
const SEED = Number(process.env.HEADGATE_KILL_SEED ?? 1)
const IS_LARGE = DELIVERIES > 5000
const WEBHOOKS = IS_LARGE ? 100 : 12
const HOSTS = IS_LARGE ? 20 : 4

const FAILING = 1 / 3
/** A host that fails like that for a moment is left alone for 5 s, which a short run avoids. */
const BAD = IS_LARGE ? 0.7 : 0.2
const TIMEOUT_MS = 500

/** Nothing is given up: the longest list that may be configured. */
const RETRY_DELAYS_MS = Array(32).fill(100)

const ARGS = ['--config', 'headgate.yaml']

/** As it stands in the store. */
const DELIVERED = 1

const FIRST_SEQUENCE = 1_000_000_000_001
const ZERO = `0x${'0'.repeat(40)}`
const ALL_BLOCKS = '{ block { number hash } }'
const PAID_TO_ZERO = `{ block { number hash
  transactions(filter: { addresses: [{ to: "${ZERO}" }] }) { hash value } } }`

/** Every so manieth webhook is strictly ordered, and every so manieth skips empty results. */
const ORDERED_EVERY = 8
const SKIPPING_EVERY = 5

/** One start in so many is killed before it is ready. */
const EARLY_KILLS = 5
const START_MS = 400

/** The moment of a kill comes at the latest then. */
const LIFE_MS_MAX = 3000

/** Leases of a dead process lapse within it, and hosts that were given up get their chance. */
const PATIENCE_MS = 40_000

const killer = seededChance(SEED)
const miner = seededChance(SEED + 1)

afterEach(cleanUp)

test(
  `killed ${KILLS} times while ${DELIVERIES} deliveries flow to receivers that fail a third of the time, it loses none and bills each once`,
  async () => {
    const stage = await openStage()
    const { node, receivers } = stage
    const blocks = Math.ceil(DELIVERIES / expectedPerBlock(stage))
    let killedBusy = 0
    for (let kill = 1; kill <= KILLS; kill++) {
      const mined = mineUpTo(node, 1 + Math.ceil((blocks * kill) / KILLS))
      await somethingArrives(stage)
      await mined
      stage.headgate.signal('SIGKILL')
      await stage.headgate.exited
      if (receivers.accepted.size < expectedOf(stage).size) killedBusy++
      const { folder } = stage.headgate
      if (killer.between(1, EARLY_KILLS) === 1) await startAndKill(folder)
      stage.headgate = await startProcess({ folder, args: ARGS })
    }

    const expected = expectedOf(stage)
    await progress(() => receivers.accepted.size, expected.size)
    await expectLedger(stage, expected.size)
    expect(receivers.faults).toEqual([])
    expect([...receivers.accepted].toSorted()).toEqual([...expected.keys()].toSorted())
    for (const [key, { body }] of receivers.arrived) {
      expect(JSON.parse(body).event.data.block).toMatchObject(expected.get(key) ?? {})
    }
    expectPrevious(stage)
    expectOrder(stage)
    expect(killedBusy).toBeGreaterThan(KILLS / 2)
    await expectStore(stage, expected.size)
    console.log(summaryOf(stage))
    node.stop()
    await receivers.stop()
  },
  20 * 60_000,
)

async function openStage(): Promise<Stage> {
  const node = startChainNode(SEED + 2)
  const chance = seededChance(SEED + 3)
  const failures = { failing: FAILING, bad: BAD, timeoutMs: TIMEOUT_MS, lateStatus: 200 } as const
  const options = { hosts: HOSTS, chance, ...failures }
  const receivers = startFlakyReceivers(options)
  const folder = newFolder()
  const more =
    `webhooks: { allowPrivateDestinations: true, timeoutMs: ${TIMEOUT_MS}, ` +
    `retryDelaysMs: [${RETRY_DELAYS_MS}] }\n`
  writeConfig(folder, configText([node], more))
  const headgate = await startProcess({ folder, args: ARGS })
  const stage: Stage = { headgate, node, receivers, webhooks: [] }
  // No webhook gets the block that was there before it.
  const first = Number(node.head.number)
  await progress(() => followedBlock(headgate), first)
  for (let at = 0; at < WEBHOOKS; at++) {
    const skips = at % SKIPPING_EVERY === 1
    stage.webhooks.push(await create(stage, at, skips, at % ORDERED_EVERY === 0))
  }
  return stage
}

async function followedBlock({ url }: HeadgateProcess): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(/^headgate_follower_block\{.*\} (\d+)/m.exec(metrics)?.[1] ?? 0)
}

async function create(stage: Stage, at: number, skips: boolean, ordered: boolean) {
  const { headgate, receivers } = stage
  const query = skips ? PAID_TO_ZERO : ALL_BLOCKS
  const { data } = await api(headgate, '/api/create-webhook', {
    network: 'ETH_MAINNET',
    webhook_type: 'GRAPHQL',
    webhook_url: receivers.urls[at % HOSTS],
    graphql_query: { query, skip_empty_messages: skips },
    ordered,
  })
  receivers.keys.set(data.id, data.signing_key)
  return { id: data.id, ordered, query }
}

async function api({ url, keys }: HeadgateProcess, path: string, body?: unknown) {
  const response = await fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'x-service-token': keys.team_token, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  return JSON.parse(text)
}

async function mineUpTo(node: ChainNode, blocks: number): Promise<void> {
  while (node.blocks.length < blocks) {
    node.mine()
    await Bun.sleep(miner.between(1, 30))
  }
}

/** Until some of what is missing has arrived: nothing, or nearly all. */
async function somethingArrives(stage: Stage): Promise<void> {
  const { accepted } = stage.receivers
  const before = accepted.size
  const share = killer.fraction()
  const goal = () => before + share * (expectedOf(stage).size - before)
  const endsAt = Date.now() + LIFE_MS_MAX
  while (accepted.size <= goal() && Date.now() < endsAt) await Bun.sleep(killer.between(1, 20))
}

/** Killed anywhere between its first instruction and its first delivery. */
async function startAndKill(folder: string): Promise<void> {
  const whileStarting = async (pid: number) => {
    await Bun.sleep(killer.between(0, START_MS))
    process.kill(pid, 'SIGKILL')
  }
  const started = await startProcess({ folder, args: ARGS, whileStarting }).catch(() => null)
  expect(started).toBeNull()
}

/** By `webhookId sequenceNumber`: what the block that is due looks like to its query. */
function expectedOf({ node, webhooks }: Stage): Map<string, NodeJson> {
  const expected = new Map<string, NodeJson>()
  for (const [at, block] of node.blocks.entries()) {
    // The first one was there before the webhooks were.
    if (at === 0) continue
    const paid = block.transactions.filter(({ to }: NodeJson) => to?.toLowerCase() === ZERO)
    for (const { id, query } of webhooks) {
      if (query === PAID_TO_ZERO && paid.length === 0) continue
      const transactions = paid.map(({ hash }: NodeJson) => ({ hash }))
      const { hash } = block
      expected.set(`${id} ${FIRST_SEQUENCE + at}`, {
        number: Number(block.number),
        hash,
        ...(query === PAID_TO_ZERO ? { transactions } : {}),
      })
    }
  }
  return expected
}

function expectedPerBlock({ webhooks }: Stage): number {
  return webhooks.filter(({ query }) => query === ALL_BLOCKS).length
}

/** Waits as long as it moves. */
async function progress(count: () => number | Promise<number>, wanted: number): Promise<void> {
  let before = -1
  for (let movedAt = Date.now(); ; await Bun.sleep(20)) {
    const now = await count()
    if (now >= wanted) return
    if (now > before) movedAt = Date.now()
    before = now
    if (Date.now() - movedAt > PATIENCE_MS) throw new Error(`it stands at ${now} of ${wanted}`)
  }
}

/** Repeats are for free, and so is what was refused: each delivery is billed once, by its bytes. */
async function expectLedger({ headgate, receivers }: Stage, deliveries: number): Promise<void> {
  const ledger = async () => {
    const { data } = await api(headgate, '/api/usage/time-series?bucket=day&group_by=method')
    const points: Points = data.filter(({ group }: Points[number]) => group === 'webhook')
    const sum = (of: 'calls' | 'bytes' | 'cu') => points.reduce((all, one) => all + one[of], 0)
    return { calls: sum('calls'), bytes: sum('bytes'), cu: sum('cu') }
  }
  await progress(async () => (await ledger()).calls, deliveries)
  const accepted = [...receivers.accepted].map((key) => receivers.arrived.get(key)?.body ?? '')
  const bytes = accepted.reduce((all, body) => all + Buffer.byteLength(body), 0)
  expect(await ledger()).toEqual({ calls: deliveries, bytes, cu: (bytes * 4) / 100 })
}

/** Each names the one before it to the same webhook: a receiver can prove that none is missing. */
function expectPrevious({ receivers, webhooks }: Stage): void {
  for (const { id } of webhooks) {
    const mine = [...receivers.arrived].filter(([key]) => key.startsWith(id)).toSorted(byNumber)
    const numbers = mine.map(([key]) => key.split(' ')[1] ?? null)
    expect(mine.map(([, { previous }]) => previous)).toEqual([null, ...numbers.slice(0, -1)])
  }
}

/** A strictly ordered webhook has each accepted before it gets the next. */
function expectOrder({ receivers, webhooks }: Stage): void {
  for (const { id } of webhooks.filter(({ ordered }) => ordered)) {
    const mine = [...receivers.accepted].filter((key) => key.startsWith(id))
    expect(mine).toEqual(mine.toSorted())
  }
}

/** Once it has stopped, its tables and counters agree: each delivery is there, and delivered. */
async function expectStore({ headgate }: Stage, deliveries: number): Promise<void> {
  headgate.signal('SIGTERM')
  expect(await headgate.exited).toBe(0)
  const store = await openStoreOf(headgate)
  expect(await contradiction(store)).toBeNull()
  expect(await miscount(store)).toBeNull()
  const states = (await storedDeliveries(store)).map(({ state }) => state)
  expect(states).toEqual(Array(deliveries).fill(DELIVERED))
  await store.close()
}

/** The store of the process that has stopped, in whichever world it is. */
async function openStoreOf({ folder }: HeadgateProcess): Promise<Database> {
  const { HEADGATE_DATABASE: url } = await worldOf(folder)
  return url ? openTestPostgres(url) : openSqliteFile(join(folder, 'data', 'headgate.sqlite'))
}

function byNumber([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1
}

function summaryOf({ receivers }: Stage): string {
  const { attempts, failures, accepted } = receivers
  const repeats = [...receivers.arrived.values()].filter((one) => one.accepted > 1).length
  return `${accepted.size} deliveries, ${attempts} attempts, ${failures} failed, ${repeats} repeated`
}
