import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigFaults, loadSettings } from '../../../src/config/config.ts'
import type { UpstreamSpec } from '../../../src/core/network.ts'
import { openDrivers, type Running, startOn } from '../../../src/wiring/start.ts'
import { fastClock } from '../basics/fast-clock.ts'
import type { FakeNode } from '../nodes/fake-node.ts'
import { dropWorldOf, worldOf } from './world.ts'

export { until } from '../basics/until.ts'

export type TestHeadgate = {
  url: string
  running: Running
  appKey: string
  teamToken: string
  operatorToken: string
  /** All log lines so far. */
  logText(): string
  /** POSTs a body to `/<slug>/v2/<key>`. */
  post(body: unknown, options?: PostOptions): Promise<Answer>
  /** Calls the management API. */
  api(method: string, path: string, body?: unknown, token?: string): Promise<Answer>
  stop(): Promise<void>
}

type PostOptions = { key?: string; slug?: string; headers?: Record<string, string>; url?: string }

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
export type Answer = { status: number; headers: Headers; text: string; json: any }

type Options = {
  nodes?: readonly FakeNode[]
  /** Per upstream, by position. */
  upstreams?: readonly Partial<UpstreamSpec>[]
  /** Members of the network's configuration. */
  network?: Record<string, unknown>
  /** HEADGATE_ variables, such as HEADGATE_TIERS_FREE_MONTHLY_CU. */
  env?: Record<string, string>
  dataFolder?: string
  /** How many times as fast as the machine's its time runs. */
  pace?: number
}

/** The whole product in this process, on fake nodes, or on the embedded chain without any. */
export async function startHeadgate(options: Options = {}): Promise<TestHeadgate> {
  const folder = options.dataFolder ?? mkdtempSync(join(tmpdir(), 'headgate-'))
  const settings = loadSettings({
    env: {
      HEADGATE_LISTEN: '127.0.0.1:0',
      HEADGATE_DEVNET_UPSTREAMS: '1',
      HEADGATE_DATA: folder,
      ...(await worldOf(folder)),
      // Whatever the machine has: those who want several say so.
      HEADGATE_GATEWAY_WORKERS: '1',
      // Tests look for what they have sent themselves.
      HEADGATE_DEVNET_TRANSACTIONS_PER_BLOCK: '0',
      // A ledger without a life of its own: those who want one say so.
      HEADGATE_DEVNET_TOKEN_ACCOUNTS: '0',
      HEADGATE_DEVNET_CHANGES_PER_SLOT: '0',
      ...(options.nodes ? onNodes(options) : {}),
      ...options.env,
    },
  })
  if (settings instanceof ConfigFaults) throw new Error(settings.text)
  let log = ''
  const drivers = await openDrivers(settings, (text) => {
    log += text
  })
  const { pace } = options
  const running = await startOn(pace ? { ...drivers, clock: fastClock(pace) } : drivers, settings)
  if (Array.isArray(running)) {
    if (!options.dataFolder) await remove(folder)
    throw new Error(running.join('\n'))
  }
  const { firstRun } = running
  if (!firstRun) throw new Error('no first run')
  const slug = running.networks.list()[0]?.network.slug ?? ''
  const send = sender(running.url)
  return {
    url: running.url,
    running,
    appKey: firstRun.app_key,
    teamToken: firstRun.team_token,
    operatorToken: firstRun.operator_token ?? settings.operatorToken ?? '',
    logText: () => log,
    post: (body, { key = firstRun.app_key, headers = {}, ...rest } = {}) =>
      send('POST', rest.url ?? `/${rest.slug ?? slug}/v2/${key}`, body, {
        'content-type': 'application/json',
        ...headers,
      }),
    api: (method, path, body, token = firstRun.team_token) =>
      send(method, path, body, {
        'x-service-token': token,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      }),
    async stop() {
      await running.stop()
      if (!options.dataFolder) await remove(folder)
    },
  }
}

async function remove(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  await dropWorldOf(folder)
}

/** A call with the usual envelope. */
export function rpc(method: string, params: unknown[] = [], id: unknown = 1) {
  return { jsonrpc: '2.0', id, method, params }
}

/** Fake nodes count and hold what they are asked, so no follower asks beside the test. */
function onNodes(options: Options): Record<string, string> {
  return { HEADGATE_NETWORKS: networksText(options), HEADGATE_ROLES: 'gateway,api' }
}

function networksText({ nodes = [], upstreams = [], network = {}, pace = 1 }: Options): string {
  const list = nodes.map((node, at) => ({ name: node.name, url: node.url, ...upstreams[at] }))
  const id = 'ETH_MAINNET'
  const paces = { blockTimeMs: 1000, headPollMs: 100 * pace }
  // Blocks of fake nodes are made up.
  const usual = { id, kind: 'evm', chainId: 1, verify: 'off', ...paces }
  return JSON.stringify([{ ...usual, ...network, upstreams: list }])
}

function sender(base: string) {
  return async (
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<Answer> => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(`${base}${path}`, {
      method,
      headers,
      ...(text === undefined ? {} : { body: text }),
    })
    const answer = await response.text()
    let json: unknown
    try {
      json = JSON.parse(answer)
    } catch {}
    return { status: response.status, headers: response.headers, text: answer, json }
  }
}
