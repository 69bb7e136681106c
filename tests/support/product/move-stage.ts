import { afterEach, beforeEach, expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteFile } from '../../../src/embedded/database/sqlite-database.ts'
import { openTestPostgres } from '../../fresh-store.ts'
import { until } from '../basics/until.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../deliveries/webhook-receiver.ts'
import { type ChainNode, startChainNode } from '../nodes/chain-node.ts'
import { type TestDatabase, testDatabase } from '../postgres/test-postgres.ts'
import { digestOf, tablesOf } from '../store/store-contents.ts'
import * as processes from './headgate-process.ts'

type Headgate = processes.HeadgateProcess

/** A folder and an empty database, a chain and a receiver: used to try a migration. */
export type MoveStage = {
  readonly node: ChainNode
  readonly receiver: WebhookReceiver
  readonly folder: string
  /** The data folder in it, and the secret that it keeps. */
  readonly data: string
  secret(): string
  /** The database, and the variables by which the product runs on it with that secret. */
  readonly url: string
  cluster(): Record<'HEADGATE_DATABASE' | 'HEADGATE_SECRET', string>
  start(env?: Record<string, string>): Promise<Headgate>
  /** Runs the product where it does not start. */
  run(env: Record<string, string>): Promise<processes.Ended>
  stop(headgate: Headgate): Promise<void>
  /** Runs for two blocks, each delivered on /good and refused on /bad; the ids of those. */
  use(): Promise<string[]>
  /** The digests of all rows in the data folder and in the database. */
  digests(): Promise<Record<'ofFolder' | 'ofServer', Map<string, string>>>
}

const ARGS = ['--config', 'headgate.yaml']
const OPTIONS = 'webhooks: { allowPrivateDestinations: true, retryDelaysMs: [3000, 3000, 3000] }\n'

/** Makes a stage for each test of a file, and ends all after it. */
export function moveStage(): MoveStage {
  let node: ChainNode
  let receiver: WebhookReceiver
  let target: TestDatabase
  let folder: string

  beforeEach(async () => {
    node = startChainNode(1)
    receiver = startWebhookReceiver()
    target = await testDatabase()
    folder = processes.newFolder()
    processes.writeConfig(folder, processes.configText([node], OPTIONS))
  })
  afterEach(async () => {
    await processes.cleanUp()
    node.stop()
    await receiver.stop()
    await target.drop()
  })

  const stage: MoveStage = {
    get node() {
      return node
    },
    get receiver() {
      return receiver
    },
    get folder() {
      return folder
    },
    get data() {
      return join(folder, 'data')
    },
    get url() {
      return target.url
    },
    secret: () => readFileSync(join(stage.data, 'instance-secret'), 'utf8').trim(),
    cluster: () => ({ HEADGATE_DATABASE: target.url, HEADGATE_SECRET: stage.secret() }),
    start: (env = {}) => processes.startProcess({ folder, args: ARGS, env }),
    run: (env) => processes.runToEnd({ folder, args: ARGS, env }),
    async stop(headgate) {
      headgate.signal('SIGTERM')
      expect(await headgate.exited).toBe(0)
    },
    use: () => use(stage),
    digests: () => digests(stage),
  }
  return stage
}

async function use({ node, receiver, start, stop }: MoveStage): Promise<string[]> {
  const headgate = await start()
  // A webhook that is there before the first block would be sent that one too.
  await until(() => headgate.said().includes('"event":"block"'), 'the first block is followed')
  for (const path of ['/good', '/bad']) await createWebhook(headgate, receiver.url + path)
  receiver.answer = (path) => (path === '/bad' ? 503 : 200)
  for (let arrived = 2; arrived <= 4; arrived += 2) {
    node.mine()
    await until(() => receiver.arrivals.length >= arrived, 'a block is delivered')
  }
  await stop(headgate)
  return receiver.arrivals.filter(({ path }) => path === '/bad').map(({ json }) => json.id)
}

async function createWebhook({ url, keys }: Headgate, destination: string): Promise<void> {
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

async function digests({ data, url }: MoveStage) {
  const sqlite = await openSqliteFile(join(data, 'headgate.sqlite'))
  const tables = await tablesOf(sqlite)
  const ofFolder = await digestOf(sqlite, tables)
  await sqlite.close()
  const postgres = openTestPostgres(url)
  const ofServer = await digestOf(postgres, tables)
  await postgres.close()
  return { ofFolder, ofServer }
}
