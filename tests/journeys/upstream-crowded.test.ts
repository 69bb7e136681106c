import { expect, test } from 'bun:test'
import { startFakeNode } from '../support/fake-node.ts'
import { rpc, startHeadgate } from '../support/headgate.ts'

const PLACES = 8
const CALLS = 1000

test('a batch of a thousand heavy calls is answered whole by a node that takes eight at once', async () => {
  const node = startFakeNode()
  const headgate = await startHeadgate({ nodes: [node], upstreams: [{ concurrencyMax: PLACES }] })
  let running = 0
  let most = 0
  node.misbehave = async (method) => {
    if (method !== 'eth_getLogs') return null
    running++
    most = Math.max(most, running)
    await Bun.sleep(1)
    running--
    return null
  }
  node.answers.eth_getLogs = ([filter]: unknown[]) => [filter]
  const filters = Array.from({ length: CALLS }, (_, at) => ({ fromBlock: `0x${at.toString(16)}` }))

  const { json } = await headgate.post(
    filters.map((filter, at) => rpc('eth_getLogs', [filter], at)),
  )
  expect(json).toEqual(filters.map((filter, id) => ({ jsonrpc: '2.0', id, result: [filter] })))
  expect(most).toBeLessThanOrEqual(PLACES)

  await headgate.stop()
  node.stop()
})
