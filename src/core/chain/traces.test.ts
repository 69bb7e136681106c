import { describe, expect, test } from 'bun:test'
import { ALICE, BOB, rawBlock, rawCall, TOKEN } from '../../../tests/support/blocks/raw-block.ts'
import { assembleBlock } from './assemble-block.ts'
import type { BlockTrace } from './block.ts'
import { NO_QUIRKS } from './quirks.ts'

const WANTS = { transactions: true, receipts: false, traces: true }

function tracesOf(traces: unknown, transactionCount = 1): readonly BlockTrace[] | string {
  const { ref, block } = rawBlock(Array.from({ length: transactionCount }, () => ({})))
  const parts = { expected: ref, wants: WANTS, block, receipts: null, traces }
  const assembled = assembleBlock(parts, NO_QUIRKS)
  return typeof assembled === 'string' ? assembled : assembled.traces
}

const pathsOf = (traces: unknown, transactionCount?: number) =>
  (tracesOf(traces, transactionCount) as BlockTrace[]).map(({ path }) => path)

describe('call frames', () => {
  test('are flattened parents first, with the path to their parent', () => {
    const tree = rawCall({
      calls: [rawCall({ calls: [rawCall(), rawCall({ calls: [rawCall()] })] }), rawCall()],
    })
    const traces = tracesOf([{ result: rawCall() }, { result: tree }], 2) as BlockTrace[]
    expect(traces.map(({ path, subtraceCount }) => [path, subtraceCount])).toEqual([
      [[], 0],
      [[], 2],
      [[1], 2],
      [[1, 0], 0],
      [[1, 0], 1],
      [[1, 0, 1], 0],
      [[1], 0],
    ])
    expect(traces.map(({ at }) => at)).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(traces.map(({ transaction }) => transaction.index)).toEqual([0, 1, 1, 1, 1, 1, 1])
  })

  test('may come bare, as older ZKsync nodes give them', () => {
    const bare = [rawCall({ type: 'Call', calls: [rawCall({ type: 'Create', error: null })] })]
    const traces = tracesOf(bare) as BlockTrace[]
    expect(traces.map(({ frame }) => frame.type)).toEqual(['CALL', 'CREATE'])
    expect(pathsOf(bare)).toEqual([[], [0]])
  })

  test('are as go-ethereum writes them, whoever did', () => {
    const calls = [
      rawCall({ type: 'STATICCALL', value: '0x0', output: '0x' }),
      rawCall({ type: 'DELEGATECALL', output: '0x01', calls: [] }),
      rawCall({ type: 'CREATE', to: undefined, error: 'out of gas' }),
    ]
    const traces = tracesOf([{ result: rawCall({ calls }) }]) as BlockTrace[]
    const usual = { from: ALICE, to: BOB, gas: '0x5208', gasUsed: '0x100', input: '0x' }
    expect(traces.map(({ frame }) => frame)).toEqual([
      { type: 'CALL', ...usual, value: '0x1' },
      { type: 'STATICCALL', ...usual },
      { type: 'DELEGATECALL', ...usual, value: '0x1', output: '0x01' },
      { type: 'CREATE', ...usual, to: undefined, value: '0x1', error: 'out of gas' },
    ])
    expect(traces.map(({ to }) => to)).toEqual([BOB, BOB, BOB, null])
  })

  test('may be as deep as the machine allows, and no deeper', () => {
    const nested = (depth: number) => {
      let frame = rawCall({ to: TOKEN })
      for (let level = 0; level < depth; level++) frame = rawCall({ calls: [frame] })
      return [{ result: frame }]
    }
    expect(pathsOf(nested(1024)).at(-1)).toHaveLength(1024)
    expect(tracesOf(nested(100_000))).toContain('deeper than calls can be')
  })

  test('may be many beside each other', () => {
    const calls = Array.from({ length: 50_000 }, () => rawCall())
    const traces = tracesOf([{ result: rawCall({ calls }) }]) as BlockTrace[]
    expect(traces).toHaveLength(50_001)
    expect(traces[0]?.subtraceCount).toBe(50_000)
    expect(traces.at(-1)?.path).toEqual([0])
  })

  test.each([
    ['structLogs in place of frames', [{ result: { gas: 1, failed: false, structLogs: [] } }]],
    ['a tracer that ran out of time', [{ error: 'execution timeout' }]],
    ['a frame without a type', [{ result: { from: ALICE } }]],
    ['a type that is no name', [{ result: rawCall({ type: 'CALL"' }) }]],
    ['a type that is no text', [{ result: rawCall({ type: 1 }) }]],
    ['another tracer', [{ result: { [ALICE]: { balance: '0x0' } } }]],
    ['one frame too many', [{ result: rawCall() }, { result: rawCall() }]],
    ['nothing', []],
  ])('%s are no traces', (_title, traces) => {
    expect(typeof tracesOf(traces)).toBe('string')
  })
})
