import { describe, expect, test } from 'bun:test'
import { isSome, type Option } from '@solana/kit'
import { getAddressLookupTableDecoder } from '@solana-program/address-lookup-table'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import {
  accountOf,
  exactly,
  joined,
  keyOf,
  randomBytes,
  u8,
  u16,
  u32,
  u64,
  zeros,
} from '../../../../tests/support/solana/account-bytes.ts'
import { encodeKey } from '../base58.ts'
import { parseAddressLookupTable } from './address-lookup-table.ts'

const SLOTS = joined(u64(2n ** 64n - 1n), u64(204_699_234n), u8(20))
const META = joined(u32(1), SLOTS, u8(1), keyOf(1), u16(0))

describe('an address lookup table as JSON', () => {
  test('shows its addresses, its authority and its slots, with all digits', () => {
    expect(parseAddressLookupTable(accountOf(joined(META, keyOf(2), keyOf(0))))).toBe(
      `{"info":{"addresses":["${encodeKey(keyOf(2))}","11111111111111111111111111111111"],` +
        `"authority":"${encodeKey(keyOf(1))}","deactivationSlot":"18446744073709551615",` +
        '"lastExtendedSlot":"204699234","lastExtendedSlotStartIndex":20},"type":"lookupTable"}',
    )
  })

  test('a frozen one has no authority, and its addresses begin at the same place', () => {
    const meta = joined(u32(1), SLOTS, u8(0), u16(0))
    const data = joined(meta, zeros(META.length - meta.length), keyOf(7))
    expect(parseAddressLookupTable(accountOf(data))).toBe(
      `{"info":{"addresses":["${encodeKey(keyOf(7))}"],` +
        '"deactivationSlot":"18446744073709551615","lastExtendedSlot":"204699234",' +
        '"lastExtendedSlotStartIndex":20},"type":"lookupTable"}',
    )
  })

  test('one without addresses has an empty list', () => {
    expect(exactly(parseAddressLookupTable(accountOf(META)))).toMatchObject({
      info: { addresses: [] },
    })
  })

  test('an uninitialised one says only that', () => {
    expect(parseAddressLookupTable(accountOf(zeros(56)))).toBe('{"type":"uninitialized"}')
    expect(parseAddressLookupTable(accountOf(zeros(4)))).toBe('{"type":"uninitialized"}')
  })

  test.each([
    ['no data', zeros(0)],
    ['an unknown state', joined(u32(2), META.subarray(4))],
    ['an authority that is neither there nor absent', joined(u32(1), SLOTS, u8(2), zeros(34))],
    ['a piece of an address', joined(META, zeros(31))],
  ])('%s is not parsed', (_what, data) => {
    expect(parseAddressLookupTable(accountOf(data))).toBeNull()
  })

  test('a table that ends before its addresses is not parsed, with or without authority', () => {
    const frozen = joined(u32(1), SLOTS, zeros(35))
    for (let end = 4; end < META.length; end++) {
      expect(parseAddressLookupTable(accountOf(META.subarray(0, end)))).toBeNull()
      expect(parseAddressLookupTable(accountOf(frozen.subarray(0, end)))).toBeNull()
    }
  })

  test('any table is read as another decoder reads it', () => {
    const chance = seededChance(43)
    for (let round = 0; round < 50; round++) {
      const tagged = joined(u8(chance.between(0, 1)), randomBytes(chance, 34))
      const meta = joined(u32(1), randomBytes(chance, 17), tagged)
      const data = joined(meta, randomBytes(chance, 32 * chance.between(0, 5)))
      const table = getAddressLookupTableDecoder().decode(data)
      expect(exactly(parseAddressLookupTable(accountOf(data)))).toEqual({
        info: {
          addresses: [...table.addresses],
          ...authorityMember(table.authority),
          deactivationSlot: `${table.deactivationSlot}`,
          lastExtendedSlot: `${table.lastExtendedSlot}`,
          lastExtendedSlotStartIndex: BigInt(table.lastExtendedSlotStartIndex),
        },
        type: 'lookupTable',
      })
    }
  })
})

function authorityMember(authority: Option<string>): { authority?: string } {
  return isSome(authority) ? { authority: authority.value } : {}
}
