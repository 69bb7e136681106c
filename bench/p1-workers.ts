import { compare, type Effort, type Result, ratioOf, target } from './compare.ts'
import { startFastUpstream, startHeadgate } from './contenders.ts'
import { CONNECTIONS, full, steady } from './p1-pass-through.ts'
import { same } from './p2-repeated.ts'

const WORKERS = 2

/** A rate that one event loop keeps up with, so that both are given the same work. */
const EQUAL_LOAD_SHARE = 0.5

/** P1 with workers: the same call through one event loop and through two processes. */
export async function workers(effort: Effort): Promise<Result> {
  const node = await startFastUpstream()
  const upstreams = [{ name: 'node', url: node.url }]
  const one = await startHeadgate(upstreams)
  const two = await startHeadgate(upstreams, { workers: WORKERS })
  try {
    const rows = await compare(effort, [
      { name: 'one event loop', measure: () => full(one, effort) },
      { name: `${WORKERS} workers`, measure: () => full(two, effort) },
    ])
    if (rows.some((row) => row.failed > 0)) throw new Error('some calls failed: no figure counts')
    const [single, several] = rows
    const rate = Math.round((single?.perSecond ?? 0) * EQUAL_LOAD_SHARE)
    const equal = await compare(effort, [
      { name: 'one, equal load', measure: () => steady(one, effort, rate) },
      { name: `${WORKERS}, equal load`, measure: () => steady(two, effort, rate) },
    ])
    // An event loop with half the work takes more for a call, with workers and without.
    const eachLoop = await compare(effort, [
      {
        name: 'one, half the load',
        measure: () => steady(one, effort, rate / WORKERS, CONNECTIONS / WORKERS),
      },
      { name: `${WORKERS}, as much a loop`, measure: () => steady(two, effort, rate) },
    ])
    // Without the node there is more room for the service.
    const cached = await compare(effort, [
      { name: 'one, repeated', measure: () => same(one, effort) },
      { name: `${WORKERS}, repeated`, measure: () => same(two, effort) },
    ])
    const cpu = (row: (typeof rows)[number] | undefined) => row?.cpuUsPerCall ?? 0
    return {
      scenario: 'P1-WORKERS',
      title: `${WORKERS} gateway workers against one event loop`,
      rows: [...rows, ...equal, ...eachLoop, ...cached],
      targets: [
        target('calls', ratioOf(several, single), { atLeast: 1.5 }),
        target('calls, repeated', ratioOf(cached[1], cached[0]), { atLeast: 1.5 }),
        target('CPU per call', cpu(several) / cpu(single), { atMost: 1.15 }),
        target('CPU per call, repeated', cpu(cached[1]) / cpu(cached[0]), { atMost: 1.15 }),
        target('CPU per call, equal load', cpu(equal[1]) / cpu(equal[0]), { atMost: 1.15 }),
        target('CPU per call, equal load of a loop', cpu(eachLoop[1]) / cpu(eachLoop[0]), {
          atMost: 1.15,
        }),
      ],
      notes: [
        'CPU is that of all processes of the service.',
        'Node and load generator need cores of their own for the calls to rise.',
      ],
    }
  } finally {
    await Promise.all([node, one, two].map((server) => server.stop()))
  }
}
