import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../basics/until.ts'
import {
  type FirstKeys,
  keysIn,
  type MemberProcess,
  newFolder,
  startMember,
} from '../product/headgate-process.ts'

export type Role = 'gateway' | 'follower' | 'courier' | 'api'

/** A process of the cluster, through all of its lives: they have one folder, as on a machine. */
export type Member = {
  readonly roles: readonly Role[]
  readonly folder: string
  readonly url: string
  readonly pid: number
  /** The name under which it holds leases. */
  readonly name: string
  said(): string
  /** Again, after it has ended. */
  start(): Promise<void>
  signal(name: NodeJS.Signals): void
  /** Ends it at once. */
  kill(): Promise<void>
  /** Ends it in order; its exit code. */
  stop(): Promise<number>
  /** The sum over all labels of one of its metrics. */
  metric(name: string): Promise<number>
}

export type Cluster = {
  members: readonly Member[]
  start(roles: readonly Role[], env?: Record<string, string>): Promise<Member>
  /** The keys of the one first run. */
  keys(): FirstKeys
}

export type ClusterNetwork = {
  id: string
  chainId: number
  upstreams: readonly { name: string; url: string }[]
}

/** The secret of every process, unless a test says otherwise. */
const SECRET = '5e'.repeat(32)

/** Many start at the same time, and some while their database is away. */
const START_MS_MAX = 60_000

/** The variables that all processes of one cluster have. */
export function clusterEnv(
  databaseUrl: string,
  networks: readonly ClusterNetwork[],
): Record<string, string> {
  const served = networks.map((network) => ({
    kind: 'evm',
    // Blocks of fake nodes are made up.
    verify: 'off',
    blockTimeMs: 1000,
    headPollMs: 100,
    ...network,
    upstreams: network.upstreams.map(({ name, url }) => ({ name, url })),
  }))
  return {
    HEADGATE_LISTEN: '127.0.0.1:0',
    HEADGATE_DATABASE: databaseUrl,
    HEADGATE_SECRET: SECRET,
    HEADGATE_NETWORKS: JSON.stringify(served),
    HEADGATE_WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true',
  }
}

/** Processes with folders of their own, as if each were on a machine of its own. */
export function openCluster(common: Record<string, string>): Cluster {
  const members: Member[] = []
  return {
    members,
    async start(roles, env = {}) {
      const variables = { ...common, HEADGATE_ROLES: roles.join(), ...env }
      const member = await openMember(roles, variables)
      members.push(member)
      return member
    },
    keys() {
      const found = members.map(({ folder }) => keysIn(folder)).filter((keys) => keys !== null)
      if (found.length !== 1) throw new Error(`${found.length} processes had the first run`)
      return found[0] as FirstKeys
    },
  }
}

async function openMember(roles: readonly Role[], env: Record<string, string>): Promise<Member> {
  const folder = newFolder()
  let life: MemberProcess = await startMember({ folder, env, startMsMax: START_MS_MAX })
  return {
    roles,
    folder,
    get url() {
      return life.url
    },
    get pid() {
      return life.pid
    },
    get name() {
      const text = readFileSync(join(folder, 'data', 'scratch-0', 'process-name'), 'utf8')
      return text.split('\n')[0] ?? ''
    },
    said: () => life.said(),
    async start() {
      let pid: number | null = null
      const whileStarting = async (started: number) => {
        pid = started
      }
      try {
        life = await startMember({ folder, env, whileStarting, startMsMax: START_MS_MAX })
      } catch (thrown) {
        if (pid !== null) endIfRunning(pid)
        throw thrown
      }
    },
    signal: (name) => life.signal(name),
    async kill() {
      life.signal('SIGKILL')
      await life.exited
    },
    stop() {
      life.signal('SIGTERM')
      return life.exited
    },
    metric: (name) => metricOf(life.url, name),
  }
}

/**
 * Waits until a process follows a chain to its head. A webhook that is there before the first block
 * is followed would get that block too.
 */
export async function untilFollowed(member: Member, chain: { head: { number: number } }) {
  const { number } = chain.head
  const isFollowed = async () => (await member.metric('headgate_follower_block')) >= number
  await until(isFollowed, `block ${number} is followed`)
}

/** One that came up too slowly must not stand in the way of the next. */
function endIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}

async function metricOf(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.split('\n').filter((line) => new RegExp(`^${name}[ {]`).test(line))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}

/** Answers of the management API and the gateway, with the status. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
export type Answer = { status: number; json: any }

/** Calls the management API of a process. */
export function callApi(
  { url }: { url: string },
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  return send(`${url}${path}`, method, body, { 'x-service-token': token })
}

/** Calls the gateway of a process. */
export function callRpc(
  { url }: { url: string },
  key: string,
  method: string,
  { slug = 'eth-mainnet', params = [] as unknown[] } = {},
): Promise<Answer> {
  return send(`${url}/${slug}/v2/${key}`, 'POST', { jsonrpc: '2.0', id: 1, method, params }, {})
}

/** Longer than any answer may take, however the servers behind it are. */
const ANSWER_MS_MAX = 40_000

async function send(
  url: string,
  method: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  try {
    return { status: response.status, json: JSON.parse(text) }
  } catch {
    return { status: response.status, json: text }
  }
}

/** Waits until a process answers a call in that way. */
export function untilAnswered(call: () => Promise<Answer>, status: number): Promise<void> {
  return until(async () => (await call()).status === status, `an answer is ${status}`)
}
