import { heapStats } from 'bun:jsc'
import { type Engine, openEngine } from '../src/core/query/engine/engine.ts'
import { openVariableRegistry } from '../src/core/query/keys/variable-registry.ts'
import { seededChance } from '../tests/support/basics/seeded-chance.ts'
import { compare, type Effort, type Result, round2, target } from './compare.ts'
import {
  type BenchBlock,
  benchBlock,
  freshBlock,
  planMaker,
  queryKeys,
  sampleOf,
  timeEach,
} from './query-material.ts'

const FEW = 1_000
const FACTOR = 100
const BLOCKS_EACH = 20
const MIB = 1024 * 1024

/** P7: a hundred times the queries, none of them matching, all skipping empty results. */
export async function manyQueries(effort: Effort): Promise<Result> {
  const block = benchBlock()
  const few = effort.rounds > 1 ? FEW : FEW / 100
  const small = openQueries(block, few)
  const heapBefore = settledHeap()
  const large = openQueries(block, few * FACTOR)
  const grownBytes = settledHeap() - heapBefore
  const rows = await compare(effort, [
    { name: `${few} queries`, measure: async () => measure(block, small) },
    { name: `${few * FACTOR} queries`, measure: async () => measure(block, large) },
  ])
  const [less, more] = rows
  return {
    scenario: 'P7',
    title: `${few} and ${few * FACTOR} queries that do not match, on ${block.name}`,
    rows,
    targets: [target('time per block', (more?.p50Ms ?? 0) / (less?.p50Ms ?? 1), { atMost: 1.5 })],
    notes: [
      'A call is one block.',
      `${Math.round(grownBytes / (few * FACTOR))} bytes of heap a query with three lists, ` +
        `its keys included; ${round2(grownBytes / MIB)} MiB in all.`,
    ],
  }
}

function openQueries(block: BenchBlock, count: number): Engine {
  const chance = seededChance(7)
  const makePlan = planMaker()
  const engine = openEngine(openVariableRegistry())
  for (let at = 0; at < count; at++) {
    const plan = makePlan(queryKeys(chance, block, false))
    engine.put({ id: `wh_${at}`, teamId: 'team', plan, skipEmpty: true })
  }
  return engine
}

function measure(block: BenchBlock, engine: Engine) {
  let due = 0
  const { times, cpuUs } = timeEach(
    BLOCKS_EACH,
    () => freshBlock(block),
    (fresh) => {
      due += engine.run(fresh).length
    },
  )
  if (due > 0) throw new Error('a query matched that should not')
  return sampleOf(1, times, cpuUs)
}

function settledHeap(): number {
  Bun.gc(true)
  return heapStats().heapSize
}
