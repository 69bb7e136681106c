import { describe, expect, test } from 'bun:test'
import type { AccountFilter } from '../account.ts'
import { isTokenAccount, matchesFilters } from './matches-filters.ts'

const DATA = Uint8Array.of(1, 2, 3, 4, 5)

describe('memcmp', () => {
  test.each([
    ['the whole', 0, [1, 2, 3, 4, 5], true],
    ['the beginning', 0, [1, 2], true],
    ['the middle', 2, [3, 4], true],
    ['the end', 4, [5], true],
    ['something else', 0, [2], false],
    ['a difference in the last byte', 2, [3, 4, 6], false],
    ['more than there is', 2, [3, 4, 5, 6], false],
    ['what lies behind the end', 6, [5], false],
    ['nothing, at the end', 5, [], true],
    ['nothing, behind the end', 6, [], false],
    ['nothing, beyond everything', Number.MAX_SAFE_INTEGER, [], false],
    ['something beyond everything', Number.MAX_SAFE_INTEGER, [1], false],
  ])('%s', (_title, offset, bytes, matches) => {
    const filter = { kind: 'memcmp', offset, bytes: Uint8Array.from(bytes) } as const
    expect(matchesFilters([filter], DATA)).toBe(matches)
  })

  test('nothing matches an empty account at its beginning', () => {
    const nothing = { kind: 'memcmp', offset: 0, bytes: new Uint8Array() } as const
    expect(matchesFilters([nothing], new Uint8Array())).toBe(true)
  })
})

test('a size is the exact length', () => {
  expect(matchesFilters([{ kind: 'dataSize', bytes: 5 }], DATA)).toBe(true)
  expect(matchesFilters([{ kind: 'dataSize', bytes: 4 }], DATA)).toBe(false)
  expect(matchesFilters([{ kind: 'dataSize', bytes: 0 }], new Uint8Array())).toBe(true)
})

test('an account must fulfil every filter, and no filter lets everything through', () => {
  const size: AccountFilter = { kind: 'dataSize', bytes: 5 }
  const bytes: AccountFilter = { kind: 'memcmp', offset: 4, bytes: Uint8Array.of(9) }
  expect(matchesFilters([], DATA)).toBe(true)
  expect(matchesFilters([size, bytes], DATA)).toBe(false)
  expect(matchesFilters([bytes, size], DATA)).toBe(false)
  expect(matchesFilters([size, { ...bytes, bytes: Uint8Array.of(5) }], DATA)).toBe(true)
})

describe('the state of a token account', () => {
  const STATE = 108
  const TYPE = 165
  test.each([
    ['initialised', 165, { [STATE]: 1 }, true],
    ['frozen', 165, { [STATE]: 2 }, true],
    ['not initialised', 165, {}, false],
    ['a mint', 82, {}, false],
    ['too short', 164, { [STATE]: 1 }, false],
    ['empty', 0, {}, false],
    ['with extensions', 170, { [STATE]: 1, [TYPE]: 2 }, true],
    ['with extensions, not initialised', 170, { [TYPE]: 2 }, false],
    ['a mint with extensions', 234, { [STATE]: 1, [TYPE]: 1 }, false],
    ['several signers', 355, { [STATE]: 1, [TYPE]: 2 }, false],
  ])('%s', (_title, length, bytes, holds) => {
    const data = new Uint8Array(length)
    for (const [at, value] of Object.entries(bytes)) data[Number(at)] = value as number
    expect(isTokenAccount(data)).toBe(holds)
    expect(matchesFilters([{ kind: 'tokenAccountState' }], data)).toBe(holds)
  })
})
