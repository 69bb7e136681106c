import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { codeInBeginning, parseNodeBatch, parseNodeReply, parseNodeValue } from './node-reply.ts'

describe("a node's answer", () => {
  test('keeps the bytes of its result', () => {
    const text = '{"jsonrpc":"2.0","id":7,"result":{"a" : 18446744073709551615, "b":1.50}}'
    expect(parseNodeReply(text, 7)).toMatchObject({
      kind: 'result',
      text: '{"a" : 18446744073709551615, "b":1.50}',
    })
  })

  test.each([
    ['null', '{"id":7,"result":null}', 'null'],
    ['false', '{"id":7,"result":false}', 'false'],
    ['empty text', '{"id":7,"result":""}', '""'],
    ['a result before the id', '{"result":[1],"id":7}', '[1]'],
    ['an id sent back as text', '{"id":"7","result":1}', '1'],
    ['no version', '{"id":7,"result":1}', '1'],
    ['an error that is null', '{"id":7,"error":null,"result":1}', '1'],
    ['a result given twice', '{"id":7,"result":1,"result":2}', '2'],
    ['a key spelled with escapes', '{"id":7,"r\\u0065sult":3}', '3'],
    ['a plain text, as most nodes spell it', '{"jsonrpc":"2.0","id":7,"result":"0x1"}', '"0x1"'],
    ['a plain text with a line end', '{"jsonrpc":"2.0","id":7,"result":"0x1"}\n', '"0x1"'],
    ['an empty plain text', '{"jsonrpc":"2.0","id":7,"result":""}', '""'],
    ['a text with escapes', '{"jsonrpc":"2.0","id":7,"result":"\\u0041\\""}', '"\\u0041\\""'],
    ['a text beyond ASCII', '{"jsonrpc":"2.0","id":7,"result":"π😀"}', '"π😀"'],
    ['a plain text given twice', '{"jsonrpc":"2.0","id":7,"result":"a","result":"b"}', '"b"'],
    ['more members than needed', '{"x":{"result":9},"id":7,"result":1,"y":[]}', '1'],
  ])('is a result: %s', (_title, text, result) => {
    expect(parseNodeReply(text, 7)).toEqual({
      kind: 'result',
      text: result,
      value: JSON.parse(result),
    })
  })

  test('is read alike in the usual spelling and in any other', () => {
    const chance = seededChance(5)
    const pieces = [...'0 "\\n\n\0\x7fé},', '","id":8,"x":"']
    for (let round = 0; round < 20_000; round++) {
      const piece = () => chance.pick(pieces)
      const inside = Array.from({ length: chance.between(0, 3) }, piece).join('')
      const end = chance.pick(['"}', '"}\n', '"} ', '"}}', '}', '"'])
      const usual = `{"jsonrpc":"2.0","id":7,"result":"${inside}${end}`
      // A space in front leads past the short way.
      expect(parseNodeReply(usual, 7)).toEqual(parseNodeReply(` ${usual}`, 7))
    }
  })

  test('keeps the bytes of its error, of any shape', () => {
    const error = '{"code":3, "message":"execution reverted","data":{"big":18446744073709551615}}'
    expect(parseNodeReply(`{"id":7,"error":${error}}`, 7)).toEqual({
      kind: 'error',
      text: error,
      code: 3,
      message: 'execution reverted',
    })
  })

  test.each([
    [
      'an error under id null, of a node that could not read ours',
      '{"id":null,"error":{"code":1}}',
    ],
    ['an error beside a result', '{"id":7,"result":null,"error":{"code":1}}'],
    ['an error without a message', '{"id":7,"error":{"code":1}}'],
    ['an error whose message is no text', '{"id":7,"error":{"code":1,"message":{}}}'],
  ])('is an error: %s', (_title, text) => {
    expect(parseNodeReply(text, 7)).toMatchObject({ kind: 'error', code: 1, message: '' })
  })

  test('is read only so far for the words of an error, and passed on whole', () => {
    const message = 'x'.repeat(100_000)
    const reply = parseNodeReply(`{"id":7,"error":{"code":1,"message":"${message}"}}`, 7)
    if (reply?.kind !== 'error') throw new Error('no error')
    expect(reply.message.length).toBe(1000)
    expect(JSON.parse(reply.text).message).toBe(message)
  })

  test.each([
    ['nothing', ''],
    ['a page of HTML', '<html><body>502 Bad Gateway</body></html>'],
    ['half an answer', '{"jsonrpc":"2.0","id":7,"result":"0x1'],
    ['null', 'null'],
    ['a number', '7'],
    ['a batch', '[{"id":7,"result":1}]'],
    ['an empty object', '{}'],
    ["somebody else's id", '{"id":8,"result":1}'],
    ["somebody else's plain text", '{"jsonrpc":"2.0","id":8,"result":"0x1"}'],
    ['a raw line end in a text', '{"jsonrpc":"2.0","id":7,"result":"0x1\n"}'],
    ['id null with a result', '{"id":null,"result":1}'],
    ['no id', '{"result":1}'],
    ["somebody else's error", '{"id":8,"error":{"code":1,"message":"x"}}'],
    ['an error that is text', '{"id":7,"error":"it broke"}'],
    ['an error without a code', '{"id":7,"error":{"message":"x"}}'],
    ['an error whose code is text', '{"id":7,"error":{"code":"1","message":"x"}}'],
    ['neither result nor error', '{"jsonrpc":"2.0","id":7}'],
    ['text after the end', '{"id":7,"result":1} trailing'],
  ])('is none: %s', (_title, text) => {
    expect(parseNodeReply(text, 7)).toBeNull()
  })
})

