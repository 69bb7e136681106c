import { afterEach, expect, test } from 'bun:test'
import {
  type Answers,
  type BlockNetwork,
  openBlockNetwork,
  serving,
} from '../../../tests/support/block-network.ts'
import type { Changeable } from '../../../tests/support/changed-members.ts'
import { failureOf } from '../../../tests/support/failure-of.ts'
import eachType from '../../../tests/support/proofs/each-type.json'
import type { RawParts } from '../../../tests/support/raw-block.ts'
import { HEADER_ONLY } from '../../core/chain/block.ts'
import type { Network } from '../../core/network.ts'
import { networkReport } from '../answers/network-report.ts'
import { headerByHash } from './headers.ts'

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
  expect(block?.logs[0]?.data).toBe(`0x${'1'.padStart(64, '0')}`)
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
