import { afterEach, describe, expect, test } from 'bun:test'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { type RawParts, rawCall } from '../../../tests/support/blocks/raw-block.ts'
import {
  type Answers,
  type BlockNetwork,
  openBlockNetwork,
  Status,
  serving,
} from '../../../tests/support/nodes/block-network.ts'
import { blockAt, POLL_MS } from '../../../tests/support/nodes/scripted-network.ts'
import type { Changeable } from '../../../tests/support/product/changed-members.ts'
import eachType from '../../../tests/support/proofs/each-type.json'
import { HEADER_ONLY } from '../../core/chain/block.ts'
import type { Network } from '../../core/network.ts'
import { networkReport } from '../answers/network-report.ts'
import { headerByHash } from './headers.ts'
import { electorate } from './voters.ts'

const RECEIPTS = { transactions: true, receipts: true, traces: false }
const CHAIN = 31_337

type Bend = (parts: { block: Changeable; receipts: Changeable[] }) => void

const REF = { number: Number(eachType.block.number), hash: eachType.block.hash }

/** The answers of a node that has the block, bent or not. */
function node(bend: Bend = () => {}): Answers {
  const parts = structuredClone(eachType) as unknown as {
    block: Changeable
    receipts: Changeable[]
  }
  bend(parts)
  return serving({ ...parts, ref: REF, traces: [] } as unknown as RawParts)
}

const lies: Bend = ({ receipts }) => {
  const [log] = (receipts[3]?.logs ?? []) as Changeable[]
  Object.assign(log ?? {}, { data: `0x${'7'.repeat(64)}` })
}

/** As after a fork that gave headers one more member. */
const forked: Bend = ({ block }) =>
  Object.assign(block, { newRoot: '0x01', stateRoot: `0x${'5'.repeat(64)}` })

const both =
  (...bends: Bend[]): Bend =>
  (parts) =>
    bends.forEach((bend) => void bend(parts))

/** As after a fork that gave transactions a new type. */
const newType: Bend = ({ block }) => {
  Object.assign((block.transactions as Changeable[])[1] ?? {}, { type: '0x9' })
}

const HONEST_DATA = `0x${'1'.padStart(64, '0')}`

let nodes: BlockNetwork
afterEach(() => nodes.network.stop())

async function open(verify: Network['verify'], answers: Answers[], chainId = CHAIN) {
  const names = ['a', 'b', 'c'].slice(0, answers.length)
  const specs = names.map((name) => ({ name }))
  nodes = await openBlockNetwork(specs, { verify: verify ?? 'auto', chainId })
  for (const [at, name] of names.entries()) nodes.answers[name] = answers[at] ?? {}
}

const report = () => networkReport(nodes.network)

test('a block that is not what its hash stands for is read elsewhere, and its node named', async () => {
  await open('receipts', [node(lies), node()])
  const block = await nodes.read(REF, RECEIPTS, 'a')
  expect(block?.isProven).toBe(true)
  expect(block?.logs[0]?.data).toBe(HONEST_DATA)
  // No rule tells the total difficulty, so a node's word on it is not passed on.
  expect(block?.raw.totalDifficulty).toBeUndefined()
  const reason = 'the receipts are not those of the receiptsRoot'
  const labels = { network: 'ETH_MAINNET', upstream: 'a' }
  expect(nodes.told).toEqual([{ event: 'block_not_proven', ...labels, number: 1, reason }])
  expect(report().upstreams[0]?.last_fault).toBe(`block 1 not proven: ${reason}`)
  expect(report().upstreams[1]?.last_fault).toBeNull()
})

test('the node is asked last for the next block', async () => {
  await open('receipts', [node(lies), node()])
  await nodes.read(REF, RECEIPTS, 'a')
  nodes.forget()
  await nodes.read(REF, RECEIPTS, 'a')
  expect(new Set(nodes.askedByNode().map((call) => call[0]))).toEqual(new Set(['b']))
})

test('a block that only liars have is not had, and they are not asked without end', async () => {
  await open('receipts', [node(lies), node(lies)])
  expect(await failureOf(nodes.readInTime(REF, RECEIPTS, 'a'))).toMatchObject({
    code: 'upstream_answered_badly',
  })
  expect(nodes.told.length).toBeLessThanOrEqual(16)
})

