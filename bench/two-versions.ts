import { join, resolve } from 'node:path'
import { seededChance } from '../tests/support/basics/seeded-chance.ts'
import { compare, inTurns, print, type Row, ratioOf, target } from './compare.ts'
import { type Contender, startFastUpstream, startHeadgate } from './contenders.ts'
import { full } from './p1-pass-through.ts'
import { same } from './p2-repeated.ts'
import { MATCHING, measureEngine, QUERIES } from './p6-standing-queries.ts'

/** Processes of each version that take turns: the same code is compiled better in one. */
const PROCESSES = 3
const EFFORT = { rounds: 15, seconds: 3 }
const KEPT_MIN = 0.95

const [folder] = process.argv.slice(2)
if (!folder) {
  console.error('usage: bun bench/two-versions.ts <checkout of the version before, installed>')
  process.exit(2)
}

await compareEngines(resolve(folder))
const node = await startFastUpstream()
const start = (checkout?: string) =>
  Promise.all(
    Array.from({ length: PROCESSES }, () =>
      startHeadgate([{ name: 'node', url: node.url }], checkout === undefined ? {} : { checkout }),
    ),
  )
const [before, now] = [await start(resolve(folder)), await start()]
try {
  for (const [scenario, title, measure] of [
    ['P1', 'pass-through of a small unique call, two versions', full],
    ['P2', 'the same call repeated, two versions', same],
  ] as const) {
    const call = (server: Contender) => measure(server, EFFORT)
    for (const server of [...before, ...now]) await call(server)
    const rows = await compare(EFFORT, [
      { name: 'before', measure: inTurns(before, call) },
      { name: 'now', measure: inTurns(now, call) },
    ])
    report(scenario, title, rows)
  }
} finally {
  await Promise.all([node, ...before, ...now].map((server) => server.stop()))
}
process.exit(0)

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
