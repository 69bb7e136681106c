import { type DocumentNode, parse } from 'graphql'
import type { Block } from '../src/core/chain/block.ts'
import { type Engine, openEngine } from '../src/core/query/engine/engine.ts'
import { openVariableRegistry } from '../src/core/query/keys/variable-registry.ts'
import { seededChance } from '../tests/support/basics/seeded-chance.ts'
import { openOracle } from '../tests/support/blocks/graphql-oracle.ts'
import { compare, type Effort, type Result, round2, target } from './compare.ts'
import {
  type BenchBlock,
  benchBlock,
  compiled,
  freshBlock,
  queryKeys,
  queryText,
  sampleOf,
  timeEach,
} from './query-material.ts'

export const QUERIES = 10_000
const QUERIES_TINY = 100
export const MATCHING = 0.01
const BLOCKS_EACH = 100

type Query = { id: string; text: string; document: DocumentNode }

/** P6: standing queries, one in a hundred matching, all of them due on every block. */
export async function standingQueries(effort: Effort): Promise<Result> {
  const block = benchBlock()
  const queries = makeQueries(block, effort.rounds > 1 ? QUERIES : QUERIES_TINY)
  const engine = openEngine(openVariableRegistry())
  for (const { id, text } of queries) {
    engine.put({ id, teamId: 'team', plan: compiled(text), skipEmpty: false })
  }
  const different = countDifferent(block, queries, engine)
  const rows = await compare(effort, [
    { name: 'graphql-js', measure: async () => measureOracle(block, queries) },
    {
      name: 'headgate',
      measure: async () => measureEngine(() => freshBlock(block), queries.length, engine),
    },
  ])
  const [theirs, ours] = rows
  const ratio = (ours?.perSecond ?? 0) / (theirs?.perSecond ?? 1)
  return {
    scenario: 'P6',
    title: `${queries.length} standing queries, 1 % matching, on ${block.name}`,
    rows,
    targets: [
      target('queries per second against graphql-js', ratio, { atLeast: 200 }),
      target('results that differ by a byte', different, { atMost: 0 }, 'results'),
    ],
    notes: [
      'A call is one query answered on one block; p50 and p99 are for the block.',
      'graphql-js: execute over plain resolvers, without parsing and without writing JSON.',
      `headgate: everything from a block just read to JSON text; ${round2(ours?.p50Ms ?? 0)} ms a block.`,
    ],
  }
}

function makeQueries(block: BenchBlock, count: number): Query[] {
  const chance = seededChance(6)
  return Array.from({ length: count }, (_, at) => {
    const text = queryText(queryKeys(chance, block, at % Math.round(1 / MATCHING) === 0))
    return { id: `wh_${at}`, text, document: parse(text) }
  })
}

function countDifferent(block: BenchBlock, queries: readonly Query[], engine: Engine): number {
  const oracle = openOracle()
  const rootValue = oracle.prepare(block.raw)
  const texts = new Map(
    engine.run(freshBlock(block)).flatMap(({ result, ids }) => ids.map((id) => [id, result.text])),
  )
  return queries.filter(
    ({ id, document }) => JSON.stringify(oracle.answer(rootValue, document, {})) !== texts.get(id),
  ).length
}

function measureOracle(block: BenchBlock, queries: readonly Query[]) {
  const oracle = openOracle()
  const rootValue = oracle.prepare(block.raw)
  const { times, cpuUs } = timeEach(
    1,
    () => rootValue,
    (root) => {
      for (const { document } of queries) oracle.answer(root, document, {})
    },
  )
  return sampleOf(queries.length, times, cpuUs)
}

/** `fresh` returns the block as if it had just been read. */
export function measureEngine(fresh: () => Block, queries: number, engine: Engine) {
  let bytes = 0
  const { times, cpuUs } = timeEach(BLOCKS_EACH, fresh, (block) => {
    // Texts are joined when they are first read, so that they are read here.
    for (const { result } of engine.run(block)) bytes += Buffer.byteLength(result.text)
  })
  if (bytes === 0) throw new Error('nothing was due')
  return sampleOf(queries, times, cpuUs)
}
