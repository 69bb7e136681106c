import { afterAll, beforeAll, expect, test } from 'bun:test'
import { hashOf, startFakeNode } from '../../support/nodes/fake-node.ts'
import { rpc, startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'

const node = startFakeNode()
let headgate: TestHeadgate

beforeAll(async () => {
  headgate = await startHeadgate({ nodes: [node] })
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
})

test('a block of 200 KB that is streamed is kept all the same, byte for byte', async () => {
  const block = `{"number":"0x1","gas":18446744073709551615,"extra":"${'ab'.repeat(100_000)}"}`
  node.misbehave = (method, body) =>
    method === 'eth_getBlockByHash' ? streamed(body, block) : null
  const call = rpc('eth_getBlockByHash', [hashOf(1), true])

  const first = await headgate.post(call)
  expect(first.text).toBe(`{"jsonrpc":"2.0","id":1,"result":${block}}`)
  const second = await headgate.post(call)
  expect(second.text).toBe(first.text)
  expect([first, second].map(({ headers }) => headers.get('x-headgate-cache'))).toEqual([
    'miss',
    'hit',
  ])
  // The follower reads blocks of its own.
  const asked = node.calls.filter(({ params }) => params[0] === hashOf(1))
  expect(asked).toHaveLength(1)
})

test('one that is no JSON inside is passed on as it came, and not kept', async () => {
  const nonsense = `{"number":"0x1","gas":nonsense,"extra":"${'ab'.repeat(100_000)}"}`
  node.misbehave = (method, body) =>
    method === 'eth_getBlockByHash' ? streamed(body, nonsense) : null
  const call = rpc('eth_getBlockByHash', [hashOf(2), true])

  await headgate.post(call)
  const second = await headgate.post(call)
  expect(second.headers.get('x-headgate-cache')).toBe('miss')
})

/** An answer in pieces, without a length, as nodes send what they make as they go. */
function streamed(body: string, result: string): Response {
  const { id } = JSON.parse(body)
  const text = `{"jsonrpc":"2.0","id":${id},"result":${result}}`
  const pieces = text.match(/.{1,20000}/gs) ?? []
  return new Response(
    new ReadableStream({
      pull(controller) {
        const piece = pieces.shift()
        if (piece === undefined) controller.close()
        else controller.enqueue(new TextEncoder().encode(piece))
      },
    }),
  )
}
