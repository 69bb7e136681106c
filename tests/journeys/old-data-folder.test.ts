import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { openSqliteFile } from '../../src/embedded/database/sqlite-database.ts'
import { until } from '../support/headgate.ts'
import {
  cleanUp,
  type HeadgateProcess,
  newFolder,
  startProcess,
  writeConfig,
} from '../support/headgate-process.ts'
import { apiOf, type LoggedDelivery, listLog } from '../support/schema-6/api.ts'
import {
  configText,
  type OldData,
  readOldData,
  startNodes,
  unpack,
} from '../support/schema-6/old-data.ts'
import {
  asDelivered,
  asItWas,
  attemptsOf,
  bodyOf,
  lastNumbers,
} from '../support/schema-6/old-log.ts'
import { inflate, moveHere, type OldWebhook } from '../support/schema-6/old-store.ts'
import { seededChance } from '../support/seeded-chance.ts'
import { contradiction, miscount, storedDeliveries } from '../support/stored-deliveries.ts'
import {
  isSignedBothWays,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts'
import { WORLD } from '../support/world.ts'

/** Some seconds of a real process, or more where the machine is busy with others. */
setDefaultTimeout(120_000)

type Stage = {
  data: OldData
  shiftMs: number
  folder: string
  file: string
  receiver: WebhookReceiver
  nodes: ReturnType<typeof startNodes>
  webhooks: OldWebhook[]
}

const ARGS = ['--config', 'headgate.yaml']

/** The blocks that the installation had seen of each chain. */
const BLOCKS = 8
const NEXT_SEQUENCE = '1000000000009'

/** What it had put off is due after that, and nothing is old enough to be removed. */
const AGE_MS = 2 * 3_600_000

const KILLS = Number(process.env.HEADGATE_KILLS ?? 5)
const KILL_MS_MAX = 1_500
const MORE_EVENTS = 4_000

let stage: Stage
beforeEach(() => {
  const data = readOldData()
  const shiftMs = Date.now() - AGE_MS - data.madeAtMs
  const folder = newFolder()
  const file = unpack(data, folder)
  const receiver = startWebhookReceiver()
  const nodes = startNodes()
  for (const node of nodes) while (node.blocks.length < BLOCKS) node.mine()
  writeConfig(folder, configText(nodes))
  const webhooks = moveHere(file, shiftMs, receiver.url)
  stage = { data, shiftMs, folder, file, receiver, nodes, webhooks }
})
afterEach(async () => {
  await cleanUp()
  await stage.receiver.stop()
  for (const node of stage.nodes) node.stop()
})

// On PostgreSQL there is no store of such an age: its tables begin with a later version.
const inOldFolder = test.skipIf(WORLD === 'postgres')

inOldFolder(
  'a data folder of version 0.2.0 keeps its log, and what was open in it is sent once under its old id',
  async () => {
    const { folder, receiver, webhooks } = stage
    const headgate = await startProcess({ folder, args: ARGS })
    const open = wholeOldLog().filter(isOpen)
    await until(() => receiver.arrivals.length >= open.length, 'all that was open arrives')
    await expectArrived(headgate, open)
    await expectLog(headgate, open)

    // What waits for somebody goes out when he comes.
    const held = webhooks.filter(({ url }) => /\/(paused|gone)$/.test(url)).map(({ id }) => id)
    const api = apiOf(headgate.url, firstToken())
    for (const id of held) {
      await api('PUT', '/api/update-webhook', { webhook_id: id, is_active: true })
    }
    const kept = wholeOldLog().filter(
      ({ webhook_id, status }) => held.includes(webhook_id) && status === 'waiting',
    )
    expect(kept.length).toBeGreaterThan(2)
    const all = [...open, ...kept]
    await until(() => receiver.arrivals.length >= all.length, 'what was held arrives')
    await expectArrived(headgate, all)
    await expectLog(headgate, all)
    await expectNextBlock(headgate)
    await expectStore(headgate)
  },
)

inOldFolder(
  `a data folder of version 0.2.0 loses nothing when it is killed ${KILLS} times while it is opened`,
  async () => {
    const { folder, file, receiver, shiftMs } = stage
    inflate(file, MORE_EVENTS)
    const killer = seededChance(1)
    for (let kill = 0; kill < KILLS; kill++) await startAndKill(killer.between(0, KILL_MS_MAX))

    const headgate = await startProcess({ folder, args: ARGS })
    const open = wholeOldLog().filter(isOpen)
    const arrived = () => new Set(receiver.arrivals.map(({ json }) => json.id)).size
    await until(() => arrived() >= open.length, 'all that was open arrives')
    const bodies = new Map(open.map((one) => [one.id, bodyOf(one, shiftMs)]))
    for (const { json, body } of receiver.arrivals) expect(body).toBe(bodies.get(json.id) ?? '')
    await expectLog(headgate, open, MORE_EVENTS)
    await expectStore(headgate, MORE_EVENTS)
  },
)

function wholeOldLog(): LoggedDelivery[] {
  return stage.data.teams.flatMap(({ log }) => log)
}

function firstToken(): string {
  return stage.data.teams[0]?.token ?? ''
}

/** Waiting for its receiver, and not for somebody who unpauses its webhook. */
function isOpen({ status, kind, webhook_id }: LoggedDelivery): boolean {
  const webhook = stage.webhooks.find(({ id }) => id === webhook_id)
  return status === 'waiting' && (webhook?.state === 'active' || kind === 'error')
}

async function startAndKill(afterMs: number): Promise<void> {
  const { folder } = stage
  const whileStarting = async (pid: number) => {
    await Bun.sleep(afterMs)
    process.kill(pid, 'SIGKILL')
  }
  const started = await startProcess({ folder, args: ARGS, whileStarting }).catch(() => null)
  expect(started).toBeNull()
}

/** Each of them once, signed, with the bytes that it always had. */
async function expectArrived(
  { url }: HeadgateProcess,
  wanted: readonly LoggedDelivery[],
): Promise<void> {
  const { data, receiver, shiftMs, webhooks } = stage
  const { arrivals } = receiver
  expect(arrivals.map(({ json }) => json.id).toSorted()).toEqual(
    wanted.map(({ id }) => id).toSorted(),
  )
  const keys = new Map<string, string>()
  for (const { token } of data.teams) {
    const listed = await apiOf(url, token)('GET', '/api/team-webhooks')
    for (const { id, signing_key } of listed.data) keys.set(id, signing_key)
  }
  const bodies = new Map(wanted.map((one) => [one.id, bodyOf(one, shiftMs)]))
  for (const arrival of arrivals) {
    const { id, webhookId } = arrival.json
    expect(arrival.body).toBe(bodies.get(id) ?? '')
    expect(arrival.headers.get('webhook-id')).toBe(id)
    expect(await isSignedBothWays(arrival, keys.get(webhookId) ?? '')).toBe(true)
  }
  for (const { id } of webhooks.filter(({ ordered }) => ordered === 1)) {
    const mine = arrivals.filter(({ json }) => json.webhookId === id)
    const numbers = mine.map(({ json }) => Number(json.event.sequenceNumber))
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  }
}

/** Everything is in the log as it was, and what has been sent since with one more attempt. */
async function expectLog(
  { url }: HeadgateProcess,
  sent: readonly LoggedDelivery[],
  others = 0,
): Promise<void> {
  const { data, shiftMs } = stage
  const isSent = new Set(sent.map(({ id }) => id))
  for (const [at, { token, log }] of data.teams.entries()) {
    const api = apiOf(url, token)
    const read = async (id: string) => (await api('GET', `/api/deliveries/${id}`)).data
    for (const one of log) {
      if (!isSent.has(one.id)) {
        const { headers, ...was } = await read(one.id)
        expect(was).toEqual(asItWas(one, shiftMs))
        const isShown = one.body !== null && one.attempts.length > 0
        expect(headers?.['webhook-id']).toBe(isShown ? one.id : undefined)
        continue
      }
      await until(async () => (await read(one.id)).status === 'delivered', `${one.id} is settled`)
      const now = await read(one.id)
      expect(now).toMatchObject(asDelivered(one, shiftMs))
      expect(now.attempts.slice(0, -1)).toEqual(attemptsOf(one, shiftMs))
      expect(now.attempts.at(-1)).toMatchObject({ status_code: 200 })
    }
    const whole = await listLog(api)
    expect(whole).toHaveLength(log.length + (at === 0 ? others : 0))
    const times = whole.map(({ time_created }) => time_created)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    for (const status of ['waiting', 'failed', 'cancelled'] as const) {
      const listed = await listLog(api, `&status=${status}`)
      const wanted = log.filter((one) => one.status === status && !isSent.has(one.id))
      expect(listed.map(({ id }) => id).toSorted()).toEqual(wanted.map(({ id }) => id).toSorted())
    }
  }
}

/** Each webhook goes on where it was: its next delivery names its last one. */
async function expectNextBlock({ url }: HeadgateProcess): Promise<void> {
  const { nodes, receiver } = stage
  const listed = await apiOf(url, firstToken())('GET', '/api/team-webhooks')
  const active = listed.data.filter(({ is_active }: { is_active: boolean }) => is_active)
  const before = receiver.arrivals.length
  for (const node of nodes) node.mine()
  await until(() => receiver.arrivals.length >= before + active.length, 'the next block arrives')
  const last = lastNumbers(wholeOldLog())
  for (const { json, headers } of receiver.arrivals.slice(before)) {
    expect(headers.get('x-headgate-previous')).toBe(last.get(json.webhookId) ?? '')
    expect(json.event.sequenceNumber).toBe(NEXT_SEQUENCE)
  }
}

/** Its tables agree with each other once it has stopped. */
async function expectStore(headgate: HeadgateProcess, others?: number): Promise<void> {
  headgate.signal('SIGTERM')
  expect(await headgate.exited).toBe(0)
  const store = await openSqliteFile(stage.file)
  expect(await contradiction(store)).toBeNull()
  expect(await miscount(store)).toBeNull()
  if (others !== undefined) {
    expect(await storedDeliveries(store)).toHaveLength(wholeOldLog().length + others)
  }
  await store.close()
}
