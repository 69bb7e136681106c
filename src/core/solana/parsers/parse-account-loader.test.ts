import { describe, expect, test } from 'bun:test'
import {
  accountOf,
  joined,
  keyOf,
  u8,
  u32,
  u64,
  zeros,
} from '../../../../tests/support/solana/account-bytes.ts'
import { encodeKey } from '../base58.ts'
import { parseUpgradeableLoader } from './parse-account.ts'

const CODE = Uint8Array.of(0x7f, 0x45, 0x4c, 0x46)
const KEY = encodeKey(keyOf(1))

describe('an account of the upgradeable loader as JSON', () => {
  test.each([
    ['an uninitialised one says only that', zeros(4), '{"type":"uninitialized"}'],
    [
      'a program names the account of its code',
      joined(u32(2), keyOf(1)),
      `{"info":{"programData":"${KEY}"},"type":"program"}`,
    ],
    [
      'a buffer shows its authority and the code so far',
      joined(u32(1), u8(1), keyOf(1), CODE),
      `{"info":{"authority":"${KEY}","data":["f0VMRg==","base64"]},"type":"buffer"}`,
    ],
    [
      'a buffer without authority shows all that follows',
      joined(u32(1), u8(0), CODE),
      '{"info":{"authority":null,"data":["f0VMRg==","base64"]},"type":"buffer"}',
    ],
    [
      'code shows its authority and its slot, with all digits',
      joined(u32(3), u64(2n ** 64n - 1n), u8(1), keyOf(1), CODE),
      `{"info":{"authority":"${KEY}","data":["f0VMRg==","base64"],` +
        '"slot":18446744073709551615},"type":"programData"}',
    ],
    [
      'code that can no longer change has no authority',
      joined(u32(3), u64(7n), u8(0), CODE),
      '{"info":{"authority":null,"data":["f0VMRg==","base64"],"slot":7},"type":"programData"}',
    ],
    [
      'code that is still empty is shown as such',
      joined(u32(3), u64(7n), u8(1), keyOf(1)),
      `{"info":{"authority":"${KEY}","data":["","base64"],"slot":7},"type":"programData"}`,
    ],
  ])('%s', (_what, data, expected) => {
    expect(parseUpgradeableLoader(accountOf(data))).toBe(expected)
  })

  test.each([
    ['no data', zeros(0)],
    ['an unknown state', joined(u32(4), zeros(99))],
    ['a state with the highest number', joined(u32(0xffffffff), zeros(99))],
    ['an authority that is neither there nor absent', joined(u32(1), u8(2), zeros(99))],
  ])('%s is not parsed', (_what, data) => {
    expect(parseUpgradeableLoader(accountOf(data))).toBeNull()
  })

  test('an account that ends too early is not parsed', () => {
    const wholes = [
      joined(u32(1), u8(1), keyOf(1)),
      joined(u32(2), keyOf(1)),
      joined(u32(3), u64(7n), u8(1), keyOf(1)),
    ]
    for (const whole of wholes) {
      for (let end = 0; end < whole.length; end++) {
        expect(parseUpgradeableLoader(accountOf(whole.subarray(0, end)))).toBeNull()
      }
    }
  })
})
