import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigFaults, loadSettings } from '../src/config/config.ts'
import { listTeams } from '../src/tables/accounts/teams.ts'
import { createWebhook } from '../src/tables/webhooks/webhooks.ts'
import { type Running, start } from '../src/wiring/start.ts'
import { seededChance } from '../tests/support/basics/seeded-chance.ts'
import { sealedKey, webhookCalled } from '../tests/support/deliveries/webhook-store.ts'
import { type Effort, median, type Result, type Row, round2, target } from './compare.ts'
import { type Contender, startBlockNode, startReceivers } from './contenders.ts'
import { benchBlock, queryKeys, queryText } from './query-material.ts'

const WEBHOOKS = 1000
const WEBHOOKS_TINY = 100
const MATCHING = 10
const BLOCKS_PER_ROUND = 20
const ADDED_MS_MAX = { p50: 30, p99: 100 }
const NETWORK = 'ETH_MAINNET'
const RECEIVERS = 5
const SIGNING_KEY = `whsec_${'k'.repeat(24)}`

/** A block that takes longer means that something is broken. */
const PATIENCE_MS = 10_000

/** The times of one announced block, from the announcement on. */
type Times = { committedMs: number; arrivedMs: number }

/**
 * P11: an upstream announces a block, and what is due of 1,000 webhooks, 10 of them matching,
 * is committed and arrives at a receiver. Against the upstream's own answer times.
 */
export async function blockLatency(effort: Effort): Promise<Result> {
  const node = await startBlockNode()
  const receivers = await startReceivers(RECEIVERS, 0, 'timed')
  const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))
  const running = await startOn(node, folder)
  const webhooks = effort.rounds > 1 ? WEBHOOKS : WEBHOOKS_TINY
  try {
    await makeWebhooks(running, receivers.healthy, webhooks)
    const direct: number[] = []
    const commits: number[] = []
    const arrivals: number[] = []
    const blocks = effort.rounds === 1 ? 3 : BLOCKS_PER_ROUND * effort.rounds
    // The first blocks find the code cold and are not counted.
    for (let at = -Math.min(blocks, BLOCKS_PER_ROUND); at < blocks; at++) {
      const hash = await ask(node, 'bench_prepare')
      const alone = await answerTimesMs(node, hash)
      const { committedMs, arrivedMs } = await announce(
        node,
        running,
        hash,
        receivers.healthy[0] ?? '',
      )
      if (at < 0) continue
      direct.push(alone)
      commits.push(committedMs)
      arrivals.push(arrivedMs)
    }
    const added = arrivals.map((ms, at) => ms - (direct[at] ?? 0))
    return {
      scenario: 'P11',
      title: `announced to arrived, ${webhooks} webhooks, ${MATCHING} matching`,
      rows: [
        rowOf('the node alone', direct),
        rowOf('headgate, to the commit', commits),
        rowOf('headgate, to the POST', arrivals),
      ],
      targets: [
        target('added at p50', median(added), { atMost: ADDED_MS_MAX.p50 }, 'ms'),
        target('added at p99', quantile(added, 0.99), { atMost: ADDED_MS_MAX.p99 }, 'ms'),
      ],
      notes: [
        `${blocks} blocks of ${benchBlock().name}: block, receipts and traces.`,
        'The node alone: its three answers fetched one after the other and read as text.',
        `The POST: the last of the ${MATCHING} that are due, when its receiver has read it.`,
      ],
    }
  } finally {
    await running.stop()
    await node.stop()
    await receivers.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startOn(node: Contender, folder: string): Promise<Running> {
  const ws = node.url.replace('http', 'ws')
  const upstreams = [{ name: 'node', url: node.url, ws, traces: true }]
  const networks = [
    {
      id: NETWORK,
      kind: 'evm',
      chainId: 1,
      verify: 'off',
      blockTimeMs: 12_000,
      finalityDepth: 64,
      upstreams,
    },
  ]
  const settings = loadSettings({
    env: {
      HEADGATE_LISTEN: '127.0.0.1:0',
      HEADGATE_DATA: folder,
      HEADGATE_NETWORKS: JSON.stringify(networks),
      HEADGATE_WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true',
    },
  })
  if (settings instanceof ConfigFaults) throw new Error(settings.text)
  const running = await start(settings, () => {})
  if (Array.isArray(running)) throw new Error(running.join('\n'))
  return running
}

async function makeWebhooks(
  { drivers }: Running,
  urls: readonly string[],
  count: number,
): Promise<void> {
  const chance = seededChance(11)
  const block = benchBlock()
  const [team] = await listTeams(drivers.database)
  for (let at = 0; at < count; at++) {
    const query = queryText(queryKeys(chance, block, at < MATCHING))
    const id = `wh_${at.toString().padStart(16, '0')}`
    const url = `${urls[at % urls.length]}`
    const made = { teamId: team?.id ?? '', network: NETWORK, query, skipEmpty: true, url }
    const sealed = sealedKey(drivers.secrets, id, SIGNING_KEY)
    await createWebhook(drivers.database, webhookCalled(id, made), sealed, count)
  }
}

async function ask(node: Contender, method: string, params: unknown[] = []): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(node.url, { method: 'POST', body })
  return ((await answer.json()) as { result: string }).result
}

async function answerTimesMs(node: Contender, hash: string): Promise<number> {
  const asked = [
    ['eth_getBlockByHash', [hash, true]],
    ['eth_getBlockReceipts', [hash]],
    ['debug_traceBlockByHash', [hash, { tracer: 'callTracer' }]],
  ]
  const before = performance.now()
  for (const [method, params] of asked) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    await (await fetch(node.url, { method: 'POST', body })).text()
  }
  return performance.now() - before
}

/** Receivers tell their times by the clock of the machine, since they are another process. */
async function announce(
  node: Contender,
  running: Running,
  hash: string,
  receiverUrl: string,
): Promise<Times> {
  const announcedAtMs = nowMs()
  await ask(node, 'bench_announce')
  await committed(running, hash)
  const committedMs = nowMs() - announcedAtMs
  const endsAtMs = nowMs() + PATIENCE_MS
  for (;;) {
    const times = (await (await fetch(`${receiverUrl}${hash}`)).json()) as number[]
    if (times.length === MATCHING) {
      return { committedMs, arrivedMs: Math.max(...times) - announcedAtMs }
    }
    if (nowMs() > endsAtMs) throw new Error(`${times.length} of ${MATCHING} arrived`)
    await Bun.sleep(5)
  }
}

function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

async function committed({ followers }: Running, hash: string): Promise<void> {
  const endsAtMs = nowMs() + PATIENCE_MS
  while (followers?.statusOf(NETWORK)?.hash !== hash) {
    if (nowMs() > endsAtMs) throw new Error('the block was never committed')
    await Bun.sleep(0.5)
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function rowOf(name: string, times: readonly number[]): Row {
  return {
    name,
    perSecond: 1000 / median(times),
    perSecondIn: times.map((ms) => 1000 / ms),
    spread: [1000 / Math.max(...times), 1000 / Math.min(...times)],
    cpuUsPerCall: 0,
    p50Ms: round2(median(times)),
    p99Ms: round2(quantile(times, 0.99)),
    failed: 0,
  }
}
