import { describe, expect, test } from 'bun:test'
import { encodeKey } from '../base58.ts'
import { readAccountsReply } from './account-text.ts'

const KEY = new Uint8Array(32).fill(1)
const OWNER = new Uint8Array(32).fill(2)
const ACCOUNT = `{"data":["AQID","base64"],"executable":false,"lamports":9007199254740993,"owner":"${encodeKey(OWNER)}","rentEpoch":18446744073709551615,"space":3}`

const reply = (...accounts: string[]) =>
  `{"context":{"apiVersion":"4.2.0","slot":18446744073709551615},"value":[${accounts.join()}]}`

test('numbers keep every digit, and missing accounts their place', () => {
  const read = readAccountsReply(reply('null', ACCOUNT), [OWNER, KEY])
  expect(read).toEqual({
    slot: 18446744073709551615n,
    accounts: [
      null,
      {
        pubkey: KEY,
        owner: OWNER,
        lamports: 9007199254740993n,
        rentEpoch: 18446744073709551615n,
        executable: false,
        data: Uint8Array.of(1, 2, 3),
      },
    ],
  })
})

test('an account without a rent epoch owes no rent', () => {
  const read = readAccountsReply(reply(ACCOUNT.replace(/"rentEpoch":\d+,/, '')), [KEY])
  expect(read?.accounts[0]?.rentEpoch).toBe(18446744073709551615n)
})

describe('what is no such answer is none', () => {
  test.each([
    ['not JSON', 'nothing'],
    ['a list', '[]'],
    ['no context', `{"value":[${ACCOUNT}]}`],
    ['a context of another kind', `{"context":7,"value":[${ACCOUNT}]}`],
    ['a slot beyond u64', reply(ACCOUNT).replace('615}', '616}')],
    ['too few accounts', reply()],
    ['too many accounts', reply(ACCOUNT, ACCOUNT)],
    ['no list of accounts', '{"context":{"slot":1},"value":{}}'],
    ['another encoding', reply(ACCOUNT.replace('"base64"', '"base58"'))],
    ['data that is a text', reply(ACCOUNT.replace('["AQID","base64"]', '"AQID"'))],
    ['parsed data', reply(ACCOUNT.replace('["AQID","base64"]', '{"parsed":{}}'))],
    ['data that is no base64', reply(ACCOUNT.replace('AQID', '!!!!'))],
    ['an owner that is no key', reply(ACCOUNT.replace(encodeKey(OWNER), '1'))],
    ['a fraction of a lamport', reply(ACCOUNT.replace('9007199254740993', '1.5'))],
    ['a number as an account', reply('7')],
    ['lamports below zero', reply(ACCOUNT.replace('9007199254740993', '-1'))],
  ])('%s', (_what, text) => {
    expect(readAccountsReply(text, [KEY])).toBeNull()
  })
})
