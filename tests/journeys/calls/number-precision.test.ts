import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'

/** The largest u64, which a double cannot hold, and its like. */
const DIGITS = [
  '18446744073709551615',
  '9007199254740993',
  '-9223372036854775808',
  '1.50',
  '1E+2',
  '-0',
]

/** The node's text of an account, in its own spelling. */
const ACCOUNT = `{ ${DIGITS.map((digits, at) => `"v${at}" : ${digits}`).join(', ')} }`

const node = startFakeNode('node-a')
const bodies: string[] = []
let gate: TestHeadgate
let asked = 0

beforeAll(async () => {
  node.misbehave = (method, body) => {
    if (method !== 'eth_call' && method !== 'eth_getBlockByHash') return null
    bodies.push(body)
    return reply(body)
  }
  gate = await startHeadgate({ nodes: [node] })
})

afterAll(async () => {
  await gate.stop()
  node.stop()
})

describe('digits that no double can hold', () => {
  test.each(DIGITS)('reach the node as they were written: %s', async (digits) => {
    await gate.post(call('eth_call', `[{"value": ${digits}}, "latest"]`))
    expect(bodies.at(-1)).toContain(`"params":[{"value": ${digits}}, "latest"]`)
  })

  test.each(DIGITS)('reach the node from within a batch: %s', async (digits) => {
    const one = call('eth_call', `[${digits},"latest",1]`)
    const other = call('eth_call', `[${digits},"latest",2]`)
    await gate.post(`[${one},${other}]`)
    expect(bodies.at(-1)).toContain(`"params":[${digits},"latest",1]`)
    expect(bodies.at(-1)).toContain(`"params":[${digits},"latest",2]`)
  })

  test('reach the client alone', async () => {
    const { text } = await gate.post(call('eth_call', fresh()))
    expect(text).toBe(`{"jsonrpc":"2.0","id":7,"result":${ACCOUNT}}`)
  })

  test('reach the client in a batch', async () => {
    const { text } = await gate.post(`[${call('eth_call', fresh())},${call('eth_call', fresh())}]`)
    const one = `{"jsonrpc":"2.0","id":7,"result":${ACCOUNT}}`
    expect(text).toBe(`[${one},${one}]`)
  })

  test('reach the client from what is kept', async () => {
    const params = `["0x${(++asked).toString(16).padStart(64, '0')}",false]`
    await gate.post(call('eth_getBlockByHash', params))
    const { text, headers } = await gate.post(call('eth_getBlockByHash', params))
    expect(headers.get('x-headgate-cache')).toBe('hit')
    expect(text).toBe(`{"jsonrpc":"2.0","id":7,"result":${ACCOUNT}}`)
  })

  test('reach all clients that shared a call', async () => {
    const params = fresh()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => gate.post(call('eth_call', params))),
    )
    for (const { text } of answers)
      expect(text).toBe(`{"jsonrpc":"2.0","id":7,"result":${ACCOUNT}}`)
  })

  test('reach the client in an answer that is passed on as it comes', async () => {
    const many = Array(20_000).fill(ACCOUNT).join(',')
    const { text } = await gate.post(call('eth_call', fresh('many')))
    expect(text === `{"jsonrpc":"2.0","id":7,"result":[${many}]}`).toBe(true)
  })

  test('reach the client in an error', async () => {
    const { text } = await gate.post(call('eth_call', fresh('wrong')))
    expect(text).toBe(
      `{"jsonrpc":"2.0","id":7,"error":{"code":3, "message":"execution reverted","data":${ACCOUNT}}}`,
    )
  })
})

function call(method: string, paramsText: string): string {
  return `{"jsonrpc":"2.0","id":7,"method":"${method}","params":${paramsText}}`
}

/** Parameters that nobody used yet. */
function fresh(wish = ''): string {
  return `[{"n":${++asked},"wish":"${wish}"},"latest"]`
}

function reply(body: string): Response {
  const parsed: unknown = JSON.parse(body)
  const calls = Array.isArray(parsed) ? parsed : [parsed]
  const texts = calls.map((one) => `{"jsonrpc":"2.0","id":${one.id},${memberFor(body)}}`)
  return new Response(Array.isArray(parsed) ? `[${texts.join(',')}]` : texts[0])
}

function memberFor(body: string): string {
  if (body.includes('"many"')) return `"result":[${Array(20_000).fill(ACCOUNT).join(',')}]`
  if (body.includes('"wrong"')) {
    return `"error":{"code":3, "message":"execution reverted","data":${ACCOUNT}}`
  }
  return `"result":${ACCOUNT}`
}