describe('the code of an error that is too long to be held', () => {
  const LONG = 'x'.repeat(40_000)

  test.each([
    ['in front', `{"code":-32601,"message":"${LONG}`, -32601],
    ['behind a short message', `{"message":"a \\"code\\":5,","code":3,"data":"${LONG}`, 3],
    ['behind data that is short', `{"data":{"code":7},"code":-32000,"message":"${LONG}`, -32000],
    ['with white space', ` { "code" : 429 , "message" : "${LONG}`, 429],
    ['nowhere', `{"message":"${LONG}`, -32000],
    ['inside of something else', `{"data":{"code":7,"x":"${LONG}`, -32000],
    ['cut off itself', '{"message":"x","code":-326', -32000],
    ['a fraction', `{"code":1.5,"message":"${LONG}`, -32000],
    ['text', `{"code":"3","message":"${LONG}`, -32000],
    ['beyond a double', `{"code":${'9'.repeat(400)},"message":"${LONG}`, -32000],
    ['broken escapes in a name', `{"\\u12`, -32000],
    ['nothing', '', -32000],
  ])('%s', (_title, text, code) => {
    expect(codeInBeginning(text)).toBe(code)
  })
})

describe("a node's answer to a batch", () => {
  test('is found by our ids, in any order', () => {
    const replies = parseNodeBatch(
      ' [ {"id":3,"result":18446744073709551615}, {"id":1,"error":{"code":5,"message":"no"}} ] ',
    )
    expect(replies?.get(3)).toMatchObject({ kind: 'result', text: '18446744073709551615' })
    expect(replies?.get(1)).toMatchObject({ kind: 'error', code: 5 })
    expect(replies?.get(2)).toBeUndefined()
  })

  test('leaves out members that are none', () => {
    const replies = parseNodeBatch('[1,null,"x",[],{},{"id":{},"result":1},{"id":2,"result":9}]')
    expect([...(replies ?? [])]).toEqual([[2, { kind: 'result', text: '9', value: 9 }]])
  })

  test('never gives the answer without an id to a call', () => {
    const replies = parseNodeBatch('[{"id":null,"error":{"code":1,"message":"x"}},{"result":5}]')
    for (const id of [1, 2, 3]) expect(replies?.get(id)).toBeUndefined()
  })

  test.each([
    ['an object', '{"id":null,"error":{"code":-32600,"message":"batches are not supported"}}'],
    ['HTML', '<html>'],
    ['half a batch', '[{"id":1,"result":1},'],
    ['nothing', ''],
  ])('is none: %s', (_title, text) => {
    expect(parseNodeBatch(text)).toBeNull()
  })
})

describe('reading the value alone', () => {
  test.each([
    [
      'a result',
      '{"jsonrpc":"2.0","id":7,"result":{"a":[1]}}',
      { kind: 'result', value: { a: [1] } },
    ],
    ['a null, which is an answer too', '{"id":7,"result":null}', { kind: 'result', value: null }],
    ['an error', '{"id":7,"error":{"code":-1,"message":"no"}}', { kind: 'error', code: -1 }],
    ['an error beside a result', '{"id":7,"result":1,"error":{"code":-1}}', { kind: 'error' }],
    ['a result beside no error', '{"id":7,"result":1,"error":null}', { kind: 'result', value: 1 }],
  ])('%s', (_, text, told) => {
    expect(parseNodeValue(text, 7)).toMatchObject(told)
  })

  test.each(['{"id":8,"result":1}', '{"id":7}', '[]', '7', 'null', '"x"', '{', ''])(
    'is nothing in %s',
    (text) => {
      expect(parseNodeValue(text, 7)).toBeNull()
    },
  )
})
