import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import { sized } from '../../../../tests/support/basics/sized.ts'
import { type MadeBlock, makeRawBlock } from '../../../../tests/support/blocks/block-maker.ts'
import { compareAll } from '../../../../tests/support/blocks/compare-queries.ts'
import { hex } from '../../../../tests/support/blocks/node-json.ts'
import { openVariableRegistry } from '../keys/variable-registry.ts'
import { openEngine } from './engine.ts'

/** Each seed is one block and some twenty queries on it. */
const SEEDS = Number(process.env.HEADGATE_SEEDS_QUERY ?? sized(50, 150))
/** Few, because graphql-js takes a second for some queries on a full block. */
const QUERIES_ON_RECORDED = 6
/** Blocks of public chains, recorded from nodes; too big for the repository. */
const DATA = fileURLToPath(new URL('../../../../../shared/data/', import.meta.url))

describe('a result, beside what graphql-js answers on the same block', () => {
  test('has the same bytes for generated queries on generated blocks', () => {
    const seen = { filled: 0, empty: 0, skipped: 0, cut: 0 }
    const registry = openVariableRegistry()
    const engine = openEngine(registry)
    for (let seed = 1; seed <= SEEDS; seed++) {
      const chance = seededChance(seed)
      const number = chance.pick([0, 1, 25_604_144])
      const made = makeRawBlock(chance, { number, parentHash: hex(chance, 32) })
      compareAll({ seed, chance, made, chainId: 1, engine, registry, seen })
    }
    // All ways must come up, or nothing was compared.
    const fewest = Math.min(seen.filled, seen.empty, seen.skipped)
    expect(fewest).toBeGreaterThanOrEqual(Math.floor(SEEDS / 4))
  }, 600_000)

  test('has the same bytes where it is cut: whole items, from the end, of the longest list first', () => {
    const seen = { filled: 0, empty: 0, skipped: 0, cut: 0 }
    for (let seed = 1; seed <= Math.ceil(SEEDS / 3); seed++) {
      const chance = seededChance(seed + 1_000_000)
      const made = makeRawBlock(chance, { number: seed, parentHash: hex(chance, 32) })
      const registry = openVariableRegistry()
      const bytesMax = chance.between(100, 4000)
      const engine = openEngine(registry, bytesMax)
      compareAll({ seed, chance, made, chainId: 1, engine, registry, bytesMax, seen })
    }
    expect(seen.cut).toBeGreaterThanOrEqual(Math.floor(SEEDS / 4))
  }, 600_000)
})

describe.if(existsSync(DATA))('a result on a recorded block', () => {
  test.each([
    ['mainnet-25604144', 1],
    ['blocks/ethereum/18500000', 1],
    ['blocks/ethereum/4369999', 1],
    ['blocks/arbitrum/150000000', 42_161],
    ['blocks/polygon/50000000', 137],
    ['blocks/hyperliquid/50000', 999],
  ])(
    'has the bytes of graphql-js for generated queries on %s',
    (folder, chainId) => {
      const made = recorded(folder)
      const seen = { filled: 0, empty: 0, skipped: 0, cut: 0 }
      const registry = openVariableRegistry()
      const engine = openEngine(registry)
      for (let seed = 1; seed <= Math.min(20, Math.ceil(SEEDS / 50)); seed++) {
        const chance = seededChance(seed)
        const queries = QUERIES_ON_RECORDED
        compareAll({ seed, chance, made, chainId, engine, registry, queries, seen })
      }
      expect(seen.filled).toBeGreaterThan(0)
    },
    60_000,
  )
})

function recorded(folder: string): MadeBlock {
  const read = (name: string) => {
    const path = `${DATA}${folder}/${name}.json`
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : []
  }
  return { block: read('block'), receipts: read('receipts'), traces: read('callTracer') }
}
