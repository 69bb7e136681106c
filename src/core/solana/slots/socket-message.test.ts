import { describe, expect, test } from 'bun:test'
import { clockText, newsText } from '../../../../tests/support/solana/scripted-ledger.ts'
import { readLedgerClock, readSocketMessage } from './socket-message.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const read = (text: string) => readSocketMessage(bytesOf(text))

describe('what comes over a socket', () => {
  test('is an answer with the name of a subscription, of up to 64 bits', () => {
    expect(read('{"jsonrpc":"2.0","result":18446744073709551615,"id":2}')).toEqual({
      kind: 'answer',
      id: 2,
      subscription: '18446744073709551615',
    })
    expect(read(' {"id":1,"result":0,"error":null}\n')).toMatchObject({ subscription: '0' })
  })

  test.each([
    ['{"id":1,"error":{"code":-32602,"message":"no"}}'],
    ['{"id":1,"result":null}'],
    ['{"id":1,"result":true}'],
    ['{"id":1,"result":"7"}'],
    ['{"id":1,"result":-7}'],
    ['{"id":1,"result":7,"error":{"code":1}}'],
    ['{"id":1}'],
  ])('or a refusal: %s', (text) => {
    expect(read(text)).toEqual({ kind: 'answer', id: 1, subscription: null })
  })

  test('is news of a slot, with the JSON it speaks of untouched', () => {
    const message = read(
      newsText(22, 431_000_000, '{"a":18446744073709551615}', 'programNotification'),
    )
    expect(message).toMatchObject({ kind: 'news', subscription: '22', slot: 431_000_000 })
    const { value } = message as { value: Uint8Array }
    expect(Buffer.from(value).toString()).toBe('{"a":18446744073709551615}')
  })

  const good = newsText(22, 5, '{}', 'programNotification')

  test.each([
    ['no slot', good.replace('"slot":5', '"s":5')],
    ['a slot in quotes', good.replace('"slot":5', '"slot":"5"')],
    ['a negative slot', good.replace('"slot":5', '"slot":-5')],
    ['a fraction of a slot', good.replace('"slot":5', '"slot":5.5')],
    ['a slot beyond all', good.replace('"slot":5', '"slot":18446744073709551615')],
    ['two slots', good.replace('"slot":5', '"slot":5,"slot":6')],
    ['no subscription', good.replace(/,"subscription":22/, '')],
    ['a subscription in quotes', good.replace('"subscription":22', '"subscription":"22"')],
    ['no value', good.replace(',"value":{}', '')],
    ['params of another kind', '{"method":"programNotification","params":[1]}'],
    ['neither', '{"jsonrpc":"2.0"}'],
    ['an id that is no number', '{"id":"x","result":1}'],
    ['an array', '[]'],
    ['nothing', ''],
    ['no JSON', '<html>'],
    ['two messages', `${good}${good}`],
    ['deep nesting', `{"params":${'['.repeat(100_000)}`],
  ])('%s is none of both', (_title, text) => {
    expect(read(text)).toBeNull()
  })

  test('whatever breaks off is none of both', () => {
    for (let end = 0; end < good.length; end++) expect(read(good.slice(0, end))).toBeNull()
  })
})

describe("the ledger's clock", () => {
  test('says its slot and its time', () => {
    expect(readLedgerClock(bytesOf(clockText(431, -5n)))).toEqual({ slot: 431, unixTimestamp: -5n })
  })

  test.each([
    ['null', 'null'],
    ['shorter data', clockText(1, 1n).replace(/\["[^"]+"/, '["AAAA"')],
    ['an impossible slot', clockText(1, 1n).replace(/\["AQ/, '["//////////')],
    ['no account', '{}'],
  ])('is none when it is %s', (_title, text) => {
    expect(readLedgerClock(bytesOf(text))).toBeNull()
  })
})
