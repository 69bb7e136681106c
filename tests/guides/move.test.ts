import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type ChainNode, startChainNode } from '../support/nodes/chain-node.ts'
import { type FakeNode, NodeError, startFakeNode } from '../support/nodes/fake-node.ts'
import { followGuide } from './follow-guide.ts'
import { testNetwork } from './test-network.ts'

/** Clients of four libraries start one after the other, on a machine that may be busy. */
setDefaultTimeout(180_000)

/** So that a subscriber hears of a block soon. */
const BLOCK_MS = 400

let node: ChainNode
let validator: FakeNode
let mining: Timer

beforeAll(() => {
  node = startChainNode(5)
  validator = startFakeNode('validator')
  const block = node.answers.eth_getBlockByNumber as (params: unknown[]) => unknown
  Object.assign(node.answers, {
    // Nonces go up to the end of 64 bits, which is more than ethers 5 can read.
    eth_getBlockByNumber: (params: unknown[]) =>
      JSON.parse(JSON.stringify(block(params)).replace(/"nonce":"0xf{6,}\w*"/g, '"nonce":"0x1"')),
    eth_getBalance: () => '0xde0b6b3a7640000',
    eth_getLogs: () => [],
    alchemy_getTokenBalances: () => {
      throw new NodeError(-32601, 'the method alchemy_getTokenBalances does not exist')
    },
  })
  mining = setInterval(() => node.mine(), BLOCK_MS)
})

afterAll(() => {
  clearInterval(mining)
  node.stop()
  validator.stop()
})

test('"Move from a hosted service" can be followed, alchemy-sdk included', async () => {
  await followGuide('guides/move-from-a-hosted-service.md', {
    replace: { ...testNetwork(node), 'http://10.0.0.7:8899': validator.url },
  })
  expect(node.callsOf('alchemy_getTokenBalances')).toBe(1)
})
