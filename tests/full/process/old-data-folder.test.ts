import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { openSqliteFile } from '../../../src/embedded/database/sqlite-database.ts'
import baseline from '../../../src/tables/migrations/017-baseline.sql' with { type: 'text' }
import { splitStatements } from '../../../src/tables/sql/split-statements.ts'
import { seededChance } from '../../support/basics/seeded-chance.ts'
import { contradiction, miscount } from '../../support/deliveries/stored-deliveries.ts'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/deliveries/webhook-receiver.ts'
import { type ChainNode, startChainNode } from '../../support/nodes/chain-node.ts'
import { until } from '../../support/product/headgate.ts'
import {
  cleanUp,
  configText,
  type HeadgateProcess,
  newFolder,
  runToEnd,
  startProcess,
  writeConfig,
} from '../../support/product/headgate-process.ts'
import { WORLD } from '../../support/product/world.ts'

/** A few seconds of real processes, or more on a busy machine. */
setDefaultTimeout(120_000)

const ARGS = ['--config', 'headgate.yaml']
const OPTIONS = 'webhooks: { allowPrivateDestinations: true, retryDelaysMs: [3000, 3000, 3000] }\n'
const BLOCKS = 20
/** Fewer than make the courier wait before it tries the host of both again. */
const FAILED_BLOCKS = 4
const VERSION = 17

const KILLS = Number(process.env.HEADGATE_KILLS ?? 5)
const KILL_MS_MAX = 1_500

let node: ChainNode
let receiver: WebhookReceiver
let folder: string
beforeEach(() => {
  node = startChainNode(71)
  receiver = startWebhookReceiver()
  folder = newFolder()
  writeConfig(folder, configText([node], OPTIONS))
})
afterEach(async () => {
  await cleanUp()
  await receiver.stop()
  node.stop()
})

const file = () => join(folder, 'data', 'headgate.sqlite')

// The tables of PostgreSQL have their own test of old versions, in src/tables.
const inOldFolder = test.skipIf(WORLD === 'postgres')

inOldFolder(
  `a data folder of version 0.3.0 that was killed under load loses nothing and repeats nothing, also when it is killed ${KILLS} times while it is opened`,
  async () => {
    const old = await useAndKill()
    makeOld()
    receiver.answer = () => 200
    const before = receiver.arrivals.length
    const chance = seededChance(1)
    for (let kill = 0; kill < KILLS; kill++) await startAndKill(chance.between(0, KILL_MS_MAX))

    const headgate = await startProcess({ folder, args: ARGS })
    const accepted = () =>
      new Set(receiver.arrivals.filter(({ status }) => status === 200).map(({ json }) => json.id))
    await until(() => old.waiting.every((id) => accepted().has(id)), 'all that waited arrives')
    node.mine()
    const blocks = () => blocksOn('/good')
    await until(() => blocks().includes(node.head.number), 'the next block arrives')

    const since = receiver.arrivals.slice(before).map(({ json }) => json.id)
    expect(since.filter((id) => old.delivered.includes(id))).toEqual([])
    const all = node.blocks
      .map(({ number }) => Number(number))
      .filter((one) => one >= (blocks()[0] ?? 0))
    expect(blocks()).toEqual(all)
    for (const id of [...old.delivered, ...old.waiting]) {
      expect(await statusOf(headgate, id)).toBe('delivered')
    }
    await expectStore(headgate)
  },
)

inOldFolder('a data folder from before 0.3.0 is refused, and the message names 0.3.0', async () => {
  await useAndKill()
  const store = new Database(file())
  store.run('DELETE FROM migrations WHERE version > 6')
  store.run("INSERT OR IGNORE INTO migrations (version, name) VALUES (6, 'backlogs')")
  store.close()
  const { exitCode, stderr } = await runToEnd({ folder, args: ARGS })
  expect(exitCode).toBe(1)
  expect(stderr).toContain('Upgrade with 0.3.0 first')
})

