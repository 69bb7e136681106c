import { describe, expect, test } from 'bun:test'
import { Rejection } from '../errors.ts'
import {
  BATCH_MEMBERS_MAX,
  type BadCall,
  type Call,
  isBadCall,
  nodeErrorReply,
  parseBody,
  rejectionReply,
  resultReply,
} from './jsonrpc.ts'

describe('a body that cannot be read at all', () => {
  test.each([
    ['nothing', '', 'parse_error'],
    ['white space', ' \n', 'parse_error'],
    ['half an object', '{"jsonrpc":"2.0",', 'parse_error'],
    ['half a batch', '[{"jsonrpc":"2.0","id":1,"method":"a"},', 'parse_error'],
    ['a word', 'hello', 'parse_error'],
    ['single quotes', "{'jsonrpc':'2.0'}", 'parse_error'],
    ['NaN', '{"jsonrpc":"2.0","id":NaN,"method":"a"}', 'parse_error'],
    ['a control character', '{"jsonrpc":"2.0","id":"a\u0000","method":"a"}', 'parse_error'],
    ['two bodies in one', '{"a":1}{"b":2}', 'parse_error'],
    ['a trailing comma', '{"jsonrpc":"2.0","id":1,"method":"a",}', 'parse_error'],
    ['a number with a leading zero', '{"jsonrpc":"2.0","id":01,"method":"a"}', 'parse_error'],
    ['an empty batch', '[]', 'invalid_request'],
    ['an empty batch with space in it', ' [ \n ] ', 'invalid_request'],
    ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`, 'invalid_request'],
    ['a hundred thousand brackets', '['.repeat(100_000), 'invalid_request'],
    [
      '1001 calls',
      `[${Array(BATCH_MEMBERS_MAX + 1)
        .fill('1')
        .join()}]`,
      'too_large',
    ],
  ] as const)('is refused as a whole: %s', (_title, text, code) => {
    expect(parseBody(text)).toMatchObject({ code })
  })
})

describe('a call', () => {
  test.each([
    ['an integer id', '{"jsonrpc":"2.0","id":1,"method":"m","params":[]}', '1', '[]'],
    ['an id of zero', '{"jsonrpc":"2.0","id":0,"method":"m"}', '0', '[]'],
    ['a negative id', '{"jsonrpc":"2.0","id":-7,"method":"m"}', '-7', '[]'],
    ['minus zero', '{"jsonrpc":"2.0","id":-0,"method":"m"}', '-0', '[]'],
    ['a u64 for an id', withId('18446744073709551615'), '18446744073709551615', '[]'],
    ['minus forty digits', withId(`-${'1234'.repeat(10)}`), `-${'1234'.repeat(10)}`, '[]'],
    ['an id like the end of a call', withId('"\\"},{\\"id\\":2"'), '"\\"},{\\"id\\":2"', '[]'],
    ['a lone surrogate, escaped', withId('"\\ud800"'), '"\\ud800"', '[]'],
    ['an id beyond ASCII', withId('"zürich 日本 🎉 \u2028"'), '"zürich 日本 🎉 \u2028"', '[]'],
    ['null as text', withId('"null"'), '"null"', '[]'],
    ['an empty string for an id', '{"jsonrpc":"2.0","id":"","method":"m"}', '""', '[]'],
    ['an escaped id', '{"jsonrpc":"2.0","id":"\\u0041\\"","method":"m"}', '"\\u0041\\""', '[]'],
    [
      'an id beyond a double',
      '{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"m"}',
      '123456789012345678901234567890',
      '[]',
    ],
    [
      'a u64 among its parameters',
      '{"jsonrpc":"2.0","id":1,"method":"m","params":[18446744073709551615, {"a" : 1.50}]}',
      '1',
      '[18446744073709551615, {"a" : 1.50}]',
    ],
    ['keys spelled with escapes', '{"jsonrp\\u0063":"2.0","i\\u0064":5,"method":"m"}', '5', '[]'],
    ['an id given twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}', '2', '[]'],
    ['members nobody asked for', '{"x":{"id":9},"jsonrpc":"2.0","id":1,"method":"m"}', '1', '[]'],
    [
      'an id in a prototype',
      '{"__proto__":{"id":6},"jsonrpc":"2.0","id":1,"method":"m"}',
      '1',
      '[]',
    ],
  ])('keeps the bytes of its caller: %s', (_title, text, idText, paramsText) => {
    expect(single(text)).toMatchObject({ idText, method: 'm', paramsText })
  })

  test('may have a name of 128 characters', () => {
    const method = 'm'.repeat(128)
    for (const text of [
      `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[]}`,
      `{"method":"${method}","jsonrpc":"2.0","id":1}`,
    ]) {
      expect(single(text)).toMatchObject({ idText: '1', method })
    }
  })

  test('has its parameters parsed as well', () => {
    const call = single('{"jsonrpc":"2.0","id":1,"method":"m","params":["0x1",{"a":[2]}]}')
    expect(call).toMatchObject({ params: ['0x1', { a: [2] }] })
  })

  test.each([
    ['a number', '5', 'null', 'invalid_request'],
    ['null', 'null', 'null', 'invalid_request'],
    ['a string', '"eth_chainId"', 'null', 'invalid_request'],
    ['no version', '{"id":4,"method":"m"}', '4', 'invalid_request'],
    ['version 1', '{"jsonrpc":"1.0","id":4,"method":"m"}', '4', 'invalid_request'],
    ['version "2"', '{"jsonrpc":"2","id":4,"method":"m"}', '4', 'invalid_request'],
    ['a version with a space', '{"jsonrpc":"2.0 ","id":4,"method":"m"}', '4', 'invalid_request'],
    ['a version of null', '{"jsonrpc":null,"id":4,"method":"m"}', '4', 'invalid_request'],
    ['a version in a list', '{"jsonrpc":["2.0"],"id":4,"method":"m"}', '4', 'invalid_request'],
    ['the version in capitals', '{"JSONRPC":"2.0","id":4,"method":"m"}', '4', 'invalid_request'],
    [
      'neither version nor id',
      '{"jsonrpc":"3.0","id":1.5,"method":"m"}',
      'null',
      'invalid_request',
    ],
    ['the version as a number', '{"jsonrpc":2.0,"id":"x","method":"m"}', '"x"', 'invalid_request'],
    ['no id', '{"jsonrpc":"2.0","method":"m"}', 'null', 'invalid_request'],
    [
      'a name of 129 characters',
      `{"jsonrpc":"2.0","id":4,"method":"${'m'.repeat(129)}","params":[]}`,
      '4',
      'invalid_request',
    ],
    [
      'a name of 280 KB, in another order',
      `{"id":"x","method":"${'m'.repeat(280_000)}","jsonrpc":"2.0"}`,
      '"x"',
      'invalid_request',
    ],
    ['id null', '{"jsonrpc":"2.0","id":null,"method":"m"}', 'null', 'invalid_request'],
    ['a fraction for an id', '{"jsonrpc":"2.0","id":1.5,"method":"m"}', 'null', 'invalid_request'],
    ['1.0 for an id', '{"jsonrpc":"2.0","id":1.0,"method":"m"}', 'null', 'invalid_request'],
    ['1e3 for an id', '{"jsonrpc":"2.0","id":1e3,"method":"m"}', 'null', 'invalid_request'],
    ['1e999 for an id', withId('1e999'), 'null', 'invalid_request'],
    ['false for an id', withId('false'), 'null', 'invalid_request'],
    ['true for an id', '{"jsonrpc":"2.0","id":true,"method":"m"}', 'null', 'invalid_request'],
    ['a list for an id', '{"jsonrpc":"2.0","id":[1],"method":"m"}', 'null', 'invalid_request'],
    ['an object for an id', '{"jsonrpc":"2.0","id":{},"method":"m"}', 'null', 'invalid_request'],
    ['an id in the id', withId('{"id":1}'), 'null', 'invalid_request'],
    ['no method', '{"jsonrpc":"2.0","id":4}', '4', 'invalid_request'],
    ['an empty method', '{"jsonrpc":"2.0","id":4,"method":""}', '4', 'invalid_request'],
    ['a number for a method', '{"jsonrpc":"2.0","id":4,"method":1}', '4', 'invalid_request'],
    ['null for a method', '{"jsonrpc":"2.0","id":4,"method":null}', '4', 'invalid_request'],
    ['a list for a method', '{"jsonrpc":"2.0","id":4,"method":["m"]}', '4', 'invalid_request'],
    ['an object for a method', '{"jsonrpc":"2.0","id":4,"method":{}}', '4', 'invalid_request'],
    [
      'params as an object',
      '{"jsonrpc":"2.0","id":4,"method":"m","params":{}}',
      '4',
      'invalid_params',
    ],
    [
      'params as null',
      '{"jsonrpc":"2.0","id":4,"method":"m","params":null}',
      '4',
      'invalid_params',
    ],
    ['params as text', '{"jsonrpc":"2.0","id":4,"method":"m","params":"x"}', '4', 'invalid_params'],
    ['params as zero', '{"jsonrpc":"2.0","id":4,"method":"m","params":0}', '4', 'invalid_params'],
    [
      'params as true',
      '{"jsonrpc":"2.0","id":4,"method":"m","params":true}',
      '4',
      'invalid_params',
    ],
  ] as const)(
    'is refused under its own id where that is legal: %s',
    (_title, text, idText, code) => {
      expect(single(text)).toMatchObject({ idText, rejection: { code } })
    },
  )
})

describe('a batch', () => {
  test('is read member by member, the bad beside the good', () => {
    const text = ' [ {"jsonrpc":"2.0","id":18446744073709551615,"method":"m"} ,1,[],{"id":"b"} ]'
    const body = parseBody(text)
    if (!Array.isArray(body)) throw new Error('no batch')
    expect(body.map((call) => call.idText)).toEqual(['18446744073709551615', 'null', 'null', '"b"'])
    expect(body.map(isBadCall)).toEqual([false, true, true, true])
  })

  test('may hold a thousand calls', () => {
    const call = '{"jsonrpc":"2.0","id":1,"method":"m"}'
    const body = parseBody(`[${Array(BATCH_MEMBERS_MAX).fill(call).join()}]`)
    expect(body).toHaveLength(BATCH_MEMBERS_MAX)
  })
})

describe('a reply', () => {
  test('holds the id and the result as they came', () => {
    const text = resultReply('18446744073709551615', '{"lamports":18446744073709551615}')
    expect(text).toBe(
      '{"jsonrpc":"2.0","id":18446744073709551615,"result":{"lamports":18446744073709551615}}',
    )
  })

  test("holds the node's error as it came", () => {
    const text = nodeErrorReply('"a"', '{"code":3,"message":"execution reverted","data":"0x08"}')
    expect(JSON.parse(text)).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      error: { code: 3, message: 'execution reverted', data: '0x08' },
    })
  })

  test.each([
    ['parse_error', -32700],
    ['invalid_request', -32600],
    ['invalid_params', -32602],
    ['unauthorized', -32600],
    ['too_large', -32600],
    ['upstream_failed', -32603],
    ['upstream_timeout', -32603],
    ['throughput_exceeded', 429],
    ['capacity_exceeded', 429],
  ] as const)('has the code of the contract for %s', (rejected, code) => {
    const text = rejectionReply('1', new Rejection(rejected, 'in "quotes"'))
    expect(JSON.parse(text)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code, message: 'in "quotes"' },
    })
  })
})

/** A call whose id is written as it stands. */
function withId(idText: string): string {
  return `{"jsonrpc":"2.0","id":${idText},"method":"m"}`
}

function single(text: string): Call | BadCall {
  const body = parseBody(text)
  if (body instanceof Rejection || Array.isArray(body)) throw new Error('not a single call')
  return body
}
