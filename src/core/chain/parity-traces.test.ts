import { describe, expect, test } from 'bun:test'
import { ALICE, BOB, rawBlock, TOKEN, word } from '../../../tests/support/blocks/raw-block.ts'
import { assembleBlock } from './assemble-block.ts'
import type { Block } from './block.ts'
import { fromParityTraces } from './parity-traces.ts'
import { NO_QUIRKS } from './quirks.ts'

const { ref, block } = rawBlock([{}, { to: null }])

type Flat = Record<string, unknown>

function flat(position: number, address: number[], members: Flat = {}): Flat {
  return {
    type: 'call',
    action: { callType: 'call', from: ALICE, to: BOB, gas: '0x10', input: '0x', value: '0x1' },
    result: { gasUsed: '0x5', output: '0x' },
    traceAddress: address,
    subtraces: 0,
    transactionPosition: position,
    transactionHash: block.transactions[position]?.hash,
    blockHash: ref.hash,
    blockNumber: ref.number,
    ...members,
  }
}

const CREATION = { from: ALICE, gas: '0x10', init: '0x60', value: '0x2' }

const REWARD = {
  type: 'reward',
  action: { author: BOB, rewardType: 'block', value: '0x1' },
  traceAddress: [],
  transactionPosition: null,
  transactionHash: null,
  blockHash: ref.hash,
}

function usualList(): Flat[] {
  const inner = { from: BOB, to: TOKEN, gas: '0x8', input: '0x01', value: '0x0' }
  return [
    flat(0, []),
    flat(0, [0], { action: { ...inner, callType: 'staticcall' } }),
    flat(0, [0, 0], { action: { ...inner, callType: 'delegatecall' } }),
    flat(0, [1], { action: { ...inner, callType: 'call' }, error: 'Reverted', result: null }),
    flat(1, [], {
      type: 'create',
      action: CREATION,
      result: { address: TOKEN, code: '0x6001', gasUsed: '0x7' },
    }),
    flat(1, [0], {
      type: 'suicide',
      action: { address: TOKEN, refundAddress: ALICE, balance: '0x9' },
      result: null,
    }),
    REWARD,
  ]
}

describe("Parity's list of traces", () => {
  test("becomes go-ethereum's trees", () => {
    const traces = fromParityTraces(usualList(), ref)
    const wants = { transactions: true, receipts: false, traces: true }
    const parts = { expected: ref, wants, block, receipts: null, traces }
    const { traces: frames } = assembleBlock(parts, NO_QUIRKS) as Block
    expect(frames.map(({ frame, path }) => [frame.type, path])).toEqual([
      ['CALL', []],
      ['STATICCALL', [0]],
      ['DELEGATECALL', [0, 0]],
      ['CALL', [0]],
      ['CREATE', []],
      ['SELFDESTRUCT', [1]],
    ])
    expect(frames.map(({ frame }) => frame)).toMatchObject([
      { from: ALICE, to: BOB, value: '0x1', gas: '0x10', gasUsed: '0x5', input: '0x' },
      { from: BOB, to: TOKEN, gas: '0x8', input: '0x01' },
      { from: BOB, to: TOKEN, value: '0x0' },
      { error: 'execution reverted', gasUsed: undefined },
      { from: ALICE, to: TOKEN, input: '0x60', output: '0x6001', gasUsed: '0x7', value: '0x2' },
      { from: TOKEN, to: ALICE, value: '0x9', gas: '0x0', gasUsed: '0x0', input: '0x' },
    ])
  })

  test.each([
    ['create2', { ...CREATION, creationMethod: 'create2' }, 'CREATE2'],
    ['create', CREATION, 'CREATE'],
  ])('tells a %s', (_title, action, type) => {
    const list = [flat(0, [], { type: 'create', action, result: null, error: 'Out of gas' })]
    const [entry] = fromParityTraces(list, ref) as Flat[]
    expect(entry?.result).toMatchObject({ type, to: undefined, error: 'Out of gas' })
  })

  test('keeps the name of a type that a fork added', () => {
    const action = { from: ALICE, to: BOB, gas: '0x10', input: '0x', value: '0x1' }
    const [entry] = fromParityTraces([flat(0, [], { type: 'newcall', action })], ref) as Flat[]
    expect(entry?.result).toMatchObject({ type: 'NEWCALL', from: ALICE, to: BOB, value: '0x1' })
    const traces = fromParityTraces([flat(0, [], { type: {}, action }), flat(1, [])], ref)
    const wants = { transactions: true, receipts: false, traces: true }
    const parts = { expected: ref, wants, block, receipts: null, traces }
    expect(assembleBlock(parts, NO_QUIRKS)).toBe('trace 0 has no call frame')
  })

  test('of a block without transactions may hold its reward alone', () => {
    expect(fromParityTraces([REWARD], ref)).toEqual([])
    expect(fromParityTraces([], ref)).toEqual([])
  })

  test.each([
    ['of another block', () => [flat(0, [], { blockHash: word('bb', 1000) })]],
    ['of another block in its last frame', () => [...usualList(), { ...REWARD, blockHash: null }]],
    ['without a root', () => usualList().slice(1)],
    ['with a transaction left out', () => usualList().slice(4)],
    ['with a frame left out', () => usualList().toSpliced(1, 1)],
    ['with a frame doubled', () => usualList().toSpliced(1, 0, flat(0, [0]))],
    ['with a root doubled', () => usualList().toSpliced(1, 0, flat(0, []))],
    ['that is none', () => null],
    ['of nothing', () => [null]],
    ['without actions', () => [flat(0, [], { action: null })]],
    ['without addresses', () => [flat(0, [], { traceAddress: null })]],
    ['with a negative address', () => [...usualList().slice(0, 3), flat(0, [-1, 0])]],
    ['with texts as address', () => [flat(0, []), flat(0, ['length' as never])]],
    ['with an endless address', () => [flat(0, []), flat(0, new Array(100_000).fill(0))]],
  ])('%s is refused', (_title, list) => {
    expect(typeof fromParityTraces(list(), ref)).toBe('string')
  })
})
