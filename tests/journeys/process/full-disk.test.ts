import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from '../../../src/ports/database.ts'
import { failureOf } from '../../support/basics/failure-of.ts'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/deliveries/webhook-receiver.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { WORLD } from '../../support/product/world.ts'

setDefaultTimeout(180_000)

/** More than any disk has. */
const FLOOR_BYTES = 2 ** 50

const QUERY = '{ block { number } }'
const ITEM = `0x${'1'.repeat(40)}`

const folder = mkdtempSync(join(tmpdir(), 'headgate-full-'))
let headgate: TestHeadgate
let receiver: WebhookReceiver
let webhookId: string

const open = (env: Record<string, string> = {}) =>
  startHeadgate({
    dataFolder: folder,
    env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '200', ...env },
  })

const createWebhook = () =>
  headgate.api('POST', '/api/create-webhook', {
    network: 'ETH_DEVNET',
    webhook_type: 'GRAPHQL',
    webhook_url: receiver.url,
    graphql_query: QUERY,
  })

const VARIABLE = '/api/graphql/variables/wallets'

beforeAll(async () => {
  receiver = await startWebhookReceiver()
  headgate = await open()
  webhookId = (await createWebhook()).json.data.id
  await headgate.api('POST', VARIABLE, { items: [ITEM] })
  await headgate.stop()
  headgate = await open({ HEADGATE_LIMITS_DISK_FREE_BYTES_MIN: String(FLOOR_BYTES) })
})

afterAll(async () => {
  await headgate.stop()
  await receiver.stop()
  rmSync(folder, { recursive: true, force: true })
})

// The disk of a PostgreSQL server is watched by its own operator.
const onOwnDisk = test.skipIf(WORLD === 'postgres')

onOwnDisk('with too little room on the disk, what makes the store grow is refused', async () => {
  const apps = { name: 'x', networks: ['ETH_DEVNET'] }
  const replay = { webhook_id: webhookId, from_block: 1, to_block: 1 }
  const refused = await Promise.all([
    createWebhook(),
    headgate.api('POST', VARIABLE, { items: [ITEM] }),
    headgate.api('PATCH', VARIABLE, { add: [ITEM] }),
    headgate.api('POST', '/api/replay-webhook', replay),
    headgate.api('POST', '/api/apps', apps),
  ])
  for (const { status, json } of refused) {
    expect([status, json.name]).toEqual([507, 'InsufficientStorage'])
    expect(json.message).toContain('disk')
  }
})

onOwnDisk('everything else goes on: blocks, deliveries, calls, changes and deletions', async () => {
  const before = receiver.arrivals.length
  await until(() => receiver.arrivals.length > before + 2, 'deliveries go on')
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
  expect((await headgate.post(call)).status).toBe(200)
  const renamed = { webhook_id: webhookId, name: 'renamed' }
  const answers = [
    await headgate.api('PUT', '/api/update-webhook', renamed),
    await headgate.api('PATCH', VARIABLE, { delete: [ITEM] }),
    await headgate.api('DELETE', VARIABLE),
    await headgate.api('DELETE', `/api/delete-webhook?webhook_id=${webhookId}`),
    await headgate.api('GET', '/api/usage/summary'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
})

onOwnDisk('it is told by /readyz, by a metric and in the log', async () => {
  const ready = await fetch(`${headgate.url}/readyz`)
  expect([ready.status, await ready.json()]).toMatchObject([200, { store: true, disk_low: true }])
  const metrics = await (await fetch(`${headgate.url}/metrics`)).text()
  expect(metrics).toMatch(/^headgate_disk_low 1$/m)
  expect(metrics).toMatch(/^headgate_disk_free_bytes \d+/m)
  expect(headgate.logText()).toContain('disk_low')
})

onOwnDisk('a store that took no more is not ready, until it takes a commit again', async () => {
  await headgate.stop()
  // Nobody writes but this test.
  headgate = await open({ HEADGATE_ROLES: 'gateway,api' })
  const { database } = headgate.running.drivers
  const readiness = async () => {
    const { status, json } = await headgate.api('GET', '/readyz')
    return [status, json.store]
  }
  await until(async () => (await readiness())[0] === 200, 'it is ready')

  // As on a full disk, SQLite finds no place for another page, and says so with its own code.
  const pagesMax = (count: number) => ({ parts: [`PRAGMA max_page_count = ${count}`], values: [] })
  await database.query(pagesMax(1))
  const fill = sql`INSERT INTO instance_facts (name, value) VALUES (${'x'}, ${'x'.repeat(2 ** 20)})`
  expect(await failureOf(database.query(fill))).toMatchObject({ code: 'database_unavailable' })
  expect(await readiness()).toEqual([503, false])

  await database.query(pagesMax(2 ** 30))
  await database.query(fill)
  expect(await readiness()).toEqual([200, true])
})
