import { describe, expect, test } from 'bun:test'
import {
  accountOf,
  addressKey,
  joined,
  keyOf,
  text,
  u8,
  u64,
  zeros,
} from '../../../../tests/support/solana/account-bytes.ts'
import { encodeKey } from '../base58.ts'
import { parseConfig } from './config.ts'

const VALIDATOR_INFO = addressKey('Va1idator1nfo111111111111111111111111111111')
const KEYS = joined(u8(2), VALIDATOR_INFO, u8(0), keyOf(1), u8(1))

/** How the keys are shown. */
const KEYS_TEXT =
  '[{"pubkey":"Va1idator1nfo111111111111111111111111111111","signer":false},' +
  `{"pubkey":"${encodeKey(keyOf(1))}","signer":true}]`

describe('a config account as JSON', () => {
  test('shows what a validator says about itself, in the order of a node', () => {
    const words = '{"website":"https://example.com", "name":"Ünï", "keybaseUsername":"me"}'
    expect(parsed(joined(KEYS, text(words), zeros(400)))).toBe(
      '{"info":{"configData":{"keybaseUsername":"me","name":"Ünï",' +
        `"website":"https://example.com"},"keys":${KEYS_TEXT}},"type":"validatorInfo"}`,
    )
  })

  test('numbers in it keep their digits', () => {
    expect(parsed(joined(KEYS, text('[18446744073709551615,1.50]')))).toBe(
      `{"info":{"configData":[18446744073709551615,1.5],"keys":${KEYS_TEXT}},` +
        '"type":"validatorInfo"}',
    )
  })

  test('a long list of keys has a count of two bytes', () => {
    const others = Array.from({ length: 199 }, () => joined(keyOf(2), u8(0)))
    const data = joined(u8(0xc8), u8(1), VALIDATOR_INFO, u8(0), ...others, text('{}'))
    expect(JSON.parse(parsed(data) ?? 'null').info.keys).toHaveLength(200)
  })

  test.each([
    ['no keys', joined(u8(0), text('{}'))],
    ['another first key', joined(u8(1), keyOf(1), u8(0), text('{}'))],
    ['the old stake config', joined(u8(0), zeros(9))],
    ['a signer that is neither true nor false', joined(u8(1), VALIDATOR_INFO, u8(2), text('{}'))],
    ['a count in more bytes than it needs', joined(u8(0x81), u8(0), VALIDATOR_INFO, u8(0))],
    ['a count that does not end', joined(u8(0xff), u8(0xff), u8(0xff), zeros(999))],
    ['a count beyond 65,535', joined(u8(0xff), u8(0xff), u8(0x04), zeros(999))],
    ['what is no JSON', joined(KEYS, text('{'))],
    ['no words at all', joined(KEYS, text(''))],
    ['bytes that are no text', joined(KEYS, u64(4n), u8(0x22), u8(0xff), u8(0xfe), u8(0x22))],
    ['a byte order mark', joined(KEYS, text('\ufeff{}'))],
    ['a length that is not true', joined(KEYS, u64(2n ** 64n - 1n), text('{}'))],
  ])('%s is not parsed', (_what, data) => {
    expect(parsed(data)).toBeNull()
  })

  test('an account that ends too early is not parsed', () => {
    const whole = joined(KEYS, text('{"name":"x"}'))
    expect(parsed(whole)).not.toBeNull()
    for (let end = 0; end < whole.length; end++) expect(parsed(whole.subarray(0, end))).toBeNull()
  })
})

function parsed(data: Uint8Array): string | null {
  return parseConfig(accountOf(data))
}
