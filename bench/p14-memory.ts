import { readFileSync } from 'node:fs'
import { blockNetwork, blocksCommitted, nextBlock } from './block-network.ts'
import { type Effort, median, type Result, round2, target } from './compare.ts'
import { type Contender, rssBytes, startBlockNode } from './contenders.ts'
import { type HeadgateProcess, spawnHeadgate } from './headgate-process.ts'
import { makeWebhookFolder, type WebhookFolder } from './webhook-folder.ts'

const WEBHOOKS = 100_000
const WEBHOOKS_TINY = 200
/** Loading all webhooks takes most of a minute, so there are few processes of each kind. */
const PROCESSES = 3
const MIB = 2 ** 20
const IDLE_MIB_MAX = 120
const BYTES_PER_WEBHOOK_MAX = 1024

/** Blocks that each process follows beside the first, before it rests. */
const BLOCKS = 3

/** Memory is settled when so many looks in a row differ by no more than a share of it. */
const LOOK_EVERY_MS = 1000
const LOOKS = 15
const LOOKS_TINY = 1
const SETTLED_SHARE = 0.02
const LOOKS_MAX = 120

/** A block that takes longer means that something is broken. */
const PATIENCE_MS = 300_000

/** The memory of one process at rest, in bytes. */
type Memory = { rss: number; anonymous: number; heap: number; highest: number }

/** P14: the memory of an idle process, and of one whose webhooks all stand. */
export async function memory(effort: Effort): Promise<Result> {
  const isFull = effort.rounds > 1
  const webhooks = isFull ? WEBHOOKS : WEBHOOKS_TINY
  await using opened = new AsyncDisposableStack()
  const node = opened.adopt(await startBlockNode(), (one) => one.stop())
  const network = blockNetwork(node)
  const none = opened.adopt(await makeWebhookFolder(network, 0), (one) => one.remove())
  const many = opened.adopt(await makeWebhookFolder(network, webhooks), (one) => one.remove())
  const idle: Memory[] = []
  const full: Memory[] = []
  for (let turn = 0; turn < (isFull ? PROCESSES : 1); turn++) {
    idle.push(await measure(none, node, isFull ? LOOKS : LOOKS_TINY))
    full.push(await measure(many, node, isFull ? LOOKS : LOOKS_TINY))
  }
  const rss = (all: readonly Memory[]) => median(all.map((one) => one.rss))
  const textBytes = many.queryBytes / webhooks
  const beyondText = (rss(full) - rss(idle)) / webhooks - textBytes
  const count = webhooks.toLocaleString('en')
  return {
    scenario: 'P14',
    title: `memory at rest, idle and with ${count} webhooks`,
    rows: [],
    targets: [
      target('RSS, idle', rss(idle) / MIB, { atMost: IDLE_MIB_MAX }, 'MiB'),
      target('RSS a webhook beyond its text', beyondText, { atMost: BYTES_PER_WEBHOOK_MAX }, 'B'),
    ],
    notes: [
      `idle: ${memoryText(idle)}`,
      `${count} webhooks: ${memoryText(full)}`,
      `${idle.length} processes of each, in turns; the median of ${LOOKS} looks at a settled one.`,
      `A query has ${round2(textBytes)} bytes of text; the text itself stays in the store.`,
    ],
  }
}

/** On a store of its own, once it has followed some blocks and its memory has settled. */
async function measure({ folder }: WebhookFolder, node: Contender, looks: number): Promise<Memory> {
  // A block that no earlier process on this folder has committed.
  await nextBlock(node)
  const headgate = await spawnHeadgate({
    folder,
    networks: [blockNetwork(node)],
    env: { HEADGATE_GATEWAY_WORKERS: '1' },
  })
  try {
    await headgate.ready()
    for (let blocks = 1; blocks <= BLOCKS + 1; blocks++) {
      await committed(headgate, blocks)
      if (blocks <= BLOCKS) await nextBlock(node)
    }
    const rss = await settledRss(headgate, looks)
    return { rss, ...statusOf(headgate), heap: await heapBytes(headgate) }
  } finally {
    await headgate.stop()
  }
}

async function committed(headgate: HeadgateProcess, blocks: number): Promise<void> {
  const endsAtMs = performance.now() + PATIENCE_MS
  while ((await blocksCommitted(headgate)) < blocks) {
    if (performance.now() > endsAtMs) throw new Error(`block ${blocks} was never committed`)
    await Bun.sleep(LOOK_EVERY_MS / 4)
  }
}

async function settledRss({ pid }: HeadgateProcess, looks: number): Promise<number> {
  const seen: number[] = []
  while (seen.length < LOOKS_MAX) {
    await Bun.sleep(LOOK_EVERY_MS)
    seen.push(rssBytes(pid))
    const last = seen.slice(-looks)
    const spread = Math.max(...last) - Math.min(...last)
    if (last.length === looks && spread <= median(last) * SETTLED_SHARE) return median(last)
  }
  throw new Error('its memory never settled')
}

function statusOf({ pid }: HeadgateProcess): Pick<Memory, 'anonymous' | 'highest'> {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytesOf = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024
  return { anonymous: bytesOf('RssAnon'), highest: bytesOf('VmHWM') }
}

/** The heap of the main thread in use, as the process tells it. */
async function heapBytes({ url }: HeadgateProcess): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^nodejs_heap_size_used_bytes (\d+)/m.exec(text)?.[1] ?? 0)
}

function memoryText(all: readonly Memory[]): string {
  const mib = (of: keyof Memory) => Math.round(median(all.map((one) => one[of])) / MIB)
  const each = all.map(({ rss }) => Math.round(rss / MIB)).join(', ')
  return (
    `RSS ${each} MiB, of which ${mib('anonymous')} are no files; heap ${mib('heap')} MiB; ` +
    `highest RSS ever ${mib('highest')} MiB`
  )
}
