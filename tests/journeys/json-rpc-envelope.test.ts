import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startFakeNode } from '../support/fake-node.ts'
import { startHeadgate, type TestHeadgate } from '../support/headgate.ts'
import { expectRpcAnswer } from '../support/rpc-answer.ts'

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

const LEGAL_IDS: [what: string, idText: string][] = [
  ['one', '1'],
  ['zero', '0'],
  ['minus one', '-1'],
  ['minus zero', '-0'],
  ['2^53 + 1, which a double cannot hold', '9007199254740993'],
  ['a u64 at its end', '18446744073709551615'],
  ['forty digits', '1234567890123456789012345678901234567890'],
  ['minus forty digits', '-1234567890123456789012345678901234567890'],
  ['a string', '"abc"'],
  ['an empty string', '""'],
  ['a string of digits', '"1"'],
  ['a string with escapes', '"a\\"b\\\\c\\/d\\n\\u0041"'],
  ['a string that looks like the end of a call', '"\\"},{\\"id\\":2"'],
  ['a string with a lone surrogate, escaped', '"\\ud800"'],
  ['a string beyond ASCII', '"zürich 日本 🎉 \u2028"'],
  ['the string null', '"null"'],
  ['a uuid', '"6b1c7a52-9f0e-4d1c-8a37-0c9d6a5d8f11"'],
]

const ILLEGAL_IDS: [what: string, idText: string][] = [
  ['a fraction', '1.5'],
  ['a whole number written as a fraction', '1.0'],
  ['an exponent', '1e3'],
  ['an exponent beyond all numbers', '1e999'],
  ['null', 'null'],
  ['true', 'true'],
  ['false', 'false'],
  ['an object', '{}'],
  ['an object with an id inside', '{"id":1}'],
  ['an array', '[1]'],
]

describe('the id is echoed exactly', () => {
  test.each(LEGAL_IDS)('%s', async (_what, idText) => {
    const { status, text } = await post(withId(idText))
    expect(status).toBe(200)
    expect(text).toBe(`{"jsonrpc":"2.0","id":${idText},"result":"0x3b9aca00"}`)
  })

  test.each(LEGAL_IDS)('%s, in a batch and under an error', async (_what, idText) => {
    const bad = `{"jsonrpc":"1.0","id":${idText},"method":"eth_gasPrice"}`
    const { status, text } = await post(` [ ${withId(idText)} , ${bad} ] `)
    expect(status).toBe(200)
    expect(text).toStartWith(`[{"jsonrpc":"2.0","id":${idText},"result":"0x3b9aca00"},`)
    expect(text).toContain(`,{"jsonrpc":"2.0","id":${idText},"error":{"code":-32600,`)
  })

  test('of two ids the last counts, as in every JSON parser', async () => {
    const { text } = await post('{"id":1,"jsonrpc":"2.0","method":"eth_gasPrice","id":2}')
    expect(text).toBe('{"jsonrpc":"2.0","id":2,"result":"0x3b9aca00"}')
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

describe('an id that is none', () => {
  test.each(ILLEGAL_IDS)('%s is refused under null', async (_what, idText) => {
    const { status, json } = await post(withId(idText))
    expect([status, json.id, json.error.code]).toEqual([400, null, -32600])
    expect(json.error.message).toContain('id')
  })

  test('a missing one is refused under null: there are no notifications over HTTP', async () => {
    const { status, json } = await post('{"jsonrpc":"2.0","method":"eth_gasPrice","params":[]}')
    expect([status, json.id, json.error.code]).toEqual([400, null, -32600])
  })
})

describe('jsonrpc is exactly "2.0"', () => {
  test.each([
    ['missing', ''],
    ['1.0', '"jsonrpc":"1.0",'],
    ['the number 2.0', '"jsonrpc":2.0,'],
    ['2', '"jsonrpc":"2",'],
    ['with a space', '"jsonrpc":"2.0 ",'],
    ['null', '"jsonrpc":null,'],
    ['in a list', '"jsonrpc":["2.0"],'],
    ['in capitals', '"JSONRPC":"2.0",'],
  ])('%s is refused, under the id', async (_what, member) => {
    const { status, json } = await post(`{${member}"id":"mine","method":"eth_gasPrice"}`)
    expect([status, json.id, json.error.code]).toEqual([400, 'mine', -32600])
    expect(json.error.message).toContain('jsonrpc')
  })

  test('with an illegal id beside it, under null', async () => {
    const { json } = await post('{"jsonrpc":"3.0","id":1.5,"method":"eth_gasPrice"}')
    expect([json.id, json.error.code]).toEqual([null, -32600])
  })
})

describe('method is a non-empty string', () => {
  test.each([
    ['missing', ''],
    ['empty', ',"method":""'],
    ['a number', ',"method":1'],
    ['null', ',"method":null'],
    ['a list', ',"method":["eth_gasPrice"]'],
    ['an object', ',"method":{}'],
  ])('%s is refused, under the id', async (_what, member) => {
    const { status, json } = await post(`{"jsonrpc":"2.0","id":9${member}}`)
    expect([status, json.id, json.error.code]).toEqual([400, 9, -32600])
    expect(json.error.message).toContain('method')
  })
})

describe('params is an array', () => {
  test('an absent one is the empty list', async () => {
    const asked = node.callsOf('eth_accounts')
    node.answers.eth_accounts = (params: unknown[]) => params
    const { json } = await post('{"jsonrpc":"2.0","id":1,"method":"eth_accounts"}')
    expect(json.result).toEqual([])
    expect(node.callsOf('eth_accounts')).toBe(asked + 1)
  })

  test.each([
    ['an object', '{}'],
    ['an object with members', '{"address":"0x00"}'],
    ['null', 'null'],
    ['a string', '"0x00"'],
    ['a number', '0'],
    ['true', 'true'],
  ])('%s is refused with -32602, under the id', async (_what, text) => {
    const { status, json } = await post(
      `{"jsonrpc":"2.0","id":4,"method":"eth_gasPrice","params":${text}}`,
    )
    expect([status, json.id, json.error.code]).toEqual([400, 4, -32602])
  })

  test('reaches the node byte for byte: no digit and no spelling is lost', async () => {
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

describe('what is no JSON', () => {
  test.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['half a call', '{"jsonrpc":"2.0","id":1'],
    ['a word', 'hello'],
    ['a comma too many', '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice",}'],
    ['single quotes', "{'jsonrpc':'2.0'}"],
    ['NaN', '{"jsonrpc":"2.0","id":NaN,"method":"eth_gasPrice"}'],
    ['a number with a zero before it', '{"jsonrpc":"2.0","id":01,"method":"eth_gasPrice"}'],
    ['a control character in a string', '{"jsonrpc":"2.0","id":"a\u0000","method":"x"}'],
    ['two calls in a row', '{"jsonrpc":"2.0","id":1,"method":"a"}{"jsonrpc":"2.0"}'],
    ['half a batch', '[{"jsonrpc":"2.0","id":1,"method":"a"},'],
  ])('%s is a parse error under null', async (_what, text) => {
    const { status, json } = await post(text)
    expect([status, json.id, json.error.code]).toEqual([400, null, -32700])
  })

  test.each([
    ['a string', '"eth_gasPrice"'],
    ['a number', '1'],
    ['null', 'null'],
    ['true', 'true'],
  ])('%s is JSON but no call', async (_what, text) => {
    const { status, json } = await post(text)
    expect([status, json.id, json.error.code]).toEqual([400, null, -32600])
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
