import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import { makeRawBlock } from '../../../../tests/support/blocks/block-maker.ts'
import { hex } from '../../../../tests/support/blocks/node-json.ts'
import { assembled } from '../../../../tests/support/product/assembled.ts'
import { type Checks, openItemFilter, scanItems } from './item-filter.ts'

describe('a filter of very many alternatives', () => {
  test('lets pass what any one of them would', () => {
    let passed = 0
    for (let seed = 1; seed <= 40; seed++) {
      const chance = seededChance(seed)
      const made = makeRawBlock(chance, {
        number: seed,
        parentHash: hex(chance, 32),
        transactions: 20,
      })
      const block = assembled(made)
      const keys = block.transactions.flatMap(({ from, to }) => [from, to ?? from])
      const check = () =>
        chance.pick([
          null,
          chance.pick(keys),
          new Set([chance.pick(keys), hex(chance, 20)]),
          // Like a variable, it can be asked and cannot be listed.
          { has: (key: string) => key === keys[0] },
        ])
      const alternatives: Checks[] = Array.from({ length: 40 }, () => [
        check() ?? hex(chance, 20),
        check(),
      ])
      const once = new Set(
        alternatives.flatMap((one) => scanItems(block, 'transactions', openItemFilter([one]))),
      )
      const filter = openItemFilter(alternatives)
      expect(scanItems(block, 'transactions', filter)).toEqual(
        block.transactions.filter((transaction) => once.has(transaction)),
      )
      passed += once.size
    }
    expect(passed).toBeGreaterThan(40)
  })

  test('tries few of them on each item, even where all share a sender', () => {
    const chance = seededChance(1)
    const sender = hex(chance, 20)
    const alternatives = Array.from({ length: 500 }, () => [sender, hex(chance, 20)])
    const { buckets, rest } = openItemFilter(alternatives)
    expect(rest).toEqual([])
    const sizes = buckets.flatMap((bucket) => [...bucket.values()].map((likely) => likely.length))
    expect(Math.max(...sizes)).toBe(1)
  })
})
