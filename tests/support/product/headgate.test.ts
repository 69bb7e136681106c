import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startFakeNode } from '../nodes/fake-node.ts'
import { rpc, startHeadgate, type TestHeadgate } from './headgate.ts'

const node = startFakeNode()
let headgate: TestHeadgate

beforeAll(async () => {
  headgate = await startHeadgate({ nodes: [node] })
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
})

test('the harness starts a gateway on a fake node', async () => {
  const { json } = await headgate.post(rpc('eth_getBalance', ['0x00', 'latest'], 'a'))
  expect(json).toEqual({ jsonrpc: '2.0', id: 'a', result: '0x1' })
})
