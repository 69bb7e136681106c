import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blockNetwork } from './block-network.ts'
import { type Effort, median, type Result, type Row, round2, target } from './compare.ts'
import {
  type Contender,
  cpuSeconds,
  rssBytes,
  startBareSockets,
  startBlockNode,
  startSocketClients,
} from './contenders.ts'
import { spawnHeadgate } from './headgate-process.ts'
import { benchBlock } from './query-material.ts'
import type { OpenOrder, Received } from './socket-clients.ts'

const CLIENTS = 1000
const CLIENTS_TINY = 10
const BLOCKS_PER_ROUND = 6
const BLOCK_EVERY_MS = 1000
const RATIO_MIN = 0.6
const ADDED_MS_MAX = 50
const KB_PER_CLIENT_MAX = 30
const REST_LOOKS = 20
const REST_LOOK_MS = 500

/** A contract with more logs would only make the blocks larger. */
const LOGS_MAX = 20

/** One way from an announcement, or the start of a loop, to the last client. */
type Sent = { ms: number; cpuS: number; frames: string[] }

/** A server with the clients that are connected to it. */
type Side = { pid: number; url: string; clients: Contender }

/**
 * P17: a node announces a block, and a thousand clients with newHeads and the logs of one busy
 * contract are told. Against the same texts written to as many sockets by a bare loop.
 */
export async function subscriptions(effort: Effort): Promise<Result> {
  const isFull = effort.rounds > 1
  const count = isFull ? CLIENTS : CLIENTS_TINY
  await using opened = new AsyncDisposableStack()
  const node = opened.adopt(await startBlockNode(), (one) => one.stop())
  const clients = opened.adopt(await startSocketClients(), (one) => one.stop())
  const bare = opened.adopt(await startBareSockets(), (one) => one.stop())
  const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const headgate = opened.adopt(await startGate(folder, node), (one) => one.stop())
  await headgate.ready()

  const key = headgate.firstRun().app_key
  const ours = sideOf(headgate.pid, `${headgate.url}/eth-mainnet/v2/${key}`, clients)
  const theirs = sideOf(bare.pid, bare.url, clients)
  const { address, logs } = busyContract()
  const calls = [call(['newHeads']), call(['logs', { address }])]
  const frames = 1 + logs
  // With the first clients all code is warm, and memory has what blocks take.
  await open(ours, 2, calls)
  for (let at = 0; at < (isFull ? 30 : 2); at++) await announce(node, ours, frames)
  const before = await restingRss(headgate.pid, isFull)
  await open(ours, count - 2, calls)
  await open(theirs, count, [calls[0] ?? ''])
  const samples = await sample(node, ours, theirs, frames, effort)
  const after = await restingRss(headgate.pid, isFull)
  const memoryKb = (after - before) / 1024 / (count - 2)
  const result = resultOf(samples, { count, logs, memoryKb })
  const memory = `RSS at rest: ${mib(before)} MiB with 2 clients, ${mib(after)} with ${count}.`
  return { ...result, notes: [...result.notes, memory] }
}

function mib(bytes: number): number {
  return round2(bytes / 2 ** 20)
}

/** The lowest of some looks, since what a block leaves behind is swept up later. */
async function restingRss(pid: number, isFull: boolean): Promise<number> {
  let lowest = rssBytes(pid)
  for (let looks = isFull ? REST_LOOKS : 1; looks > 0; looks--) {
    await Bun.sleep(isFull ? REST_LOOK_MS : 1)
    lowest = Math.min(lowest, rssBytes(pid))
  }
  return lowest
}

type Samples = { node: number[]; ours: Sent[]; bare: Sent[] }

async function sample(
  node: Contender,
  ours: Side,
  theirs: Side,
  frames: number,
  effort: Effort,
): Promise<Samples> {
  const samples: Samples = { node: [], ours: [], bare: [] }
  const blocks = effort.rounds === 1 ? 2 : effort.rounds * BLOCKS_PER_ROUND
  for (let at = -1; at < blocks; at++) {
    const startedAtMs = performance.now()
    const alone = await answerTimesMs(node)
    const told = await announce(node, ours, frames)
    const written = await write(theirs, told.frames)
    if (at < 0) continue
    samples.node.push(alone)
    samples.ours.push(told)
    samples.bare.push(written)
    if (effort.rounds > 1) await Bun.sleep(BLOCK_EVERY_MS - (performance.now() - startedAtMs))
  }
  return samples
}

