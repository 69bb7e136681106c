import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { seededChance } from '../../support/basics/seeded-chance.ts'
import { makeRawBlock } from '../../support/blocks/block-maker.ts'
import { rawBlock, rawCall, rawLog } from '../../support/blocks/raw-block.ts'
import { serving } from '../../support/nodes/block-network.ts'
import { type FakeNode, startFakeNode } from '../../support/nodes/fake-node.ts'
import { type BlockSource, openBlockSource } from '../../support/nodes/http-network.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

const KIB = 1024

let network: BlockSource
let fakes: FakeNode[] = []

async function openFakes(count: number): Promise<void> {
  fakes = Array.from({ length: count }, (_, at) => startFakeNode(`node-${at}`))
  network = await openBlockSource(
    fakes.map(({ url }) => url),
    1,
  )
}

afterEach(() => {
  network.stop()
  for (const fake of fakes) fake.stop()
})

describe('over HTTP, a block', () => {
  test('of many megabytes is read whole', async () => {
    await openFakes(1)
    const data = `0x${'5a'.repeat(2 * KIB)}`
    const calls = Array.from({ length: 4 }, () => rawCall({ input: data }))
    const logs = [rawLog(4, undefined, data), rawLog(1, undefined, data)]
    const raw = rawBlock(Array.from({ length: 300 }, () => ({ logs, calls })))
    expect(JSON.stringify(raw.traces).length).toBeGreaterThan(4 * KIB * KIB)
    fakes[0]!.answers = serving(raw)
    const block = await network.read(raw.ref)
    expect([block?.logs.length, block?.traces.length]).toEqual([600, 1500])
  })

  test('that breaks off in the middle is read elsewhere', async () => {
    await openFakes(2)
    const raw = rawBlock(Array.from({ length: 300 }, () => ({ logs: [rawLog(4), rawLog(2)] })))
    for (const fake of fakes) fake.answers = serving(raw)
    fakes[0]!.misbehave = (method, body) => {
      if (method !== 'eth_getBlockReceipts') return null
      const text = JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result: raw.receipts })
      return new Response(text.slice(0, text.length / 2))
    }
    expect((await network.read(raw.ref))?.logs).toHaveLength(600)
    expect(fakes[1]!.callsOf('eth_getBlockReceipts')).toBe(1)
  })

  test('of a node behind a gateway that lacks methods is read all the same', async () => {
    await openFakes(1)
    const raw = rawBlock([{ logs: [rawLog(1)] }, { calls: [rawCall()] }])
    fakes[0]!.answers = serving(raw)
    fakes[0]!.misbehave = (method) =>
      /^(eth_getBlockReceipts|debug_traceBlockByHash)$/.test(method)
        ? new Response('no such method', { status: 404 })
        : null
    const block = await network.read(raw.ref)
    expect([block?.logs.length, block?.traces.length]).toEqual([1, 3])
    expect(fakes[0]!.callsOf('eth_getTransactionReceipt')).toBe(2)
    expect(fakes[0]!.callsOf('debug_traceTransaction')).toBe(2)
  })

  test('of every kind that nodes give is read, with all the liberties they take', async () => {
    await openFakes(1)
    const chance = seededChance(7)
    for (let number = 1001; number <= 1050; number++) {
      const made = makeRawBlock(chance, { number, parentHash: `0x${'01'.repeat(32)}` })
      const ref = { number, hash: String(made.block.hash) }
      fakes[0]!.answers = {
        eth_getBlockByHash: made.block,
        eth_getBlockReceipts: made.receipts,
        debug_traceBlockByHash: made.traces,
      }
      const block = await network.read(ref)
      expect(block?.transactions).toHaveLength(made.receipts.length)
      expect(block?.logs).toHaveLength(made.receipts.flatMap(({ logs }) => logs).length)
    }
  })
})
