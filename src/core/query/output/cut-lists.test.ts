import { expect, test } from 'bun:test'
import { type Chance, seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import { ALICE, BOB, rawBlock, rawLog } from '../../../../tests/support/blocks/raw-block.ts'
import { assembled } from '../../../../tests/support/product/assembled.ts'
import { Rejection } from '../../errors.ts'
import { runOnce } from '../engine/run-once.ts'
import { compileQuery } from '../language/compile-query.ts'

const CASES = 300

type Lists = Record<string, unknown[]>

test('lists lose items as if the longest were cut by one until all fits, however they are', () => {
  let cut = 0
  let whole = 0
  for (let seed = 1; seed <= CASES; seed++) {
    const chance = seededChance(seed)
    const block = assembled(rawBlock(transactions(chance)))
    const plan = compileQuery(`{ block { number ${lists(chance)} } }`)
    if (plan instanceof Rejection) throw new Error(plan.message)
    const full = runOnce(plan, block, () => undefined)
    const bytesMax = chance.between(20, full.bytes + 20)
    const { block: data } = JSON.parse(full.text) as { block: Lists }
    const fields = cutByOne(data, bytesMax)

    const outcome = runOnce(plan, block, () => undefined, bytesMax)
    expect({ seed, text: outcome.text }).toEqual({ seed, text: JSON.stringify({ block: data }) })
    expect(outcome.truncation?.fields ?? []).toEqual(fields)
    expect(outcome.matched).toEqual(full.matched)
    if (fields.length > 0) cut++
    else whole++
  }
  expect([cut > CASES / 2, whole > 0]).toEqual([true, true])
})

function transactions(chance: Chance) {
  return Array.from({ length: chance.between(0, 6) }, () => ({
    logs: Array.from({ length: chance.between(0, 8) }, (_, at) =>
      rawLog(
        at % 4,
        chance.pick([ALICE, BOB]),
        `0x${'ab'.repeat(chance.pick([0, 1, 1, 32, 900]))}`,
      ),
    ),
  }))
}

function lists(chance: Chance): string {
  const kinds = [
    'logs { data }',
    'logs { index }',
    'transactions { index }',
    'transactions { hash logs { data } }',
    `logs(filter: {addresses: "${ALICE}"}) { data transaction { hash } }`,
  ]
  const count = chance.between(1, 7)
  return Array.from({ length: count }, (_, at) => `l${at}: ${chance.pick(kinds)}`).join(' ')
}

/** The names of the lists that lost some. */
function cutByOne(data: Lists, bytesMax: number): string[] {
  const names = Object.keys(data).filter((name) => Array.isArray(data[name]))
  const cut = new Set<string>()
  while (Buffer.byteLength(JSON.stringify({ block: data })) > bytesMax) {
    const bytes = names.map((name) => JSON.stringify(data[name]).length)
    const longest = names.findLast((_, at) => bytes[at] === Math.max(...bytes))
    if (longest === undefined || data[longest]?.length === 0) break
    data[longest]?.pop()
    cut.add(`block.${longest}`)
  }
  return names.map((name) => `block.${name}`).filter((name) => cut.has(name))
}
