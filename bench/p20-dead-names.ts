import { setServers } from 'node:dns'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigFaults, loadSettings } from '../src/config/config.ts'
import { writeInstanceFactOnce } from '../src/tables/sql/instance.ts'
import { type Running, start } from '../src/wiring/start.ts'
import { type Said, startNameServer } from '../tests/support/nodes/name-server.ts'
import { compare, type Effort, type Result, type Sample, target } from './compare.ts'
import { startFastUpstream } from './contenders.ts'

type Team = { token: string }

/** How names begin, and with it what becomes of them. */
type Host = 'dead' | 'nosuch' | 'good'

/** Each keeps so many names that never answer under way. */
const DEAD_TEAMS = 10
const DEAD_NAMES_EACH = 10

/** Enough for none of them to meet the limit of calls. */
const OTHER_TEAMS = 20
const CREATES_PER_SECOND = 40
const COMMIT_EVERY_MS = 2

const COMMIT_P99_MS_MAX = 50
const CREATE_RATIO_MAX = 1.5

/** A lookup that is not answered ends after so long. */
const LOOKUP_MS = 3000

const NETWORK = 'ETH_MAINNET'
const PUBLIC = '93.184.215.14'
const QUERY = '{ block { number } }'

/**
 * P20: a hundred names that never answer are looked up all the time. What that does to the
 * commits of the store and to other teams that make webhooks on good names.
 */
