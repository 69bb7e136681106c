import { resolve } from 'node:path'
import { compare, inTurns, print, ratioOf, target } from './compare.ts'
import { type Contender, startFastUpstream, startHeadgate } from './contenders.ts'
import { full } from './p1-pass-through.ts'
import { same } from './p2-repeated.ts'

/** Processes of each version that take turns: the same code is compiled better in one. */
const PROCESSES = 3
const EFFORT = { rounds: 15, seconds: 3 }
const KEPT_MIN = 0.95

const [folder] = process.argv.slice(2)
if (!folder) {
  console.error('usage: bun bench/two-versions.ts <checkout of the version before, installed>')
  process.exit(2)
}

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
    const [old, ours] = rows
    const kept = target('calls against before', ratioOf(ours, old), { atLeast: KEPT_MIN })
    print({ scenario, title, rows, targets: [kept], notes: [] })
  }
} finally {
  await Promise.all([node, ...before, ...now].map((server) => server.stop()))
}
process.exit(0)
