import { encodeKey } from '../src/core/solana/base58.ts'
import { sortedPrograms } from './account-material.ts'
import { checked, indexed, readPage } from './account-walk.ts'
import { compare, type Effort, type Result, ratioOf, type Sample, target } from './compare.ts'
import {
  type Contender,
  cpuSeconds,
  rssBytes,
  startAccountGate,
  startAccountNode,
  startByteServer,
  watchRss,
} from './contenders.ts'

const ACCOUNTS = 500_000
const ACCOUNTS_TINY = 5000
const PAGE_LIMIT = 10_000
const MIB = 2 ** 20

/** P13: a full walk in base64, from the index and over the node, against bytes from memory. */
export async function fullWalk(effort: Effort): Promise<Result> {
  const accounts = effort.rounds > 1 ? ACCOUNTS : ACCOUNTS_TINY
  const limit = effort.rounds > 1 ? PAGE_LIMIT : 1000
  const [own = '', other = ''] = sortedPrograms([1, 2]).map(({ key }) => encodeKey(key))
  const node = await startAccountNode([accounts, accounts])
  const gate = await startAccountGate(node.url, [own], limit)
  const memory = await startByteServer()
  try {
    await indexed(gate, own)
    await checked(gate)
    const before = rssBytes(gate.pid)
    const watch = watchRss(gate.pid)
    const sizes = (await walk(gate, own)).sizes
    const rows = await compare(effort, [
      { name: 'bytes from memory', measure: () => measure(memory, () => writeAll(memory, sizes)) },
      { name: 'headgate, own index', measure: () => measure(gate, () => walk(gate, own)) },
      { name: 'headgate, over the node', measure: () => measure(gate, () => walk(gate, other)) },
    ])
    const [bytes, index] = rows
    const ratio = ratioOf(index, bytes)
    const grownMib = (watch.stop() - before) / MIB
    return {
      scenario: 'P13',
      title: `a full walk of ${accounts.toLocaleString('en')} accounts, base64`,
      rows,
      targets: [
        target('the index against memory', ratio, { atLeast: 0.35 }),
        target('RSS grows', grownMib, { atMost: 256 }, 'MiB'),
      ],
      notes: [
        `A call is a MiB of answer; pages of ${limit.toLocaleString('en')}, one after the other.`,
        'Walks start after the first check for closed accounts; later ones are rare.',
        'Over the node a walk waits for the node to write all records first.',
      ],
    }
  } finally {
    await Promise.all([gate.stop(), memory.stop(), node.stop()])
  }
}

async function walk(gate: Contender, program: string): Promise<{ sizes: number[] }> {
  const sizes: number[] = []
  let pageKey: string | null = null
  do {
    const page = await readPage(gate, program, { pageKey })
    sizes.push(page.bytes)
    pageKey = page.pageKey
  } while (pageKey !== null)
  return { sizes }
}

async function writeAll(memory: Contender, sizes: readonly number[]) {
  for (const size of sizes) {
    const response = await fetch(`${memory.url}${size}`, { method: 'POST', body: '{}' })
    const { byteLength } = await response.arrayBuffer()
    if (byteLength !== size) throw new Error('bytes are missing')
  }
  return { sizes }
}

async function measure(
  server: Contender,
  work: () => Promise<{ sizes: readonly number[] }>,
): Promise<Sample> {
  const cpu = cpuSeconds(server.pid)
  const startedMs = performance.now()
  const { sizes } = await work()
  const seconds = (performance.now() - startedMs) / 1000
  const mib = sizes.reduce((sum, size) => sum + size, 0) / MIB
  const cpuUsPerCall = ((cpuSeconds(server.pid) - cpu) * 1e6) / mib
  return { perSecond: mib / seconds, cpuUsPerCall, p50Ms: 0, p99Ms: 0, failed: 0 }
}