function resultOf(
  { node, ours, bare }: Samples,
  { count, logs, memoryKb }: { count: number; logs: number; memoryKb: number },
): Result {
  const added = ours.map(({ ms }, at) => ms - (node[at] ?? 0) - (bare[at]?.ms ?? 0))
  const ratios = ours.map(({ ms }, at) => (bare[at]?.ms ?? 0) / (ms - (node[at] ?? 0)))
  const cpuOf = (all: readonly Sent[]) => all.reduce((sum, { cpuS }) => sum + cpuS, 0) / all.length
  const bytes = (ours[0]?.frames ?? []).reduce((sum, text) => sum + text.length, 0)
  return {
    scenario: 'P17',
    title: `a block told to ${count} clients, newHeads and ${logs} logs of one contract`,
    rows: [
      rowOf('the node alone', node),
      rowOf(
        'the bare loop',
        bare.map(({ ms }) => ms),
      ),
      rowOf(
        'headgate',
        ours.map(({ ms }) => ms),
      ),
    ],
    targets: [
      target('against the bare loop, less the node', median(ratios), { atLeast: RATIO_MIN }),
      target('added at p50', median(added), { atMost: ADDED_MS_MAX }, 'ms'),
      target('RSS a client', memoryKb, { atMost: KB_PER_CLIENT_MAX }, 'KB'),
    ],
    notes: [
      `${round2(bytes / 1024)} KB a client and block, in ${1 + logs} frames.`,
      `CPU a block: headgate ${round2(cpuOf(ours) * 1000)} ms, of which it reads the block; the bare loop ${round2(cpuOf(bare) * 1000)} ms.`,
      `${ours.length} blocks of ${benchBlock().name}, one a second; clients and node share the machine.`,
    ],
  }
}

function startGate(folder: string, node: Contender) {
  const env = {
    HEADGATE_GATEWAY_WORKERS: '1',
    HEADGATE_ROLES: 'gateway,api',
    HEADGATE_LIMITS_APP_WEB_SOCKETS_MAX: String(CLIENTS),
  }
  return spawnHeadgate({ folder, networks: [blockNetwork(node)], env })
}

/** The contract with the most logs, of those that do not have too many. */
function busyContract(): { address: string; logs: number } {
  const counts = new Map<string, number>()
  for (const { logs } of benchBlock().raw.receipts) {
    for (const { address } of logs) counts.set(address, (counts.get(address) ?? 0) + 1)
  }
  const fitting = [...counts].filter(([, logs]) => logs <= LOGS_MAX)
  const [address = '', logs = 0] = fitting.sort((one, other) => other[1] - one[1])[0] ?? []
  return { address, logs }
}

function sideOf(pid: number, url: string, clients: Contender): Side {
  return { pid, url: url.replace('http', 'ws'), clients }
}

async function open({ url, clients }: Side, count: number, calls: string[]): Promise<void> {
  await post(`${clients.url}open`, { url, count, calls } satisfies OpenOrder)
}

async function announce(node: Contender, side: Side, frames: number): Promise<Sent> {
  await ask(node, 'bench_prepare')
  return send(side, frames, () => ask(node, 'bench_announce'))
}

function write(side: Side, frames: string[]): Promise<Sent> {
  return send(side, frames.length, () => post(side.url.replace('ws', 'http'), frames))
}

async function send(side: Side, frames: number, begin: () => Promise<unknown>): Promise<Sent> {
  const { url, clients, pid } = side
  await post(`${clients.url}expect`, { url, frames })
  const cpuBefore = cpuSeconds(pid)
  const startedAtMs = performance.timeOrigin + performance.now()
  await begin()
  const received = (await (await post(`${clients.url}received`, { url })).json()) as Received
  const ms = received.lastAtMs - startedAtMs
  return { ms, cpuS: cpuSeconds(pid) - cpuBefore, frames: received.frames }
}

async function answerTimesMs(node: Contender): Promise<number> {
  const { hash } = (await ask(node, 'eth_getBlockByNumber', ['latest', false])) as { hash: string }
  const before = performance.now()
  await ask(node, 'eth_getBlockByHash', [hash, true])
  await ask(node, 'eth_getBlockReceipts', [hash])
  return performance.now() - before
}

async function ask(node: Contender, method: string, params: unknown[] = []): Promise<unknown> {
  const answer = await post(node.url, { jsonrpc: '2.0', id: 1, method, params })
  return ((await answer.json()) as { result: unknown }).result
}

async function post(url: string, body: unknown): Promise<Response> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  return answer
}

function call(params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params })
}

function rowOf(name: string, times: readonly number[]): Row {
  const sorted = times.toSorted((a, b) => a - b)
  return {
    name,
    perSecond: 1000 / median(times),
    perSecondIn: times.map((ms) => 1000 / ms),
    spread: [1000 / Math.max(...times), 1000 / Math.min(...times)],
    cpuUsPerCall: 0,
    p50Ms: median(times),
    p99Ms: sorted.at(-1) ?? 0,
    failed: 0,
  }
}