test('the number of transactions is proven where nothing but the header is wanted', async () => {
  await open('receipts', [node(({ block }) => (block.transactions as unknown[]).pop()), node()])
  expect((await nodes.read(REF, HEADER_ONLY, 'a'))?.transactionCount).toBe(5)
  expect(nodes.told).toMatchObject([{ event: 'block_not_proven', upstream: 'a' }])
})

test('a sender is proven where a query uses senders', async () => {
  const other = `0x${'12'.repeat(20)}`
  const bend: Bend = ({ block, receipts }) => {
    for (const one of [(block.transactions as Changeable[])[0], receipts[0]]) {
      Object.assign(one ?? {}, { from: other })
    }
  }
  await open('receipts', [node(bend), node()])
  const block = await nodes.read(REF, { ...RECEIPTS, senders: true }, 'a')
  expect(block?.transactions[0]?.from).not.toBe(other)
  expect(nodes.told).toMatchObject([{ reason: 'transaction 0 has another from' }])
})

test.each([
  ['auto', CHAIN, 'local_chain'],
  ['auto', 424_242, 'unknown_chain'],
  ['auto', 10, 'op_deposits'],
  ['off', 1, 'off'],
] as const)('%s on chain %d falls back by name: %s', async (verify, chainId, fallback) => {
  await open(
    verify,
    [node(({ block }) => Object.assign(block, { stateRoot: `0x${'5'.repeat(64)}` }))],
    chainId,
  )
  const block = await nodes.read(REF, RECEIPTS, 'a')
  expect(block).toMatchObject({ transactionCount: 5 })
  expect(block?.isProven).toBeUndefined()
  expect(report().verify).toEqual({ mode: verify, form: null, fallback, unproven: null })
})

test('a form that most upstreams show is taken without a proof, which is told', async () => {
  await open('auto', [node(forked), node(forked), node()], 1)
  delete nodes.answers.c?.eth_getBlockByHash
  const block = await nodes.read(REF, RECEIPTS, 'a')
  expect(block?.isProven).toBeUndefined()
  expect(block?.transactionCount).toBe(5)
  const reason = 'the header has an unknown member newRoot'
  expect(nodes.told.at(-1)).toEqual({
    event: 'block_accepted_unproven',
    network: 'ETH_MAINNET',
    number: 1,
    reason,
  })
  expect(report().verify).toEqual({
    mode: 'auto',
    form: 'receipts',
    fallback: null,
    unproven: { number: 1, reason },
  })
})

test('one upstream of two cannot escape the proof by an unknown form', async () => {
  await open('auto', [node(forked), {}], 1)
  expect(await failureOf(nodes.readInTime(REF, RECEIPTS, 'a'))).toMatchObject({
    code: 'upstream_answered_badly',
  })
})

test('where a proof is insisted on, nothing is taken without', async () => {
  await open('receipts', [node(forked), node(forked)])
  expect(await failureOf(nodes.readInTime(REF, RECEIPTS, 'a'))).toMatchObject({
    code: 'upstream_answered_badly',
  })
})

test('a header on the way to the head is proven too', async () => {
  const parent = `0x${'9'.repeat(64)}`
  await open('receipts', [
    node(({ block }) => Object.assign(block, { parentHash: parent })),
    node(),
  ])
  const header = await headerByHash(nodes.network, REF.hash, nodes.upstream('a'))
  expect(header?.parentHash).toBe(eachType.block.parentHash)
})

