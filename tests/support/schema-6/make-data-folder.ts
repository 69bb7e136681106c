/**
 * Makes `data-folder.json.gz`: a data folder as version 0.2.0 left it, whose tables stand at
 * migration 6, with deliveries in every state that version knew, and its own log of them.
 *
 *   git worktree add /tmp/headgate-0.2.0 0bb29b7 && cd /tmp/headgate-0.2.0 && npm ci
 *   npx bun tests/support/schema-6/make-data-folder.ts /tmp/headgate-0.2.0
 *
 * That code is only ever run as a process of its own, so this needs nothing of it. The file is
 * kept as it is: a test opens it with the code of today.
 */
import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ChainNode } from '../chain-node.ts'
import { cleanUp, newFolder, startProcess, writeConfig } from '../headgate-process.ts'
import { type Api, apiOf, wholeLog } from './api.ts'
import {
  configText,
  DATA_FILES,
  FILE,
  type OldData,
  PATHS,
  type Path,
  startNodes,
} from './old-data.ts'

/** Longer than that version kept a delivery in memory only. */
const IN_MEMORY_MS = 11_000

/** So long after the first of them hangs, the installation is killed. */
const HANGS_MS = 300_000

const PATIENCE_MS = 120_000

type Team = { name: string; token: string; api: Api }

const [checkout = ''] = process.argv.slice(2)
const receivers = startReceivers()
const nodes = startNodes()
const folder = newFolder()
writeConfig(folder, configText(nodes))
const headgate = await startProcess({
  folder,
  args: ['--config', 'headgate.yaml'],
  main: join(resolve(checkout), 'src', 'main.ts'),
})
const first: Team = teamOf('first', headgate.keys.team_token)
const poor = await newTeam('poor')
try {
  await live()
  const teams: OldData['teams'] = []
  for (const { name, token, api } of [first, poor]) {
    teams.push({ name, token, log: await wholeLog(api) })
  }
  headgate.signal('SIGKILL')
  await headgate.exited
  await keep(teams)
} finally {
  await cleanUp()
  for (const one of [...nodes, ...receivers.values()]) one.stop()
}

/** What happens in the life of that installation. */
async function live(): Promise<void> {
  const webhooks = new Map<Path, string>()
  for (const path of PATHS) webhooks.set(path, await create(first, path))
  const idOf = (path: Path) => webhooks.get(path) ?? ''
  await mine(3)
  await settled(idOf('/failing'), 'failed', 3)
  await settled(idOf('/flaky'), 'delivered', 3)
  await settled(idOf('/busy'), 'waiting', 3)

  // Of a webhook that is deleted: delivered ones, a failed one and some that wait.
  await settled(idOf('/deleted'), 'failed', 1)
  await first.api('DELETE', `/api/delete-webhook?webhook_id=${idOf('/deleted')}`)
  // What waits for one that is paused by hand stays.
  await first.api('PUT', '/api/update-webhook', { webhook_id: idOf('/paused'), is_active: false })

  await resend(idOf('/good'), 'delivered')
  await resend(idOf('/failing'), 'failed')
  await replay(idOf('/replayed'), 1000, 1002)
  await replay(idOf('/replayed-busy'), 1000, 1001)

  // Poor teams run out of compute units, and get errors that are accepted, refused, or wait.
  for (const path of ['/good', '/failing', '/busy'] as const) await create(poor, path)
  await mine(2)
  await eventually(async () => {
    const errors = (await wholeLog(poor.api)).filter(({ kind }) => kind === 'error')
    const states = new Set(errors.map(({ status }) => status))
    return states.has('delivered') && states.has('failed') && states.has('waiting')
  }, 'errors in three states')

  // What hangs for so long gets a row of its own; what follows stands on sheets to the end.
  await Bun.sleep(IN_MEMORY_MS)
  await mine(2)
  await settled(idOf('/failing'), 'failed', 7)
  await settled(idOf('/flaky'), 'delivered', 7)
  await settled(idOf('/good'), 'delivered', 7)
}

async function create({ name, api }: Team, path: Path): Promise<string> {
  const { url } = receivers.get(path) ?? {}
  const { data } = await api('POST', '/api/create-webhook', {
    network: path === '/other-chain' ? 'OTHER_CHAIN' : 'ETH_MAINNET',
    webhook_type: 'GRAPHQL',
    webhook_url: url + path,
    name: `${name} ${path}`,
    graphql_query: path === '/other-query' ? '{ block { hash } }' : '{ block { number hash } }',
    ordered: path === '/ordered',
  })
  return data.id
}

/** Each chain gets so many blocks, which have all been delivered to who accepts them. */
async function mine(blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    for (const node of nodes) await mineOne(node)
  }
}

