import { type Engine, openEngine } from '../src/core/query/engine/engine.ts'
import {
  openVariableRegistry,
  type VariableRegistry,
} from '../src/core/query/keys/variable-registry.ts'
import { seededChance } from '../tests/support/basics/seeded-chance.ts'
import { hex } from '../tests/support/blocks/node-json.ts'
import { compare, type Effort, median, type Result, round2, target } from './compare.ts'
import {
  type BenchBlock,
  benchBlock,
  compiled,
  freshBlock,
  sampleOf,
  timeEach,
} from './query-material.ts'

const LARGE = 1_000_000
const LARGE_TINY = 20_000
const SMALL = 10
const BLOCKS_EACH = 20
const CHANGES = 2_000
const MIB = 1024 * 1024

const QUERY = `query ($wallets: [Address!]) { block { hash number
  transactions(filter: { addresses: [{ from: $wallets }, { to: $wallets }] }) { hash value }
  logs(filter: { addresses: $wallets }) { topics data }
  callTracerTraces(filter: { addresses: [{ to: $wallets }] }) { from { address } value }
} }`

/** P8: one query with a variable of ten addresses, and with one of a million. */
export async function largeVariables(effort: Effort): Promise<Result> {
  const block = benchBlock()
  const count = effort.rounds > 1 ? LARGE : LARGE_TINY
  const small = openWith(block, SMALL)
  Bun.gc(true)
  const rssBefore = process.memoryUsage().rss
  const large = openWith(block, count)
  Bun.gc(true)
  const grownBytes = process.memoryUsage().rss - rssBefore
  const rows = await compare(effort, [
    { name: `${SMALL} addresses`, measure: async () => measure(block, small.engine) },
    { name: `${count} addresses`, measure: async () => measure(block, large.engine) },
  ])
  const [less, more] = rows
  const worst = Array.from({ length: effort.rounds }, (_, at) => worstChangeMs(large.registry, at))
  return {
    scenario: 'P8',
    title: `a variable of ${SMALL} and of ${count} addresses, on ${block.name}`,
    rows,
    targets: [
      target('time per block', (more?.p50Ms ?? 0) / (less?.p50Ms ?? 1), { atMost: 2 }),
      target(`slowest of ${CHANGES} changes`, median(worst), { atMost: 5 }, 'ms'),
    ],
    notes: ['A call is one block.', `${round2(grownBytes / MIB)} MiB of memory for the large one.`],
  }
}

/** Five addresses of the block and others that it does not have. */
function openWith(
  block: BenchBlock,
  count: number,
): { registry: VariableRegistry; engine: Engine } {
  const chance = seededChance(8)
  const hits = Array.from({ length: SMALL / 2 }, () => chance.pick(block.receivers))
  const registry = openVariableRegistry()
  registry.set('team', 'wallets', hits)
  for (let at = hits.length; at < count; at++) {
    registry.change('team', 'wallets', [hex(chance, 20)], [])
  }
  const engine = openEngine(registry)
  engine.put({ id: 'wh', teamId: 'team', plan: compiled(QUERY), skipEmpty: true })
  return { registry, engine }
}

function measure(block: BenchBlock, engine: Engine) {
  let bytes = 0
  const { times, cpuUs } = timeEach(
    BLOCKS_EACH,
    () => freshBlock(block),
    (fresh) => {
      for (const { result } of engine.run(fresh)) bytes += Buffer.byteLength(result.text)
    },
  )
  if (bytes === 0) throw new Error('nothing matched')
  return sampleOf(1, times, cpuUs)
}

function worstChangeMs(registry: VariableRegistry, round: number): number {
  const chance = seededChance(88 + round)
  const { times } = timeEach(
    CHANGES,
    () => hex(chance, 20),
    (key) => registry.change('team', 'wallets', [key], []),
  )
  return Math.max(...times)
}
