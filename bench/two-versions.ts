import { join, resolve } from 'node:path'
import { seededChance } from '../tests/support/basics/seeded-chance.ts'
import { compare, inTurns, print, type Row, ratioOf, type Sample, target } from './compare.ts'
import {
  type Contender,
  startBadUpstreams,
  startFastUpstream,
  startHeadgate,
  startNginx,
} from './contenders.ts'
import { measureLoad } from './measure.ts'
import { full, steady } from './p1-pass-through.ts'
import { same } from './p2-repeated.ts'
import { MATCHING, measureEngine, QUERIES } from './p6-standing-queries.ts'

/** Processes of each version that take turns: the same code is compiled better in one. */
const PROCESSES = 3
const EFFORT = { rounds: 9, seconds: 3 }

/** The first rounds of each process do not count: compiling takes much of their CPU time. */
const WARM_UP_ROUNDS = 5

const KEPT_MIN = 0.95

const [folder, ...wanted] = process.argv.slice(2)
if (!folder) {
  console.error(
    'usage: bun bench/two-versions.ts <checkout of the version before, installed> [p1 …]',
  )
  process.exit(2)
}
const before = resolve(folder)
const isWanted = (scenario: string) => wanted.length === 0 || wanted.includes(scenario)

if (isWanted('p6')) await compareEngines(before)
const node = await startFastUpstream()
const bad = await startBadUpstreams()
const nginx = await startNginx(node.url)
const healthy = { name: 'node', url: node.url }
const mixed = [
  { name: 'dead', url: 'http://127.0.0.1:1/' },
  { name: 'hanging', url: bad.hanging },
  { name: 'failing', url: bad.failing },
  healthy,
]
const single = (server: Contender) => full(server, EFFORT)
try {
  if (isWanted('p1')) await compareCalls('P1', 'pass-through of a small unique call', single)
  if (isWanted('workers'))
    await compareCalls('P1', 'the same through two workers', single, { workers: 2 })
  if (isWanted('equal')) {
    const equal = (server: Contender) => steady(server, EFFORT, 4000)
    await compareCalls('P1', 'the same at 4,000 calls a second', equal)
    await compareCalls('P1', 'the same at 4,000, through two workers', equal, { workers: 2 })
  }
  if (isWanted('p2')) await compareCalls('P2', 'the same call repeated', (one) => same(one, EFFORT))
  if (isWanted('p3')) await compareCalls('P3', 'batches of 100', batched)
  if (isWanted('p5'))
    await compareCalls('P5', 'one dead, one hanging, one failing', single, { upstreams: mixed })
} finally {
  await Promise.all([node, bad, nginx].map((server) => server?.stop()))
}
process.exit(0)

async function compareCalls(
  scenario: string,
  title: string,
  measure: (server: Contender) => Promise<Sample>,
  { workers = 1, upstreams = [healthy] } = {},
): Promise<void> {
  const start = (checkout?: string) =>
    Promise.all(
      Array.from({ length: PROCESSES }, () =>
        startHeadgate(upstreams, checkout === undefined ? { workers } : { workers, checkout }),
      ),
    )
  const [older, newer] = [await start(before), await start()]
  try {
    for (const server of [...older, ...newer]) {
      for (let round = 0; round < WARM_UP_ROUNDS; round++) await measure(server)
    }
    const rows = await compare(EFFORT, [
      { name: 'before', measure: inTurns(older, measure) },
      { name: 'now', measure: inTurns(newer, measure) },
      ...(nginx && scenario === 'P1' ? [{ name: 'nginx', measure: () => measure(nginx) }] : []),
    ])
    report(scenario, `${title}, two versions`, rows)
  } finally {
    await Promise.all([...older, ...newer].map((server) => server.stop()))
  }
}

function batched(server: Contender): Promise<Sample> {
  const { seconds } = EFFORT
  return measureLoad(server, { seconds, ratePerSecond: null, connections: 8, calls: 100 })
}

/** Both engines take turns in this process: in another the same code may be compiled better. */
async function compareEngines(checkout: string): Promise<void> {
  const rows = await compare(EFFORT, [
    { name: 'before', measure: await standingQueriesOf(checkout) },
    { name: 'now', measure: await standingQueriesOf(resolve('.')) },
  ])
  report('P6', `${QUERIES} standing queries, 1 % matching, two versions`, rows)
}

async function standingQueriesOf(checkout: string) {
  const from = (path: string) => import(join(checkout, path))
  const { openEngine }: typeof import('../src/core/query/engine/engine.ts') = await from(
    'src/core/query/engine/engine.ts',
  )
  const { openVariableRegistry }: typeof import('../src/core/query/keys/variable-registry.ts') =
    await from('src/core/query/keys/variable-registry.ts')
  const material: typeof import('./query-material.ts') = await from('bench/query-material.ts')
  const block = material.benchBlock()
  const chance = seededChance(6)
  const engine = openEngine(openVariableRegistry())
  for (let at = 0; at < QUERIES; at++) {
    const keys = material.queryKeys(chance, block, at % Math.round(1 / MATCHING) === 0)
    const plan = material.compiled(material.queryText(keys))
    engine.put({ id: `wh_${at}`, teamId: 'team', plan, skipEmpty: false })
  }
  return async () => measureEngine(() => material.freshBlock(block), QUERIES, engine)
}

function report(scenario: string, title: string, rows: Row[]): void {
  const [old, ours] = rows
  const kept = target('a second, against before', ratioOf(ours, old), { atLeast: KEPT_MIN })
  print({ scenario, title, rows, targets: [kept], notes: [] })
}
