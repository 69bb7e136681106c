import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import {
  ALICE,
  BOB,
  type RawParts,
  rawBlock,
  rawCall,
  rawLog,
  TOKEN,
  word,
} from '../../../tests/support/blocks/raw-block.ts'
import { checkedBlock } from '../../../tests/support/product/assembled.ts'
import { type Block, type BlockWants, HEADER_ONLY } from './block.ts'
import { NO_QUIRKS } from './quirks.ts'

const ALL: BlockWants = { transactions: true, receipts: true, traces: true }

const USUAL = rawBlock([
  { logs: [rawLog(3), rawLog(0, BOB, '0x0102')] },
  { to: null, logs: [rawLog(4, TOKEN)] },
  { calls: [rawCall({ calls: [rawCall()] }), rawCall({ type: 'STATICCALL' })] },
])

/** Three transactions: a transfer with two logs, a creation, and calls within calls. */
function usualBlock(): RawParts {
  return structuredClone(USUAL)
}

function assemble(raw: RawParts, wants: BlockWants = ALL): Block | string {
  const { ref, block, receipts, traces } = raw
  return checkedBlock({ expected: ref, wants, block, receipts, traces }, NO_QUIRKS)
}

describe('a block whose parts agree', () => {
  test('is put together, each log and trace with its transaction', () => {
    const raw = usualBlock()
    const block = assemble(raw) as Block
    expect(block.header).toEqual({ ...raw.ref, parentHash: word('aa', 999) })
    expect(block).toMatchObject({ has: ALL, transactionCount: 3 })
    expect(block.transactions.map(({ index, to }) => [index, to])).toEqual([
      [0, BOB],
      [1, null],
      [2, BOB],
    ])
    expect(block.logs.map(({ at, index, transaction }) => [at, index, transaction.index])).toEqual([
      [0, 0, 0],
      [1, 1, 0],
      [2, 2, 1],
    ])
    expect(block.transactions[0]?.logs).toEqual(block.logs.slice(0, 2))
    expect(block.transactions[1]?.receipt).toBe(raw.receipts[1])
    expect(block.traces.map(({ transaction }) => transaction.index)).toEqual([0, 1, 2, 2, 2, 2])
  })

  test('is in lower case, however its node spells hex', () => {
    const raw = usualBlock()
    const shouting = (value: unknown) =>
      JSON.parse(
        JSON.stringify(value).replaceAll(
          /"0x([0-9a-f]+)"/g,
          (_, hex) => `"0x${hex.toUpperCase()}"`,
        ),
      )
    const loud = {
      ref: { ...raw.ref, hash: `0x${raw.ref.hash.slice(2).toUpperCase()}` },
      block: shouting(raw.block),
      receipts: shouting(raw.receipts),
      traces: shouting(raw.traces),
    }
    const [heard, usual] = [assemble(loud) as Block, assemble(raw) as Block]
    expect(heard.header).toEqual(usual.header)
    expect(heard.transactions.map(({ hash, from, to }) => [hash, from, to])).toEqual(
      usual.transactions.map(({ hash, from, to }) => [hash, from, to]),
    )
    expect(heard.logs.map(({ address, topics, data }) => [address, topics, data])).toEqual(
      usual.logs.map(({ address, topics, data }) => [address, topics, data]),
    )
    expect(heard.traces.map(({ from, to }) => [from, to])).toEqual(
      usual.traces.map(({ from, to }) => [from, to]),
    )
  })

  test('has nothing but its header when nothing else is wanted', () => {
    const raw = usualBlock()
    raw.block.transactions = raw.receipts.map(({ transactionHash }) => transactionHash)
    const bare = { ...raw, receipts: null as never, traces: null as never }
    expect(assemble(bare, HEADER_ONLY)).toMatchObject({
      has: HEADER_ONLY,
      transactionCount: 3,
      transactions: [],
      logs: [],
      traces: [],
    })
  })

  test.each([
    ['receipts', { transactions: false, receipts: true, traces: false }],
    ['traces', { transactions: false, receipts: false, traces: true }],
  ])('has its transactions wherever %s are wanted', (_title, wants) => {
    const block = assemble(usualBlock(), wants) as Block
    expect(block.has).toEqual({ ...wants, transactions: true })
    expect(block.transactions).toHaveLength(3)
    expect([block.logs.length > 0, block.traces.length > 0]).toEqual([wants.receipts, wants.traces])
  })

  test('may be empty, whether its node calls that no receipts or none', () => {
    const empty = rawBlock([])
    expect(assemble(empty)).toMatchObject({ transactionCount: 0, logs: [], traces: [] })
    expect(assemble({ ...empty, receipts: null as never })).toMatchObject({ transactionCount: 0 })
  })

  test('may leave out what its fork did not have', () => {
    const raw = usualBlock()
    for (const name of ['baseFeePerGas', 'withdrawals', 'withdrawalsRoot', 'mixHash', 'nonce']) {
      delete raw.block[name]
    }
    for (const receipt of raw.receipts) delete receipt.status
    for (const transaction of raw.block.transactions) transaction.maxFeePerGas = null
    expect(assemble(raw)).toMatchObject({ transactionCount: 3 })
  })

  test('may have transactions of types that nobody knows yet', () => {
    const types = ['0x6a', '0x7e', '0x71', '0x3f', '0xff']
    const raw = rawBlock(types.map((type) => ({ members: { type, mint: '0x1', r: null } })))
    expect(assemble(raw)).toMatchObject({ transactionCount: 5 })
  })
})

