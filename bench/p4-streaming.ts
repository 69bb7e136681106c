import { type Effort, median, type Result, round2, target } from './compare.ts'
import {
  type Contender,
  rssBytes,
  startBareProxy,
  startFastUpstream,
  startHeadgate,
  watchRss,
} from './contenders.ts'

const MIB = 1024 * 1024
const SIZES_MIB = [5, 200]
const REST_MS = 50

/** A real node thinks longer than this before it begins an answer of megabytes. */
const NODE_MS = 20

/** P4: answers of 5 MB and 200 MB, streamed through. */
export async function streaming(effort: Effort): Promise<Result> {
  const node = await startFastUpstream()
  const bare = await startBareProxy(node.url)
  const headgate = await startHeadgate([{ name: 'node', url: node.url }])
  const targets: Result['targets'] = []
  const notes: string[] = []
  try {
    for (const mib of effort.rounds < 2 ? [1] : SIZES_MIB) {
      await read(headgate, mib, 0)
      const before = rssBytes(headgate.pid)
      const watch = watchRss(headgate.pid)
      for (const waitMs of [NODE_MS, 0]) {
        const times = await firstBytes(effort, [node, bare, headgate], mib, waitMs)
        const [direct = 0, through = 0, ours = 0] = times.map(median)
        const what = waitMs === 0 ? 'node begins at once' : `node begins after ${waitMs} ms`
        targets.push(
          target(`${mib} MiB, ${what}: first byte against direct`, ours / direct, { atMost: 1.5 }),
        )
        notes.push(
          `${mib} MiB, ${what}: direct ${round2(direct)} ms, ` +
            `bare proxy ${round2(through)} ms, headgate ${round2(ours)} ms`,
        )
      }
      const grownMib = (watch.stop() - before) / MIB
      targets.push(target(`${mib} MiB: RSS grows`, grownMib, { atMost: 64 }, 'MiB'))
    }
    return { scenario: 'P4', title: 'big answers streamed', rows: [], targets, notes }
  } finally {
    await Promise.all([node.stop(), bare.stop(), headgate.stop()])
  }
}

/** For each server the times of all rounds, taken in turn. */
async function firstBytes(
  effort: Effort,
  servers: readonly Contender[],
  mib: number,
  waitMs: number,
): Promise<number[][]> {
  const times: number[][] = servers.map(() => [])
  for (let round = 0; round < effort.rounds * 4; round++) {
    const order = [...servers.entries()]
    for (const [at, server] of round % 2 === 0 ? order : order.toReversed()) {
      // The contender that was read last still tidies up, on the cores that the next one needs.
      await Bun.sleep(REST_MS)
      const { firstByteMs, bytes } = await read(server, mib, waitMs)
      if (bytes < mib * MIB) throw new Error(`only ${bytes} bytes of ${mib} MiB came through`)
      times[at]?.push(firstByteMs)
    }
  }
  return times
}

async function read(server: Contender, mib: number, waitMs: number) {
  const startedAtMs = performance.now()
  const response = await fetch(server.url, {
    method: 'POST',
    // Contenders are asked for the same bytes, and not all of them compress.
    headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getLogs',
      params: [{ bytes: mib * MIB, waitMs }],
    }),
  })
  let bytes = 0
  let firstByteMs = 0
  for await (const chunk of response.body ?? []) {
    if (bytes === 0) firstByteMs = performance.now() - startedAtMs
    bytes += chunk.length
  }
  return { bytes, firstByteMs }
}