/** Runs until a webhook has many deliveries and another one's wait, and is killed in between. */
async function useAndKill(): Promise<{ delivered: string[]; waiting: string[] }> {
  const headgate = await startProcess({ folder, args: ARGS })
  receiver.answer = (path) => (path === '/bad' ? 503 : 200)
  await createWebhook(headgate, `${receiver.url}/good`)
  await mineAndArrive(BLOCKS, '/good')
  await createWebhook(headgate, `${receiver.url}/bad`)
  await mineAndArrive(FAILED_BLOCKS, '/bad')
  node.mine()
  headgate.signal('SIGKILL')
  await headgate.exited

  const store = new Database(file())
  const idsOf = (state: number) => {
    const rows = store.query<{ webhook: string; sequence: number }, [number]>(`
      SELECT webhooks.id AS webhook, sequence_number AS sequence FROM deliveries
        JOIN events ON events.event = deliveries.key / 16777216
        JOIN webhooks ON webhooks.number = deliveries.key % 16777216
      WHERE deliveries.state = ?`)
    const stored = new Set(rows.all(state).map((row) => `${row.webhook} ${row.sequence}`))
    const arrived = receiver.arrivals.filter(({ json }) =>
      stored.has(`${json.webhookId} ${json.event.sequenceNumber}`),
    )
    return [...new Set(arrived.map(({ json }) => String(json.id)))]
  }
  const ids = { delivered: idsOf(1), waiting: idsOf(0) }
  store.close()
  expect(ids.delivered.length).toBeGreaterThan(10)
  expect(ids.waiting.length).toBeGreaterThan(3)
  return ids
}

async function mineAndArrive(blocks: number, path: string): Promise<void> {
  const arrived = () => receiver.arrivals.filter((one) => one.path === path).length
  for (let block = 0; block < blocks; block++) {
    const before = arrived()
    node.mine()
    await until(() => arrived() > before, 'a block arrives')
  }
}

/** Gives the store the tables and the record of migrations that 0.3.0 left. */
function makeOld(): void {
  const store = new Database(file())
  const isThere = (name: string) =>
    store.query('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== null
  for (const statement of splitStatements(baseline)) {
    const [, name] = /^CREATE (?:UNIQUE )?(?:TABLE|INDEX) (\w+)/.exec(statement) ?? []
    if (name !== undefined && !isThere(name)) store.run(statement)
  }
  store.run('ALTER TABLE couriers ADD COLUMN listened_until_ms BIGINT NOT NULL DEFAULT 0')
  store.run('DELETE FROM migrations')
  for (let version = 1; version <= VERSION; version++) {
    store.run('INSERT INTO migrations (version, name) VALUES (?, ?)', [version, `m${version}`])
  }
  store.close()
}

async function startAndKill(afterMs: number): Promise<void> {
  const whileStarting = async (pid: number) => {
    await Bun.sleep(afterMs)
    process.kill(pid, 'SIGKILL')
  }
  const started = await startProcess({ folder, args: ARGS, whileStarting }).catch(() => null)
  expect(started).toBeNull()
}

function blocksOn(path: string): number[] {
  const blocks = receiver.acceptedOn(path).map(({ json }) => json.event.data.block.number)
  return [...new Set<number>(blocks)].toSorted((a, b) => a - b)
}

async function createWebhook({ url, keys }: HeadgateProcess, destination: string): Promise<void> {
  const created = await fetch(`${url}/api/create-webhook`, {
    method: 'POST',
    headers: { 'x-service-token': keys.team_token, 'content-type': 'application/json' },
    body: JSON.stringify({
      network: 'ETH_MAINNET',
      webhook_type: 'GRAPHQL',
      webhook_url: destination,
      graphql_query: '{ block { number } }',
    }),
  })
  expect(created.status).toBe(200)
}

async function statusOf({ url, keys }: HeadgateProcess, id: string): Promise<string> {
  let status = ''
  await until(async () => {
    const response = await fetch(`${url}/api/deliveries/${id}`, {
      headers: { 'x-service-token': keys.team_token },
    })
    if (response.status !== 200) return false
    status = ((await response.json()) as { data: { status: string } }).data.status
    return status !== 'waiting'
  }, `${id} is settled`)
  return status
}

/** The tables agree with each other once it has stopped. */
async function expectStore(headgate: HeadgateProcess): Promise<void> {
  headgate.signal('SIGTERM')
  expect(await headgate.exited).toBe(0)
  const store = await openSqliteFile(file())
  expect(await contradiction(store)).toBeNull()
  expect(await miscount(store)).toBeNull()
  await store.close()
}
