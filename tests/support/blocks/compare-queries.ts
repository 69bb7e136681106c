import { expect } from 'bun:test'
import type { Engine } from '../../../src/core/query/engine/engine.ts'
import { runOnce } from '../../../src/core/query/engine/run-once.ts'
import type { VariableRegistry } from '../../../src/core/query/keys/variable-registry.ts'
import type { QueryPlan } from '../../../src/core/query/language/query-plan.ts'
import { RESULT_BYTES_MAX } from '../../../src/core/query/output/write-result.ts'
import type { Chance } from '../basics/seeded-chance.ts'
import { assembled } from '../product/assembled.ts'
import type { MadeBlock } from './block-maker.ts'
import { openOracle } from './graphql-oracle.ts'
import type { NodeJson } from './node-json.ts'
import { fillVariables, materialOf, putQueries } from './standing-cases.ts'

const QUERIES_EACH = 20

const oracle = openOracle()

export type Comparing = {
  seed: number
  chance: Chance
  made: MadeBlock
  chainId: number
  engine: Engine
  registry: VariableRegistry
  bytesMax?: number
  queries?: number
  seen: { filled: number; empty: number; skipped: number; cut: number }
}

/** Answers generated queries on a block in three ways, which must agree to the byte. */
export function compareAll(comparing: Comparing): void {
  const { seed, chance, made, chainId, engine, registry, seen } = comparing
  const { bytesMax = RESULT_BYTES_MAX, queries = QUERIES_EACH } = comparing
  const block = assembled(made, chainId)
  const material = materialOf(chance, made)
  const variables = fillVariables(chance, registry, material)
  const cases = putQueries(chance, engine, material, queries)
  const rootValue = oracle.prepare(made)
  const even = new Set(cases.filter(() => chance.fraction() < 0.1).map(({ id }) => id))
  const dues = engine
    .run(block, even)
    .flatMap(({ result, ids }) => ids.map((id) => ({ id, result })))
  const due = new Map(dues.map(({ id, result }) => [id, result]))
  // Nobody gets two results of one block.
  expect(due.size).toBe(dues.length)
  for (const { id, teamId, text, document, plan, skipEmpty } of cases) {
    const data = oracle.answer(rootValue, document, variables[teamId] ?? {})
    const matched = Object.fromEntries(
      listNames(plan).map((name) => [name, data.block[name].length]),
    )
    const cut = cutToFit(data, plan, bytesMax)
    const expected = JSON.stringify(data)
    const once = runOnce(plan, block, (name) => registry.find(teamId, name), bytesMax)
    const what = { seed, text }
    // Texts of megabytes are compared here first: what compares objects takes seconds for them.
    if (once.text !== expected) {
      expect({ ...what, result: once.text }).toEqual({ ...what, result: expected })
    }
    expect(once.bytes).toBe(Buffer.byteLength(expected))
    expect(once.truncation?.fields ?? []).toEqual(cut)
    expect(once.matched).toEqual(matched)
    const counts = Object.values(matched)
    expect(once.empty).toBe(counts.length > 0 && counts.every((count) => count === 0))
    if (cut.length > 0) seen.cut += 1
    const skipped = once.empty && skipEmpty && !even.has(id)
    const { text: got, ...facts } = due.get(id) ?? { text: null }
    const { text: wanted, ...wantedFacts } = skipped ? { text: null } : once
    expect({ ...what, same: got === wanted, facts }).toEqual({
      ...what,
      same: true,
      facts: wantedFacts,
    })
    seen[skipped ? 'skipped' : once.empty ? 'empty' : 'filled'] += 1
  }
  // Half of them stay for the next block, as webhooks do.
  for (const { id } of cases) if (chance.fraction() < 0.5) engine.remove(id)
}

/** Takes the last item of the longest list away until the rest fits; the lists that lost some. */
function cutToFit(data: NodeJson, plan: QueryPlan, bytesMax: number): string[] {
  const lists = listNames(plan).map((name) => {
    const items: NodeJson[] = data.block[name]
    const sizes = items.map((item) => Buffer.byteLength(JSON.stringify(item)))
    const bytes = sizes.reduce((sum, size) => sum + size, 0) + Math.max(0, items.length - 1)
    return { name, items, sizes, bytes, isCut: false }
  })
  let bytes = Buffer.byteLength(JSON.stringify(data))
  while (bytes > bytesMax) {
    const longest = Math.max(0, ...lists.map((list) => list.bytes))
    const list = lists.findLast((one) => one.bytes === longest && one.items.length > 0)
    if (!list) break
    const size = list.sizes.pop() ?? 0
    list.items.pop()
    const freed = size + (list.items.length > 0 ? 1 : 0)
    list.bytes -= freed
    bytes -= freed
    list.isCut = true
  }
  return lists.filter(({ isCut }) => isCut).map(({ name }) => `block.${name}`)
}

const LISTS = new Set(['transactions', 'logs', 'callTracerTraces'])

function listNames({ selection }: QueryPlan): string[] {
  return selection.fields.filter(({ name }) => LISTS.has(name)).map((one) => one.responseName)
}