export async function deadNames(effort: Effort): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))
  const node = await startFastUpstream()
  const nameServer = await startNameServer(said)
  setServers([nameServer.address])
  const running = await startOn(node.url, folder)
  try {
    const others = await makeTeams(running, OTHER_TEAMS)
    const owners = await makeTeams(running, DEAD_TEAMS)
    const commits = () => measureCommits(running, effort.seconds)
    const creates = () => measureCreates(running, others, effort.seconds)
    const everyMs = effort.rounds > 1 ? LOOKUP_MS : LOOKUP_MS / 10
    const among = (host: Host, measure: () => Promise<Sample>) => () =>
      amongNames(running, owners, { host, everyMs }, measure)
    const rows = await compare(effort, [
      { name: 'commit, no names', measure: commits },
      { name: 'commit, names that never answer', measure: among('dead', commits) },
      { name: 'create, names without an address', measure: among('nosuch', creates) },
      { name: 'create, names that never answer', measure: among('dead', creates) },
    ])
    const [, commit, alone, among100] = rows
    const dead = new Set(nameServer.asked.filter((name) => name.startsWith('dead'))).size
    const ratio = (among100?.p50Ms ?? 0) / (alone?.p50Ms ?? 1)
    const commitBound = { atMost: COMMIT_P99_MS_MAX }
    return {
      scenario: 'P20',
      title: `${DEAD_TEAMS * DEAD_NAMES_EACH} names that never answer, looked up all the time`,
      rows,
      targets: [
        target('p99 of a commit among them', commit?.p99Ms ?? 0, commitBound, 'ms'),
        target('another team’s create at p50', ratio, { atMost: CREATE_RATIO_MAX }),
      ],
      notes: [
        'A commit is one row, written, synced and answered. A create is another team’s, with a name',
        'that nobody asked for before; what fails is counted. Meanwhile 33 webhooks a second are',
        'asked for whose names are of either kind. All is paced, so calls/s says nothing.',
        `The name server was asked for ${dead} names that it did not answer for.`,
      ],
    }
  } finally {
    await running.stop()
    await node.stop()
    await nameServer.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function said(name: string): Said {
  if (name.startsWith('dead')) return 'silence'
  return name.startsWith('nosuch') ? 'nothing' : { v4: [PUBLIC] }
}

/** Nothing is sent: names are looked up when webhooks are made, and no process delivers. */
async function startOn(url: string, folder: string): Promise<Running> {
  const upstreams = [{ name: 'node', url }]
  const settings = loadSettings({
    env: {
      HEADGATE_LISTEN: '127.0.0.1:0',
      HEADGATE_DATA: folder,
      HEADGATE_ROLES: 'gateway,api',
      HEADGATE_NETWORKS: JSON.stringify([
        { id: NETWORK, kind: 'evm', chainId: 1, verify: 'off', upstreams },
      ]),
    },
  })
  if (settings instanceof ConfigFaults) throw new Error(settings.text)
  const running = await start(settings, () => {})
  if (Array.isArray(running)) throw new Error(running.join('\n'))
  return running
}

async function makeTeams(running: Running, count: number): Promise<Team[]> {
  const token = running.firstRun?.operator_token ?? ''
  const teams: Team[] = []
  for (let at = 0; at < count; at++) {
    const made = await api(running, token, 'POST', '/api/teams', { name: `t${at}`, tier: 'free' })
    teams.push({ token: (made.body as { data: Team }).data.token })
  }
  return teams
}

async function api(
  { url }: Running,
  token: string,
  method: string,
  path: string,
  body?: Record<string, unknown>,
): Promise<{ status: number; body: unknown }> {
  const headers = { 'x-service-token': token, 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(url + path, { method, headers, ...sent })
  return { status: response.status, body: await response.json() }
}

let names = 0

function create(running: Running, { token }: Team, host: Host) {
  const webhook_url = `https://${host}${names++}.test/`
  const asked = { network: NETWORK, webhook_type: 'GRAPHQL', webhook_url, graphql_query: QUERY }
  return api(running, token, 'POST', '/api/create-webhook', asked)
}

async function amongNames(
  running: Running,
  owners: readonly Team[],
  { host, everyMs }: { host: Host; everyMs: number },
  measure: () => Promise<Sample>,
): Promise<Sample> {
  let isOver = false
  const keepAsking = async (owner: Team, at: number) => {
    // One after the other, so that they do not come in bursts.
    await Bun.sleep((at / (DEAD_TEAMS * DEAD_NAMES_EACH)) * everyMs)
    while (!isOver) await Promise.all([create(running, owner, host), Bun.sleep(everyMs)])
  }
  const asking = owners.flatMap((owner, at) =>
    Array.from({ length: DEAD_NAMES_EACH }, (_, name) => keepAsking(owner, at + name * DEAD_TEAMS)),
  )
  await Bun.sleep(everyMs)
  const sample = await measure()
  isOver = true
  await Promise.all(asking)
  return sample
}

async function measureCommits({ drivers }: Running, seconds: number): Promise<Sample> {
  return sample(seconds, async () => {
    const startedMs = performance.now()
    await writeInstanceFactOnce(drivers.database, `bench_${names++}`, 'x')
    const tookMs = performance.now() - startedMs
    await Bun.sleep(COMMIT_EVERY_MS)
    return { tookMs, isGood: true }
  })
}

async function measureCreates(
  running: Running,
  teams: readonly Team[],
  seconds: number,
): Promise<Sample> {
  let turn = 0
  return sample(seconds, async () => {
    const team = teams[turn++ % teams.length] as Team
    const startedMs = performance.now()
    const { status, body } = await create(running, team, 'good')
    const tookMs = performance.now() - startedMs
    const isGood = status === 200
    if (isGood) {
      // A team may have no more than a hundred.
      const { id } = (body as { data: { id: string } }).data
      await api(running, team.token, 'DELETE', `/api/delete-webhook?webhook_id=${id}`)
    }
    await Bun.sleep(1000 / CREATES_PER_SECOND)
    return { tookMs, isGood }
  })
}

async function sample(
  seconds: number,
  step: () => Promise<{ tookMs: number; isGood: boolean }>,
): Promise<Sample> {
  const times: number[] = []
  let failed = 0
  const cpu = process.cpuUsage()
  const endsMs = performance.now() + seconds * 1000
  while (performance.now() < endsMs) {
    const { tookMs, isGood } = await step()
    times.push(tookMs)
    if (!isGood) failed += 1
  }
  const { user, system } = process.cpuUsage(cpu)
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  const perSecond = times.length / seconds
  const cpuUsPerCall = (user + system) / times.length
  return { perSecond, cpuUsPerCall, p50Ms: at(0.5), p99Ms: at(0.99), failed }
}
