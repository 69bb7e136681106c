import { describe, expect, test } from 'bun:test'
import { type RawParts, rawBlock, rawLog, word } from '../../../tests/support/blocks/raw-block.ts'
import { checkedBlock } from '../../../tests/support/product/assembled.ts'
import { assembleBlock } from './assemble-block.ts'
import { type Block, type BlockWants, HEADER_ONLY } from './block.ts'
import { NO_QUIRKS } from './quirks.ts'

const ALL: BlockWants = { transactions: true, receipts: true, traces: true }
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const EMPTY_BLOOM = `0x${'0'.repeat(512)}`

const usualBlock = () => rawBlock([{ logs: [rawLog(3), rawLog(0)] }, { logs: [rawLog(4)] }, {}])

/** The block on a network without proofs. */
function assemble(raw: RawParts, wants: BlockWants = ALL): Block | string {
  const { ref, block, receipts, traces } = raw
  return checkedBlock({ expected: ref, wants, block, receipts, traces }, NO_QUIRKS)
}

function loseList(raw: RawParts): void {
  Object.assign(raw.block, { transactions: [], logsBloom: EMPTY_BLOOM })
  Object.assign(raw, { receipts: [], traces: [] })
}

test.each([HEADER_ONLY, { ...HEADER_ONLY, transactions: true }, ALL])(
  'a list of transactions that the node lost is noticed by its root',
  (wants) => {
    const lost = usualBlock()
    loseList(lost)
    expect(assemble(lost, wants)).toBe('the block has used gas and no transactions')
    for (const root of [EMPTY_ROOT, `0x${EMPTY_ROOT.slice(2).toUpperCase()}`, word('00'), null]) {
      lost.block.transactionsRoot = root
      expect(assemble(lost, wants)).toMatchObject({ transactionCount: 0 })
    }
  },
)

describe('rules that a fork may change', () => {
  test.each<[string, (raw: RawParts) => void]>([
    ['the header counts gas in another way', ({ block }) => (block.gasUsed = '0x1')],
    ['the header has no gas', ({ block }) => delete block.gasUsed],
    ['receipts count gas in another way', (raw) => (raw.receipts[1].cumulativeGasUsed = '0x1')],
    ['receipts do not add gas up', (raw) => delete raw.receipts[1].cumulativeGasUsed],
  ])('%s: the block is accepted', (_title, fork) => {
    const raw = usualBlock()
    fork(raw)
    expect(assemble(raw)).toMatchObject({ transactionCount: 3 })
  })

  test.each<[string, (raw: RawParts) => void]>([
    ['no blooms', ({ block }) => delete block.logsBloom],
    ['empty blooms', ({ block }) => (block.logsBloom = '0x')],
    ['blooms of something else', ({ block }) => (block.logsBloom = EMPTY_BLOOM)],
    ['another order of logs', (raw) => (raw.receipts[1].logs[0].logIndex = '0x0')],
    ['another root for an empty list', loseList],
  ])('%s: only blocks without a proof are refused', (_title, fork) => {
    const raw = usualBlock()
    fork(raw)
    const { ref, block, receipts, traces } = raw
    const parts = { expected: ref, wants: ALL, block, receipts, traces }
    expect(assembleBlock(parts, NO_QUIRKS)).toMatchObject({ header: ref })
    expect(typeof assemble(raw)).toBe('string')
  })
})