describe('parts that disagree are no block', () => {
  const bend: [string, (raw: RawParts) => void][] = [
    ['another hash', ({ block }) => (block.hash = word('bb', 1000))],
    ['another number', ({ block }) => (block.number = '0x3e9')],
    ['names no parent', ({ block }) => (block.parentHash = '0x12')],
    ['no list of transactions', ({ block }) => delete block.transactions],
    ["block's gasLimit is not of its form", ({ block }) => (block.gasLimit = 60)],
    ["block's logsBloom is not of its form", ({ block }) => (block.logsBloom = '0x0')],
    ["block's withdrawals is not", ({ block }) => (block.withdrawals = [{ index: 1 }])],
    ['transaction 1 is no object', ({ block }) => (block.transactions[1] = word('aa', 1))],
    ['transaction 1 has another blockHash', (raw) => (tx(raw).blockHash = word('bb', 1000))],
    ['transaction 1 has another blockHash', (raw) => (tx(raw).blockHash = null)],
    ['transaction 1 has another blockNumber', (raw) => (tx(raw).blockNumber = '0x3e7')],
    ['transaction 1 has another transactionIndex', (raw) => (tx(raw).transactionIndex = '0x2')],
    ['transaction 0 has another transactionIndex', ({ block }) => block.transactions.reverse()],
    ['transaction 1 has no hash', (raw) => (tx(raw).hash = '0x1')],
    ['transaction 1 has no sender', (raw) => (tx(raw).from = null)],
    ['the to of transaction 1', (raw) => (tx(raw).to = '0x')],
    ['the input of transaction 1', (raw) => (tx(raw).input = '0x1')],
    ['the accessList of transaction 1', (raw) => (tx(raw).accessList = [{ address: ALICE }])],
    ['transaction 1 is there twice', (raw) => (tx(raw).hash = raw.block.transactions[0].hash)],
    ['0 receipts for 3 transactions', (raw) => (raw.receipts = [])],
    ['2 receipts for 3 transactions', ({ receipts }) => receipts.pop()],
    ['4 receipts for 3 transactions', ({ receipts }) => receipts.push(receipts[2])],
    ['no list of receipts', (raw) => (raw.receipts = null as never)],
    ['receipt 1 is no object', ({ receipts }) => (receipts[1] = null)],
    ['receipt 0 has another transactionHash', ({ receipts }) => receipts.reverse()],
    ['receipt 1 has another transactionIndex', (raw) => (rc(raw).transactionIndex = '0x0')],
    ['receipt 1 has another blockHash', (raw) => (rc(raw).blockHash = word('bb', 1000))],
    ['receipt 1 has no logs', (raw) => delete rc(raw).logs],
    ['the status of receipt 1', (raw) => (rc(raw).status = 1)],
    ['a log of receipt 1 is no object', (raw) => (rc(raw).logs[0] = null)],
    ['a log of receipt 1 has no address', (raw) => (log(raw).address = '0x12')],
    ['the topics of a log of receipt 1', (raw) => log(raw).topics.push(word('70', 9))],
    ['the topics of a log of receipt 1', (raw) => (log(raw).topics[1] = '0x12')],
    ['the topics of a log of receipt 1', (raw) => (log(raw).topics = null)],
    ['the data of a log of receipt 1', (raw) => (log(raw).data = '0x123')],
    ['the data of a log of receipt 1', (raw) => (log(raw).data = `0x${'0'.repeat(200)}"`)],
    ['a log of receipt 1 has another blockHash', (raw) => (log(raw).blockHash = word('bb'))],
    ['a log of receipt 1 has another transactionHash', (raw) => delete log(raw).transactionHash],
    ['a log of receipt 1 has another transactionIndex', (raw) => (log(raw).transactionIndex = 1)],
    ['a log of receipt 1 has no logIndex', (raw) => delete log(raw).logIndex],
    ['a log of receipt 1 is said to be removed', (raw) => (log(raw).removed = true)],
    ['the logIndex of log 2', (raw) => (log(raw).logIndex = '0x1')],
    ['the logsBloom of receipt 1', (raw) => rc(raw).logs.pop()],
    ['the logsBloom of receipt 1', (raw) => (log(raw).topics[2] = word('71'))],
    ['logs that the receipts lack', (raw) => (raw.receipts[0] = { ...raw.receipts[0], ...DARK })],
    ['logs that the logsBloom lacks', ({ block }) => (block.logsBloom = `0x${'0'.repeat(512)}`)],
    ['logs that the logsBloom lacks', (raw) => Object.assign(log(raw), { ...STRANGE }) && dim(raw)],
    ['no logsBloom', ({ block }) => (block.logsBloom = null)],
    ['no list of traces', (raw) => (raw.traces = null as never)],
    ['0 traces for 3 transactions', (raw) => (raw.traces = [])],
    ['2 traces for 3 transactions', ({ traces }) => traces.pop()],
    ['trace 0 has another txHash', ({ traces }) => traces.reverse()],
    ['trace 1 is no object', ({ traces }) => (traces[1] = 'late')],
    ['trace 1 has no call frame', ({ traces }) => (traces[1] = { error: 'execution timeout' })],
    ['trace 1 has no call frame', ({ traces }) => (traces[1].result = { structLogs: [] })],
    ['a frame of trace 2 is no call frame', (raw) => (frame(raw).calls[0].from = null)],
    ['the calls of a frame of trace 2', (raw) => (frame(raw).calls[0].calls = {})],
    ['the gasUsed of a frame of trace 2', (raw) => (frame(raw).gasUsed = 21000)],
    ['the input of a frame of trace 2', (raw) => (frame(raw).input = 'ff')],
    ['the to of a frame of trace 2', (raw) => (frame(raw).to = 'nobody')],
    ['the error of a frame of trace 2', (raw) => (frame(raw).error = { code: 3 })],
  ]

  test.each(bend)('%s', (reason, damage) => {
    const raw = usualBlock()
    damage(raw)
    expect(assemble(raw)).toContain(reason)
  })

  test('no block at all, in whatever form', () => {
    for (const block of [null, undefined, 'block', 7, [], true, {}, ['__proto__']]) {
      expect(typeof assemble({ ...usualBlock(), block })).toBe('string')
    }
  })

  test('receipts and traces that were not wanted are not looked at', () => {
    const raw = { ...usualBlock(), receipts: 'x' as never, traces: 'y' as never }
    expect(assemble(raw, { ...HEADER_ONLY, transactions: true })).toMatchObject({ logs: [] })
  })
})

