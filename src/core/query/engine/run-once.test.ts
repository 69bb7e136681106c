import { describe, expect, test } from 'bun:test'
import { rawBlock, rawCall, rawLog, TOKEN } from '../../../../tests/support/blocks/raw-block.ts'
import { assembled } from '../../../../tests/support/product/assembled.ts'
import type { Block } from '../../chain/block.ts'
import { Rejection } from '../../errors.ts'
import { compileQuery } from '../language/compile-query.ts'
import type { QueryResult } from '../output/query-result.ts'
import { runOnce } from './run-once.ts'

function run(block: Block, text: string, bytesMax?: number): QueryResult {
  const plan = compileQuery(text)
  if (plan instanceof Rejection) throw new Error(plan.message)
  return runOnce(plan, block, () => undefined, bytesMax)
}

/** One block of one transaction with so many logs, each with this much data. */
function blockOfLogs(count: number, dataBytes = 32): Block {
  const data = `0x${'ab'.repeat(dataBytes)}`
  return assembled(
    rawBlock([{ logs: Array.from({ length: count }, () => rawLog(1, TOKEN, data)) }]),
  )
}

function headed(members: Record<string, unknown>, number = 1000): Block {
  const parts = rawBlock([], number)
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) delete parts.block[name]
    else parts.block[name] = value
  }
  return assembled(parts)
}

describe('scalars in a result', () => {
  test('a Long keeps all of its digits, beyond what a double holds', () => {
    const { text } = run(headed({ gasLimit: '0xffffffffffffffff' }), '{ block { gasLimit } }')
    expect(text).toBe('{"block":{"gasLimit":18446744073709551615}}')
    const exact = run(headed({ timestamp: '0x20000000000001' }), '{ block { timestamp } }')
    expect(exact.text).toBe('{"block":{"timestamp":9007199254740993}}')
  })

  test('a BigInt has no leading zeros and zero is 0x0', () => {
    const header = headed({ difficulty: '0x000', totalDifficulty: '0x00AB', baseFeePerGas: '0x0' })
    expect(run(header, '{ block { difficulty totalDifficulty baseFeePerGas } }').text).toBe(
      '{"block":{"difficulty":"0x0","totalDifficulty":"0xab","baseFeePerGas":"0x0"}}',
    )
  })

  test('what a chain leaves out and the schema promises is neutral, the rest is null', () => {
    const bare = Object.fromEntries(
      ['nonce', 'mixHash', 'difficulty', 'extraData', 'gasLimit', 'stateRoot', 'miner'].map(
        (name) => [name, undefined],
      ),
    )
    const { text } = run(
      headed(bare),
      '{ block { nonce mixHash difficulty extraData gasLimit stateRoot miner { address } } }',
    )
    const zeros = `0x${'0'.repeat(64)}`
    expect(JSON.parse(text).block).toEqual({
      nonce: '0x0000000000000000',
      mixHash: zeros,
      difficulty: '0x0',
      extraData: '0x',
      gasLimit: 0,
      stateRoot: zeros,
      miner: null,
    })
  })
})

describe('the parent of a block', () => {
  test('is known by number and hash, and nothing else of it is', () => {
    const { text } = run(
      headed({}, 1000),
      '{ block { parent { number hash gasUsed miner { address } logs { data } } } }',
    )
    expect(text).toBe(
      `{"block":{"parent":{"number":999,"hash":"0xaa${'3e7'.padStart(62, '0')}","gasUsed":null,"miner":null,"logs":null}}}`,
    )
  })

  test('is null for the first block', () => {
    const { text } = run(
      headed({ parentHash: `0x${'0'.repeat(64)}` }, 0),
      '{ block { parent { number } } }',
    )
    expect(text).toBe('{"block":{"parent":null}}')
  })
})

