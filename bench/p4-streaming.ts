import { type Effort, median, type Result, round2, target } from './compare.ts'
import { type Contender, rssBytes, startFastUpstream, startHeadgate } from './contenders.ts'

const MIB = 1024 * 1024
const SIZES_MIB = [5, 200]
const RSS_LOOK_MS = 20

/** P4: answers of 5 MB and 200 MB, streamed through. */
export async function streaming(effort: Effort): Promise<Result> {
  const node = await startFastUpstream()
  const headgate = await startHeadgate([{ name: 'node', url: node.url }])
  const tiny = effort.rounds < 2
  const targets: Result['targets'] = []
  const notes: string[] = []
  try {
    for (const mib of tiny ? [1] : SIZES_MIB) {
      await read(headgate, mib)
      const before = rssBytes(headgate.pid)
      const watch = watchRss(headgate.pid)
      const direct: number[] = []
      const through: number[] = []
      for (let round = 0; round < effort.rounds * 2; round++) {
        direct.push((await read(node, mib)).firstByteMs)
        const { firstByteMs, bytes } = await read(headgate, mib)
        if (bytes < mib * MIB) throw new Error(`only ${bytes} bytes of ${mib} MiB came through`)
        through.push(firstByteMs)
      }
      const grownMib = (watch.stop() - before) / MIB
      const ratio = median(through) / median(direct)
      targets.push(target(`${mib} MiB: RSS grows`, grownMib, { atMost: 64 }, 'MiB'))
      targets.push(target(`${mib} MiB: first byte against direct`, ratio, { atMost: 1.5 }))
      notes.push(
        `${mib} MiB: first byte ${round2(median(through))} ms, direct ${round2(median(direct))} ms`,
      )
    }
    return { scenario: 'P4', title: 'big answers streamed', rows: [], targets, notes }
  } finally {
    await Promise.all([node.stop(), headgate.stop()])
  }
}

async function read(server: Contender, mib: number) {
  const startedAtMs = performance.now()
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"bytes":${mib * MIB}}]}`,
  })
  let bytes = 0
  let firstByteMs = 0
  for await (const chunk of response.body ?? []) {
    if (bytes === 0) firstByteMs = performance.now() - startedAtMs
    bytes += chunk.length
  }
  return { bytes, firstByteMs }
}

function watchRss(pid: number): { stop(): number } {
  let highest = rssBytes(pid)
  const timer = setInterval(() => {
    highest = Math.max(highest, rssBytes(pid))
  }, RSS_LOOK_MS)
  return {
    stop() {
      clearInterval(timer)
      return Math.max(highest, rssBytes(pid))
    },
  }
}