describe('hostile answers', () => {
  const NONSENSE = [
    null,
    0,
    -1,
    1e300,
    '',
    '0x',
    '0xg',
    '__proto__',
    `0x${'f'.repeat(65)}`,
    true,
    [],
    [null],
    {},
    { constructor: 1, length: 3 },
    JSON.parse('{"__proto__":{"hash":"0x"},"logs":[],"calls":[]}'),
    '\u{1f600}',
  ]

  test('a block with any of its members replaced by nonsense is read or refused', () => {
    const chance = seededChance(20_260_510)
    let refused = 0
    for (let round = 0; round < 5000; round++) {
      const raw = usualBlock()
      for (let damage = chance.between(1, 3); damage > 0; damage--) {
        const target = chance.pick(members({ block: raw.block, r: raw.receipts, t: raw.traces }))
        target.holder[target.name] = chance.pick(NONSENSE)
      }
      if (typeof assemble(raw) === 'string') refused++
    }
    expect(refused).toBeGreaterThan(4000)
  })

  test('text that pretends to be hex never gets into a block', () => {
    const evil = '0x00","injected":"'
    for (const target of members({ block: usualBlock().block }).map(({ name }) => name)) {
      const raw = usualBlock()
      for (const holder of [raw.block, ...raw.block.transactions]) {
        if (holder[target] !== undefined) holder[target] = evil
      }
      const block = assemble(raw)
      const known = typeof block === 'string' ? '' : JSON.stringify(block.raw)
      expect(known).not.toContain('injected')
    }
  })
})

type Member = { holder: Record<string, unknown>; name: string }

/** Every member of every object in it. */
function members(value: unknown): Member[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((name) => [{ holder, name }, ...members(holder[name])])
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach into raw parts at will.
type Any = any
const tx = ({ block }: RawParts): Any => block.transactions[1]
const rc = ({ receipts }: RawParts): Any => receipts[1]
const log = (raw: RawParts): Any => rc(raw).logs[0]
/** A receipt without logs, and one that does not say what its logs are. */
const DARK = { logs: [], logsBloom: `0x${'0'.repeat(512)}` }
const STRANGE = { address: `0x${'de'.repeat(20)}` }
const dim = (raw: RawParts) => delete rc(raw).logsBloom
const frame = ({ traces }: RawParts): Any => traces[2].result
