import { type Effort, median, type Result, round2, target } from './compare.ts'
import { rssBytes, startLogGate, startLogNode, watchRss } from './contenders.ts'

const MIB = 1024 * 1024
const BLOCKS = 100_000
const PIECE_BLOCKS = 2000

/** Real nodes take longer than this for so many blocks. */
const NODE_MS = 50

/** P18: eth_getLogs over many more blocks than the node takes, against a script's loop. */
export async function completeLogs(effort: Effort): Promise<Result> {
  const isTiny = effort.rounds < 2
  const blocks = isTiny ? 10 * PIECE_BLOCKS : BLOCKS
  const node = await startLogNode(PIECE_BLOCKS, isTiny ? 1 : NODE_MS)
  const headgate = await startLogGate(node.url)
  try {
    const truth = await digest(`${node.url}all`, 0, blocks - 1)
    const scripted: number[] = []
    const ours: number[] = []
    let equal = 0
    // One round to warm up, in which the node's limit is learned.
    await digest(headgate.url, 0, blocks - 1)
    const before = rssBytes(headgate.pid)
    const watch = watchRss(headgate.pid)
    for (let round = 0; round < effort.rounds; round++) {
      scripted.push(await timed(() => oneByOne(node.url, blocks)))
      ours.push(
        await timed(async () => {
          const got = await digest(headgate.url, 0, blocks - 1)
          if (got.hash === truth.hash) equal++
        }),
      )
    }
    const grownMib = (watch.stop() - before) / MIB
    const [slow, fast] = [median(scripted), median(ours)]
    return {
      scenario: 'P18',
      title: `eth_getLogs over ${blocks} blocks, ${PIECE_BLOCKS} at a time`,
      rows: [],
      targets: [
        target('against the pieces one after the other', slow / fast, { atLeast: 3 }),
        target('RSS grows', grownMib, { atMost: 64 }, 'MiB'),
        target("equal to the node's own answer", equal / effort.rounds, { atLeast: 1 }),
      ],
      notes: [
        `one after the other ${round2(slow)} ms, headgate ${round2(fast)} ms, ` +
          `${round2(truth.bytes / MIB)} MiB; the node takes ${NODE_MS} ms for a piece`,
      ],
    }
  } finally {
    await Promise.all([node.stop(), headgate.stop()])
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAtMs = performance.now()
  await work()
  return performance.now() - startedAtMs
}

/** The loop that a script has. */
async function oneByOne(url: string, blocks: number): Promise<void> {
  for (let from = 0; from < blocks; from += PIECE_BLOCKS) {
    await digest(url, from, Math.min(blocks, from + PIECE_BLOCKS) - 1)
  }
}

/** Reads an answer to its end, without holding it. */
async function digest(url: string, from: number, to: number) {
  const filter = { fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` }
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] }),
  })
  const hasher = new Bun.CryptoHasher('sha256')
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    hasher.update(chunk)
    bytes += chunk.length
  }
  return { hash: hasher.digest('hex'), bytes }
}