describe.each([
  ['an unknown header member', forked],
  ['an unknown type of transaction', newType],
  ['an unknown member and no blooms', both(forked, ({ block }) => (block.logsBloom = '0x'))],
])('a fork that brings %s', (_title, fork) => {
  const names = ['a', 'b', 'c']
  const faults = () => report().upstreams.map(({ last_fault }) => last_fault)

  test.each(names.flatMap((liar) => names.map((first) => [liar, first] as const)))(
    'node %s lies and %s is asked first: the lie is not taken',
    async (liar, first) => {
      const answers = names.map((name) => node(name === liar ? both(fork, lies) : fork))
      await open('auto', answers, 1)
      const block = await nodes.read(REF, RECEIPTS, first)
      expect(block?.logs[0]?.data).toBe(HONEST_DATA)
      expect(block?.isProven).toBeUndefined()
      for (const [at, fault] of faults().entries()) if (names[at] !== liar) expect(fault).toBeNull()
      // The liar is reported if it was asked before two others agreed.
      if (liar === first) expect(faults()[names.indexOf(liar)]).toContain('block 1 not proven')
    },
  )

  test('is read at once, block by block, and no node is blamed for it', async () => {
    await open('auto', [node(fork), node(fork), node(fork)], 1)
    const startMs = nodes.clock.monotonicMs()
    for (const first of names) {
      nodes.forget()
      expect(await nodes.read(REF, RECEIPTS, first)).toMatchObject({ transactionCount: 5 })
      const asked = nodes.askedByNode().filter((call) => call.endsWith('eth_getBlockByHash'))
      expect(asked).toHaveLength(2)
      expect(asked[0]).toStartWith(first)
    }
    expect(nodes.clock.monotonicMs()).toBe(startMs)
    expect(faults()).toEqual([null, null, null])
    const events = nodes.told.map(({ event }) => event)
    expect(new Set(events)).toEqual(new Set(['block_accepted_unproven']))
  })

  test('is doubted where another node has a block that can be proven', async () => {
    // The embedded chain reports another size, which is checked on the main net.
    const provable: Bend = ({ block }) => delete block.size
    await open('auto', [node(fork), node(provable)], 1)
    expect((await nodes.readInTime(REF, RECEIPTS, 'a'))?.isProven).toBe(true)
    expect(faults()).toEqual([expect.stringContaining('block 1 not proven'), null])
    expect(nodes.told).toMatchObject([{ event: 'block_not_proven', upstream: 'a' }])
  })

  test('is not taken from one liar while the others fail for a moment', async () => {
    await open('auto', [node(both(fork, lies)), node(fork), node(fork)], 1)
    for (const name of ['b', 'c']) {
      nodes.node(name).silent = true
      nodes.answers[name] = { eth_getBlockByHash: () => new Status(502) }
    }
    // Long enough for their polls to fail several times in a row.
    await nodes.clock.advance(30_000)
    expect(await failureOf(nodes.readInTime(REF, RECEIPTS, 'a'))).toMatchObject({
      code: 'upstream_answered_badly',
    })
    expect(report().verify).toMatchObject({ unproven: null })
  })

  test('is confirmed by nodes that cannot trace, and traced by the one that can', async () => {
    const traces = eachType.receipts.map(({ transactionHash: txHash }) => {
      return { txHash, result: rawCall() }
    })
    const traced = (bend: Bend): Answers => ({
      ...node(bend),
      debug_traceBlockByHash: () => traces,
    })
    const untraced = (): Answers => {
      const { debug_traceBlockByHash: _, debug_traceTransaction: __, ...answers } = node(fork)
      return answers
    }
    await open('auto', [traced(fork), untraced(), untraced()], 1)
    const wants = { ...RECEIPTS, traces: true }
    expect((await nodes.readInTime(REF, wants, 'a'))?.traces).toHaveLength(traces.length)
    expect(faults()).toEqual([null, null, null])

    nodes.answers.a = traced(both(fork, lies))
    expect(await failureOf(nodes.readInTime(REF, wants, 'a'))).toMatchObject({
      code: 'upstream_answered_badly',
    })
  })

  test('is taken from the others once a dead node is stuck', async () => {
    await open('auto', [node(fork), node(fork)], 1)
    nodes.node('b').silent = true
    nodes.answers.b = { eth_getBlockByHash: () => new Status(502) }
    const read = () => nodes.readInTime(REF, RECEIPTS, 'a')
    expect(await failureOf(read())).toMatchObject({ code: 'upstream_answered_badly' })
    for (let number = 1001; number < 1050 && electorate(nodes.network).length > 1; number++) {
      nodes.node('a').block = blockAt(number)
      await nodes.clock.advance(POLL_MS)
    }
    expect(electorate(nodes.network).map(({ spec }) => spec.name)).toEqual(['a'])
    expect(await read()).toMatchObject({ transactionCount: 5 })
  })
})
