import { encodeKey } from '../src/core/solana/base58.ts'
import { sortedPrograms } from './account-material.ts'
import { indexed, readPage } from './account-walk.ts'
import { compare, type Effort, type Result, type Sample, target } from './compare.ts'
import { type Contender, cpuSeconds, startAccountGate, startAccountNode } from './contenders.ts'

const COUNTS = [10_000, 1_000_000]
const COUNTS_TINY = [500, 5000]
const PAGE_LIMIT = 1000

/** P12: pages of 1,000 accounts out of few and out of very many, from the own index. */
export async function indexedPages(effort: Effort): Promise<Result> {
  const counts = effort.rounds > 1 ? COUNTS : COUNTS_TINY
  const limit = effort.rounds > 1 ? PAGE_LIMIT : 100
  const programs = sortedPrograms(counts).map(({ key }) => encodeKey(key))
  const node = await startAccountNode(counts)
  const gate = await startAccountGate(node.url, programs, limit)
  try {
    await indexed(gate, ...programs)
    const rows = await compare(
      effort,
      programs.map((program, at) => ({
        name: `out of ${counts[at]?.toLocaleString('en')}`,
        measure: () => measure(gate, program, effort.seconds),
      })),
    )
    const [few, many] = rows
    const ratio = (few?.perSecond ?? 1) / (many?.perSecond ?? 1)
    return {
      scenario: 'P12',
      title: `getProgramAccounts, pages of ${limit} from the own index`,
      rows,
      targets: [target('a page out of many against one out of few', ratio, { atMost: 1.5 })],
      notes: [
        'A call is a page in base64, one after the other as pageKeys lead, all around again.',
      ],
    }
  } finally {
    await Promise.all([gate.stop(), node.stop()])
  }
}

async function measure(gate: Contender, program: string, seconds: number): Promise<Sample> {
  const times: number[] = []
  const cpu = cpuSeconds(gate.pid)
  const startedMs = performance.now()
  let pageKey: string | null = null
  while (performance.now() - startedMs < seconds * 1000) {
    const beganMs = performance.now()
    const page = await readPage(gate, program, { pageKey })
    if (!page.isIndexed) throw new Error('the page does not come from the index')
    times.push(performance.now() - beganMs)
    pageKey = page.pageKey
  }
  const sorted = times.toSorted((a, b) => a - b)
  const tookS = (performance.now() - startedMs) / 1000
  return {
    perSecond: times.length / tookS,
    cpuUsPerCall: ((cpuSeconds(gate.pid) - cpu) * 1e6) / times.length,
    p50Ms: sorted[Math.floor(sorted.length / 2)] ?? 0,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    failed: 0,
  }
}
