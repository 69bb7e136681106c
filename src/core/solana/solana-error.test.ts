import { expect, test } from 'bun:test'
import {
  invalidParams,
  isSolanaError,
  minContextSlotError,
  solanaError,
  solanaErrorText,
} from './solana-error.ts'

test('an error is told from everything else that a reader gives', () => {
  expect(isSolanaError(invalidParams('no'))).toBe(true)
  for (const value of [null, undefined, 5n, 'text', [], {}, new Uint8Array(3), { message: 'x' }]) {
    expect(isSolanaError(value)).toBe(false)
  }
})

test('an error is written with its data, and without a member for none', () => {
  expect(solanaErrorText(invalidParams('say "no"\ud800'))).toBe(
    '{"code":-32602,"message":"say \\"no\\"\\ud800"}',
  )
  expect(solanaErrorText(solanaError(-32005, 'late', '{"numSlotsBehind":null}'))).toBe(
    '{"code":-32005,"message":"late","data":{"numSlotsBehind":null}}',
  )
})

test('a slot that is not there yet is answered with the one that is, to its last digit', () => {
  expect(solanaErrorText(minContextSlotError(18_446_744_073_709_551_615n))).toBe(
    '{"code":-32016,"message":"Minimum context slot has not been reached",' +
      '"data":{"contextSlot":18446744073709551615}}',
  )
})