describe('a result that is too long', () => {
  test('keeps the first items that fit and says which list was cut and why', () => {
    const outcome = run(blockOfLogs(10), '{ block { all: logs { data } } }', 250)
    expect(outcome.bytes).toBeLessThanOrEqual(250)
    expect(JSON.parse(outcome.text).block.all.length).toBe(2)
    expect(outcome.matched).toEqual({ all: 10 })
    expect(outcome.empty).toBe(false)
    expect(outcome.truncation).toEqual({
      fields: ['block.all'],
      reason: 'a result may have at most 250 bytes',
    })
  })

  test('loses items of its longest list only: a short one stays whole behind it', () => {
    const text = '{ block { a: logs { index } b: logs { data } c: logs { index } } }'
    const outcome = run(blockOfLogs(10), text, 500)
    const { a, b, c } = JSON.parse(outcome.text).block
    expect([a.length, c.length]).toEqual([10, 10])
    expect(b.length).toBeGreaterThan(0)
    expect(b.length).toBeLessThan(10)
    expect(outcome.truncation?.fields).toEqual(['block.b'])
  })

  test('loses items of equal lists evenly, of the last one first', () => {
    const block = blockOfLogs(10)
    const text = '{ block { a: logs { data } b: logs { data } } }'
    const { bytes } = run(block, text)
    const item = JSON.stringify({ data: JSON.parse(run(block, text).text).block.a[0].data }).length
    const lengths = [1, item + 2, 2 * item + 3].map((tooMany) => {
      const { a, b } = JSON.parse(run(block, text, bytes - tooMany).text).block
      return [a.length, b.length]
    })
    expect(lengths).toEqual([
      [10, 9],
      [9, 9],
      [9, 8],
    ])
  })

  test('keeps the short lists when an item of another is longer than the whole result', () => {
    const block = assembled(rawBlock([{ logs: [rawLog(1, undefined, `0x${'ab'.repeat(2000)}`)] }]))
    const outcome = run(block, '{ block { logs { data } transactions { index } } }', 1000)
    expect(outcome.text).toBe('{"block":{"logs":[],"transactions":[{"index":0}]}}')
    expect(outcome.truncation?.fields).toEqual(['block.logs'])
  })

  test('leaves a list empty when not even its first item fits', () => {
    const outcome = run(blockOfLogs(3, 2000), '{ block { logs { data } number } }', 1000)
    expect(outcome.text).toBe('{"block":{"logs":[],"number":1000}}')
    expect(outcome.empty).toBe(false)
  })

  test('fits exactly where it has exactly the bytes that are allowed', () => {
    const block = blockOfLogs(3)
    const { bytes } = run(block, '{ block { logs { data } } }')
    expect(run(block, '{ block { logs { data } } }', bytes).truncation).toBeNull()
    expect(run(block, '{ block { logs { data } } }', bytes - 1).truncation?.fields).toEqual([
      'block.logs',
    ])
  })

  test('is measured in bytes, not in characters', () => {
    const calls = Array.from({ length: 4 }, () =>
      rawCall({ error: 'x', revertReason: '資金不足'.repeat(10) }),
    )
    const block = assembled(rawBlock([{ calls }]))
    const whole = run(block, '{ block { callTracerTraces { revertReason } } }')
    expect(whole.bytes).toBe(Buffer.byteLength(whole.text))
    expect(whole.bytes).toBeGreaterThan(whole.text.length)
    const cut = run(block, '{ block { callTracerTraces { revertReason } } }', whole.bytes - 1)
    expect(JSON.parse(cut.text).block.callTracerTraces.length).toBe(4)
    expect(cut.bytes).toBe(Buffer.byteLength(cut.text))
  })

  test.each([
    'logs { transaction { block { logs { data transaction { hash } } } } }',
    'transactions { logs { transaction { logs { data topics } } } }',
    'logs { transaction { logs { data } block { logs { data transaction { block: hash } } } } }',
    'callTracerTraces { transaction { block { logs { data } callTracerTraces { input } } } }',
  ])('does not become longer than the limit on the way: %s', (fields) => {
    const block = blockOfLogs(3000)
    const outcome = run(block, `{ block { ${fields} } }`)
    expect(outcome.bytes).toBeLessThanOrEqual(10_000_000)
    // A single item of 3,000 × 3,000 logs: to write it out would take gigabytes.
    const { length } = outcome.text
    expect(length).toBe(outcome.bytes)
  })
})
