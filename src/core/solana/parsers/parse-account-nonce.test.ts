import { describe, expect, test } from 'bun:test'
import { getNonceDecoder, NonceState, NonceVersion } from '@solana-program/system'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import {
  accountOf,
  exactly,
  joined,
  keyOf,
  randomBytes,
  u32,
  u64,
  zeros,
} from '../../../../tests/support/solana/account-bytes.ts'
import { encodeKey } from '../base58.ts'
import { parseNonce } from './parse-account.ts'

const NONCE_BYTES = 80

describe('a nonce account as JSON', () => {
  test('shows its authority, the blockhash to use and the fee, with all digits', () => {
    const data = joined(u32(1), u32(1), keyOf(1), keyOf(2), u64(2n ** 64n - 1n))
    expect(parseNonce(accountOf(data))).toBe(
      `{"info":{"authority":"${encodeKey(keyOf(1))}","blockhash":"${encodeKey(keyOf(2))}",` +
        '"feeCalculator":{"lamportsPerSignature":"18446744073709551615"}},"type":"initialized"}',
    )
  })

  test('one of the old version is shown, too', () => {
    const data = joined(u32(0), u32(1), zeros(NONCE_BYTES - 8))
    expect(exactly(parseNonce(accountOf(data)))).toMatchObject({ type: 'initialized' })
  })

  test.each([
    ['an account without data', zeros(0)],
    ['an uninitialised nonce account', zeros(NONCE_BYTES)],
    ['an uninitialised one of the new version', joined(u32(1), zeros(NONCE_BYTES - 4))],
    ['an unknown version', joined(u32(2), u32(1), zeros(NONCE_BYTES - 8))],
    ['an unknown state', joined(u32(1), u32(2), zeros(NONCE_BYTES - 8))],
  ])('%s is not parsed', (_what, data) => {
    expect(parseNonce(accountOf(data))).toBeNull()
  })

  test('an account that ends too early is not parsed', () => {
    const whole = joined(u32(1), u32(1), zeros(NONCE_BYTES - 8))
    for (let end = 0; end < NONCE_BYTES; end++) {
      expect(parseNonce(accountOf(whole.subarray(0, end)))).toBeNull()
    }
  })

  test('any values are read as another decoder reads them', () => {
    const chance = seededChance(42)
    for (let round = 0; round < 50; round++) {
      const head = joined(u32(NonceVersion.Current), u32(NonceState.Initialized))
      const data = joined(head, randomBytes(chance, NONCE_BYTES - 8))
      const nonce = getNonceDecoder().decode(data)
      expect(exactly(parseNonce(accountOf(data)))).toEqual({
        info: {
          authority: nonce.authority,
          blockhash: nonce.blockhash,
          feeCalculator: { lamportsPerSignature: `${nonce.lamportsPerSignature}` },
        },
        type: 'initialized',
      })
    }
  })
})