async function mineOne(node: ChainNode): Promise<void> {
  const path = node === nodes[0] ? '/good' : '/other-chain'
  const before = receivers.get(path)?.accepted ?? 0
  node.mine()
  await eventually(
    () => (receivers.get(path)?.accepted ?? 0) > before,
    `a block arrives at ${path}`,
  )
}

async function resend(webhookId: string, status: string): Promise<void> {
  const [newest] = await logOf(webhookId, status)
  await first.api('POST', `/api/deliveries/${newest?.id}/resend`)
  await eventually(async () => {
    const { data } = await first.api('GET', `/api/deliveries/${newest?.id}`)
    return data.status === status && data.attempts.length > (newest?.attempts_made ?? 0)
  }, 'what was resent has got there')
}

async function replay(webhookId: string, fromBlock: number, toBlock: number): Promise<void> {
  const { data } = await first.api('POST', '/api/replay-webhook', {
    webhook_id: webhookId,
    from_block: fromBlock,
    to_block: toBlock,
  })
  await eventually(async () => {
    const now = await first.api('GET', `/api/replays/${data.id}`)
    return now.data.state === 'done'
  }, 'the replay is done')
  await Bun.sleep(500)
}

async function logOf(webhookId: string, status: string) {
  const query = `webhook_id=${webhookId}&status=${status}`
  return (await first.api('GET', `/api/deliveries?${query}`)).data
}

async function settled(webhookId: string, status: string, count: number): Promise<void> {
  const isSo = async () => (await logOf(webhookId, status)).length >= count
  await eventually(isSo, `${count} deliveries of ${webhookId} are ${status}`)
}

function teamOf(name: string, token: string): Team {
  return { name, token, api: apiOf(headgate.url, token) }
}

async function newTeam(name: string): Promise<Team> {
  const operator = apiOf(headgate.url, headgate.keys.operator_token)
  const { data } = await operator('POST', '/api/teams', { name, tier: 'free' })
  return teamOf(name, data.token)
}

/** A host that fails is given up for a while, so some of it takes long. */
async function eventually(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const endsAt = Date.now() + PATIENCE_MS
  while (!(await holds())) {
    if (Date.now() > endsAt) throw new Error(`never came true: ${what}`)
    await Bun.sleep(100)
  }
}

/** A server for each path, since one that fails is given up as a whole. */
function startReceivers() {
  return new Map(PATHS.map((path) => [path, startReceiver(path)]))
}

function startReceiver(path: Path) {
  const seen = new Map<string, number>()
  const receiver = { url: '', accepted: 0, stop: () => void server.stop(true) }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { id } = (await request.json()) as { id: string }
      seen.set(id, (seen.get(id) ?? 0) + 1)
      const place = [...seen.keys()].indexOf(id)
      const response = await answer(path, seen.get(id) ?? 0, place)
      if (response.ok) receiver.accepted += 1
      return response
    },
  })
  receiver.url = `http://127.0.0.1:${server.port}`
  return receiver
}

async function answer(path: Path, attempt: number, place: number): Promise<Response> {
  // A status that says nothing against the host, which would be given up for a while.
  const refused = new Response('not now', { status: 409 })
  const busy = new Response('later', { status: 503, headers: { 'retry-after': '3000' } })
  if (path === '/failing') return refused
  if (path === '/flaky') return attempt > 1 ? new Response('noted') : refused
  if (path === '/busy') return busy
  if (path === '/gone') return new Response('gone', { status: 410 })
  if (path === '/deleted' && place === 1) return refused
  if (path === '/deleted' && place === 2) return busy
  if (path === '/replayed-busy' && attempt > 1) return busy
  if (path === '/hanging' || path === '/paused' || path === '/ordered') await Bun.sleep(HANGS_MS)
  return new Response('noted')
}

async function keep(logs: OldData['teams']): Promise<void> {
  const file = join(folder, 'data', DATA_FILES.database)
  const database = new Database(file, { create: false, readwrite: true })
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  database.run('PRAGMA journal_mode = DELETE')
  database.run('VACUUM')
  database.close()
  const kept: OldData = {
    madeAtMs: Date.now(),
    database: Buffer.from(Bun.gzipSync(readFileSync(file))).toString('base64'),
    secret: readFileSync(join(folder, 'data', DATA_FILES.secret), 'utf8'),
    firstRun: readFileSync(join(folder, 'data', DATA_FILES.firstRun), 'utf8'),
    teams: logs,
  }
  await Bun.write(FILE, Bun.gzipSync(Buffer.from(JSON.stringify(kept))))
  for (const { name, log } of logs) {
    const counts = Object.groupBy(log, ({ kind, status, replay }) => `${kind} ${status} ${replay}`)
    console.log(
      name,
      Object.entries(counts).map(([key, of]) => `${key}: ${of?.length}`),
    )
  }
}
