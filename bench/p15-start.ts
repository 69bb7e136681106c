import { blockNetwork, blocksCommitted, nextBlock } from './block-network.ts'
import { type Effort, median, type Result, type Row, round2, target } from './compare.ts'
import { cpuSeconds, startBlockNode } from './contenders.ts'
import { type HeadgateProcess, spawnHeadgate } from './headgate-process.ts'
import { type FolderNetwork, makeWebhookFolder, type WebhookFolder } from './webhook-folder.ts'

const WEBHOOKS = 10_000
const WEBHOOKS_TINY = 100
const FIRST_ANSWER_MS_MAX = 1000

/** Starts on each folder for each round of a comparison. */
const STARTS_PER_ROUND = 2

/** How exactly the first answer is timed, and how often a client calls after it. */
const LOOK_EVERY_MS = 2
const CALL_EVERY_MS = 10

/** A start that takes longer means that something is broken. */
const PATIENCE_MS = 120_000

/** The times of one start, from the moment the process is made. */
type Times = {
  firstAnswerMs: number
  /** Until the queries of all webhooks have run on a block. */
  firstBlockMs: number
  /** The longest that a call took from the first answer to the first block. */
  slowestCallMs: number
  cpuS: number
}

/** P15: start to the first answered call, with webhooks in the store and with none. */
export async function startToAnswer(effort: Effort): Promise<Result> {
  const webhooks = effort.rounds > 1 ? WEBHOOKS : WEBHOOKS_TINY
  const starts = effort.rounds > 1 ? effort.rounds * STARTS_PER_ROUND : 1
  await using opened = new AsyncDisposableStack()
  const node = opened.adopt(await startBlockNode(), (one) => one.stop())
  const network = blockNetwork(node)
  const none = opened.adopt(await makeWebhookFolder(network, 0), (one) => one.remove())
  const many = opened.adopt(await makeWebhookFolder(network, webhooks), (one) => one.remove())
  const emptyTimes: Times[] = []
  const fullTimes: Times[] = []
  // The first start of each brings the files into the caches of the system, and is not counted.
  for (let start = 0; start <= starts; start++) {
    const order = [
      { folder: none, times: emptyTimes },
      { folder: many, times: fullTimes },
    ]
    for (const { folder, times } of start % 2 === 0 ? order : order.toReversed()) {
      // Each start is to find a block that no earlier one has committed.
      await nextBlock(node)
      const measured = await timeStart(folder, network)
      if (start > 0) times.push(measured)
    }
  }
  return resultOf(webhooks, emptyTimes, fullTimes)
}

function resultOf(webhooks: number, empty: readonly Times[], full: readonly Times[]): Result {
  const answered = full.map(({ firstAnswerMs }) => firstAnswerMs)
  const count = webhooks.toLocaleString('en')
  const bound = { atMost: FIRST_ANSWER_MS_MAX }
  return {
    scenario: 'P15',
    title: `start to the first answered call, ${count} webhooks stored`,
    rows: [rowOf('no webhooks', empty), rowOf(`${count} webhooks`, full)],
    targets: [
      target('to the first answer, median', median(answered), bound, 'ms'),
      target('to the first answer, slowest', Math.max(...answered), bound, 'ms'),
    ],
    notes: [
      `${full.length} starts on each folder in turns; a call is a whole start. CPU is that of the`,
      'process until its queries have run on a block.',
      ...[`no webhooks: ${laterText(empty)}`, `${count} webhooks: ${laterText(full)}`],
    ],
  }
}

function laterText(times: readonly Times[]): string {
  const blockMs = round2(median(times.map(({ firstBlockMs }) => firstBlockMs)))
  const slowest = times.map(({ slowestCallMs }) => slowestCallMs)
  return (
    `first block committed after ${blockMs} ms; the slowest call until then took ` +
    `${round2(median(slowest))} ms (median of the starts), ${round2(Math.max(...slowest))} at most`
  )
}

async function timeStart({ folder }: WebhookFolder, network: FolderNetwork): Promise<Times> {
  const spawnedAtMs = performance.now()
  const sinceMs = () => performance.now() - spawnedAtMs
  const headgate = await spawnHeadgate({
    folder,
    networks: [network],
    env: { HEADGATE_GATEWAY_WORKERS: '1' },
  })
  try {
    const { app_key } = headgate.firstRun()
    while (!(await isAnswered(headgate, app_key))) {
      if (sinceMs() > PATIENCE_MS) throw new Error('no call was ever answered')
      await Bun.sleep(LOOK_EVERY_MS)
    }
    const firstAnswerMs = sinceMs()
    let slowestCallMs = 0
    for (let blocks = 0; blocks === 0; ) {
      if (sinceMs() > PATIENCE_MS) throw new Error('no block was ever committed')
      await Bun.sleep(CALL_EVERY_MS)
      const calledAtMs = performance.now()
      const isServed = await isAnswered(headgate, app_key)
      if (!isServed) throw new Error('a call was not answered')
      const answeredAtMs = performance.now()
      blocks = await blocksCommitted(headgate)
      // Metrics come from the same thread, so they are a call like any other.
      const slower = Math.max(answeredAtMs - calledAtMs, performance.now() - answeredAtMs)
      slowestCallMs = Math.max(slowestCallMs, slower)
    }
    return { firstAnswerMs, firstBlockMs: sinceMs(), slowestCallMs, cpuS: cpuSeconds(headgate.pid) }
  } finally {
    await headgate.stop()
  }
}

/** A call with a key that goes to the node; a service that is starting refuses it. */
async function isAnswered({ url }: HeadgateProcess, key: string): Promise<boolean> {
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: ['latest', false] }
  const asked = { method: 'POST', body: JSON.stringify(call) }
  const response = await fetch(`${url}/eth-mainnet/v2/${key}`, asked).catch(() => null)
  if (response?.status !== 200) return false
  return ((await response.json()) as { result?: { hash?: string } }).result?.hash !== undefined
}

function rowOf(name: string, times: readonly Times[]): Row {
  const answers = times.map(({ firstAnswerMs }) => firstAnswerMs)
  return {
    name,
    perSecond: 1000 / median(answers),
    perSecondIn: answers.map((ms) => 1000 / ms),
    spread: [1000 / Math.max(...answers), 1000 / Math.min(...answers)],
    cpuUsPerCall: median(times.map(({ cpuS }) => cpuS)) * 1e6,
    p50Ms: median(answers),
    p99Ms: Math.max(...answers),
    failed: 0,
  }
}
