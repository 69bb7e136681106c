import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'
import { expectRpcAnswer } from '../../support/product/rpc-answer.ts'

const node = startFakeNode()
let headgate: TestHeadgate

beforeAll(async () => {
  headgate = await startHeadgate({ nodes: [node] })
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
})

async function post(text: string) {
  const answer = await headgate.post(text)
  expectRpcAnswer(answer)
  return answer
}

/** A call whose id is written as it stands. */
function withId(idText: string): string {
  return `{"jsonrpc":"2.0","id":${idText},"method":"eth_gasPrice","params":[]}`
}

const LEGAL_IDS = [
  '-0',
  '18446744073709551615',
  '-1234567890123456789012345678901234567890',
  '""',
  '"a\\"b\\\\c\\/d\\n\\u0041"',
  '"\\"},{\\"id\\":2"',
  '"zürich 日本 🎉 \u2028"',
]

describe('the id is echoed exactly', () => {
  test.each(LEGAL_IDS)('%s, alone, in a batch and under an error', async (idText) => {
    const alone = await post(withId(idText))
    expect(alone.status).toBe(200)
    expect(alone.text).toBe(`{"jsonrpc":"2.0","id":${idText},"result":"0x3b9aca00"}`)
    const bad = `{"jsonrpc":"1.0","id":${idText},"method":"eth_gasPrice"}`
    const { status, text } = await post(` [ ${withId(idText)} , ${bad} ] `)
    expect(status).toBe(200)
    expect(text).toStartWith(`[{"jsonrpc":"2.0","id":${idText},"result":"0x3b9aca00"},`)
    expect(text).toContain(`,{"jsonrpc":"2.0","id":${idText},"error":{"code":-32600,`)
  })

  test('a name written with escapes is the same name', async () => {
    const { text } = await post('{"\\u0069d":7,"jsonrpc":"2.0","method":"eth_gas\\u0050rice"}')
    expect(text).toBe('{"jsonrpc":"2.0","id":7,"result":"0x3b9aca00"}')
  })

  test('members that no call has are ignored, whatever they are called', async () => {
    const more = '"x":{"id":5},"__proto__":{"id":6},"constructor":null'
    const { text } = await post(`{${more},"id":3,"jsonrpc":"2.0","method":"eth_gasPrice"}`)
    expect(text).toBe('{"jsonrpc":"2.0","id":3,"result":"0x3b9aca00"}')
  })
})

describe('a call that is none is refused, under its id where that is legal:', () => {
  test.each([
    ['an illegal id', withId('1.5'), null, -32600, 'id'],
    ['no id', '{"jsonrpc":"2.0","method":"eth_gasPrice"}', null, -32600, 'id'],
    ['another version', '{"jsonrpc":"1.0","id":"mine","method":"m"}', 'mine', -32600, 'jsonrpc'],
    ['no method', '{"jsonrpc":"2.0","id":9}', 9, -32600, 'method'],
    ['params by name', '{"jsonrpc":"2.0","id":4,"method":"m","params":{}}', 4, -32602, 'params'],
    ['nothing', '', null, -32700, ''],
    ['half a call', '{"jsonrpc":"2.0","id":1', null, -32700, ''],
    ['JSON that is no call', '"eth_gasPrice"', null, -32600, ''],
  ])('%s', async (_what, text, id, code, words) => {
    const { status, json } = await post(text)
    expect([status, json.id, json.error.code]).toEqual([400, id, code])
    expect(json.error.message).toContain(words)
  })
})

describe('params', () => {
  test('are the empty list where there are none', async () => {
    const asked = node.callsOf('eth_accounts')
    node.answers.eth_accounts = (params: unknown[]) => params
    const { json } = await post('{"jsonrpc":"2.0","id":1,"method":"eth_accounts"}')
    expect(json.result).toEqual([])
    expect(node.callsOf('eth_accounts')).toBe(asked + 1)
  })

  test('reach the node byte for byte: no digit and no spelling is lost', async () => {
    let seen = ''
    node.misbehave = (method, body) => {
      if (method === 'test_getEcho') seen = body
      return null
    }
    const params = '[18446744073709551615, 1.10, "\\u00e9", {"b":1,"a":1,"a":2},-0, 1E5 ]'
    await post(`{"jsonrpc":"2.0","id":"mine","method":"test_getEcho","params": ${params} }`)
    node.misbehave = null
    expect(seen).toContain(`"params":${params}`)
    expect(seen).not.toContain('mine')
  })
})

describe('the answer of section 2.2', () => {
  test('has the version, the id and the result, and nothing else', async () => {
    const { json, headers } = await post(withId('1'))
    expect(json).toEqual({ jsonrpc: '2.0', id: 1, result: '0x3b9aca00' })
    expect(json.result).toMatch(/^0x[0-9a-f]+$/)
    expect(headers.get('x-headgate-upstream')).toBe('fake')
    expect(headers.get('x-headgate-cu')).toBe('20')
    expect(headers.get('x-headgate-cache')).toMatch(/^(hit|miss|coalesced)$/)
  })

  test('every request has an id of its own', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await post(withId('1'))).headers.get('x-request-id')),
    )
    expect(new Set(ids).size).toBe(20)
  })
})
