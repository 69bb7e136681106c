import { afterEach, beforeEach, expect, test } from 'bun:test'
import { rawBlock, rawLog } from '../../../tests/support/blocks/raw-block.ts'
import { type BlockNetwork, openNetworkOf } from '../../../tests/support/nodes/block-network.ts'
import { HEADER_ONLY } from '../../core/chain/block.ts'
import { prefetchBlocks } from './prefetch-blocks.ts'

const RECEIPTS = { transactions: true, receipts: true, traces: false }

const BLOCKS = [1000, 1001, 1002].map((number) => rawBlock([{ logs: [rawLog(1)] }], number))
const HEADERS = BLOCKS.map(({ ref, block }) => ({ ...ref, parentHash: String(block.parentHash) }))

let world: BlockNetwork

beforeEach(async () => {
  world = await openNetworkOf(BLOCKS)
})

afterEach(() => world.network.stop())

function open() {
  const blocks = prefetchBlocks(world.network, HEADERS, world.upstream('node-a'))
  return (at: number, wants = HEADER_ONLY) => world.complete(blocks.read(HEADERS[at]!, wants))
}

test('the blocks that come next are asked for together with the first', async () => {
  const read = open()
  await read(0)
  expect(world.asked()).toHaveLength(BLOCKS.length)
  expect((await read(2))?.header.number).toBe(1002)
  expect(world.asked()).toHaveLength(BLOCKS.length)
})

test('a block read ahead is read again when more of it is wanted by then', async () => {
  const read = open()
  await read(0)
  const block = await read(1, RECEIPTS)
  expect(block?.has).toEqual(RECEIPTS)
  expect(block?.logs).toHaveLength(1)
})

test('one that could not be read ahead fails only whoever wants it', async () => {
  world.misbehave = (call) => {
    if (call.params[0] !== HEADERS[1]?.hash) return false
    call.result(null)
    return true
  }
  const read = open()
  expect((await read(0))?.header.number).toBe(1000)
  expect(await read(1)).toBeNull()
})
