import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { readEvmMessage } from './evm-session.ts'

const NEWS =
  '{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":{"a":1}}}'

describe('a message of a socket', () => {
  test('can notify of a result', () => {
    expect(readEvmMessage(NEWS)).toEqual({
      kind: 'notification',
      subscription: '0x1',
      result: { a: 1 },
    })
  })

  test.each([
    ['{"jsonrpc":"2.0","id":2,"result":"0x1"}', '0x1'],
    ['{"id":2,"result":"0x1","error":null}', '0x1'],
    ['{"id":2,"result":null}', null],
    ['{"id":2,"error":{"code":-32601,"message":"notifications not supported"}}', undefined],
    ['{"id":2,"result":"0x1","error":"both"}', undefined],
    ['{"id":2}', undefined],
  ])('can answer a call: %s', (text, result) => {
    expect(readEvmMessage(text)).toEqual({ kind: 'answer', id: 2, result })
  })

  test.each([
    '',
    'hello',
    '{',
    'null',
    '7',
    '"eth_subscription"',
    `[${NEWS}]`,
    '{"id":"2","result":"0x1"}',
    '{"id":null,"result":"0x1"}',
    '{"result":"0x1"}',
    '{"method":"eth_subscription"}',
    '{"method":"eth_subscription","params":null}',
    '{"method":"eth_subscription","params":["0x1",{}]}',
    '{"method":"eth_subscription","params":{"result":{}}}',
    '{"method":"eth_subscription","params":{"subscription":1,"result":{}}}',
    '{"method":"eth_subscription","params":{"subscription":{"toString":1}}}',
    '{"method":"eth_unsubscription","params":{"subscription":"0x1"}}',
    '{"__proto__":{"id":1}}',
    '\u0000'.repeat(100),
    '['.repeat(500_000),
    `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  ])('is passed over when it is neither: %#', (text) => {
    expect(readEvmMessage(text)).toBeNull()
  })

  test('never does harm, however it is garbled', () => {
    const chance = seededChance(20_260_510)
    for (let round = 0; round < 5000; round++) {
      const at = chance.between(0, NEWS.length)
      const cut = chance.between(0, 8)
      const put = chance.pick(['', '{', '}', '"', ',', '\\', '\ud800', 'null', '[[', '1e999'])
      const said = readEvmMessage(NEWS.slice(0, at) + put + NEWS.slice(at + cut))
      expect(said === null || said.kind === 'notification').toBe(true)
    }
  })
})
