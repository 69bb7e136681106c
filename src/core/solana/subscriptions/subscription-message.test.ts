import { describe, expect, test } from 'bun:test'
import { readSlotValue, readSubscriptionMessage } from './subscription-message.ts'

const U64_MAX = '18446744073709551615'

describe('a message of a node', () => {
  test('grants a subscription, whose name may have 64 bits', () => {
    expect(readSubscriptionMessage(`{"jsonrpc":"2.0","result":${U64_MAX},"id":2}`)).toEqual({
      kind: 'granted',
      id: 2,
      subscription: U64_MAX,
    })
  })

  test('notifies, in its own text', () => {
    const resultText = `{"context":{"slot":5}, "value":{"lamports":${U64_MAX}}}`
    const text = `{"method":"accountNotification","params":{"result":${resultText},"subscription":${U64_MAX}}}`
    const message = readSubscriptionMessage(text)
    const method = 'accountNotification'
    expect(message).toEqual({ kind: 'notification', method, subscription: U64_MAX, resultText })
    expect(readSlotValue(resultText)).toEqual({ slot: 5, valueText: `{"lamports":${U64_MAX}}` })
  })

  test.each([
    ['{"id":1,"error":{"code":-32602,"message":"no"}}', -32602, 'no'],
    ['{"id":1,"error":{"code":"x","message":5}}', -32603, ''],
    ['{"id":1,"error":"no"}', -32603, ''],
    ['{"id":1,"result":null}', -32603, ''],
    ['{"id":1,"result":"7"}', -32603, ''],
    ['{"id":1,"result":-7}', -32603, ''],
    ['{"id":1,"result":7,"error":{"code":1,"message":"no"}}', 1, 'no'],
  ])('refuses: %s', (text, code, message) => {
    expect(readSubscriptionMessage(text)).toEqual({ kind: 'refused', id: 1, code, message })
  })

  test.each([
    ['nothing', ''],
    ['no JSON', '{"id":1,'],
    ['a list', '[{"id":1,"result":1}]'],
    ['a number', '7'],
    ['null', 'null'],
    ['an id in quotes', '{"id":"1","result":1}'],
    ['an id beyond all numbers', `{"id":${U64_MAX},"result":1}`],
    ['no subscription', '{"method":"x","params":{"result":1}}'],
    ['a subscription in quotes', '{"method":"x","params":{"result":1,"subscription":"1"}}'],
    ['no result', '{"method":"x","params":{"subscription":1}}'],
    ['no method', '{"params":{"subscription":1,"result":1}}'],
    ['a method that is no text', '{"method":5,"params":{"subscription":1,"result":1}}'],
    ['depth', `{"params":{"subscription":1,"result":${'['.repeat(500)}${']'.repeat(500)}}}`],
  ])('is ignored when it is %s', (_title, text) => {
    expect(readSubscriptionMessage(text)).toBeNull()
  })

  test.each([
    ['{"value":{}}'],
    ['{"context":{},"value":{}}'],
    ['{"context":{"slot":"5"},"value":{}}'],
    ['{"context":{"slot":-5},"value":{}}'],
    ['{"context":{"slot":1e3},"value":{}}'],
    [`{"context":{"slot":${U64_MAX}},"value":{}}`],
    ['{"context":{"slot":5}}'],
    ['{"context":5,"value":{}}'],
    ['[]'],
    ['5'],
  ])('speaks of no slot: %s', (text) => {
    expect(readSlotValue(text)).toBeNull()
  })
})
