import { beforeEach, describe, expect, test } from 'bun:test'
import { type TestClock, testClock } from '../../../tests/support/basics/test-clock.ts'
import { keyOf } from '../../../tests/support/solana/account-bytes.ts'
import {
  type ProgramAccountsCall,
  readProgramAccountsCall,
} from '../../core/solana/request/program-accounts.ts'
import { isSolanaError } from '../../core/solana/solana-error.ts'
import { prefetchPages, type ReadPage } from './account-index-prefetch.ts'

const PLACE = { slot: 10n, limit: 5, bytesMax: 1e6, teamId: 'team' }

let clock: TestClock
/** Where pages were read from, by the first byte of the key before them. */
let reads: (number | null)[]
let page: ReadPage

beforeEach(() => {
  clock = testClock()
  reads = []
  // Pages of one record each, up to key 9.
  page = prefetchPages(clock, async (_call, { after }) => {
    const number = (after?.[0] ?? 0) + 1
    reads.push(after?.[0] ?? null)
    const bytes = [Uint8Array.of(number)]
    return { bytes, count: 1, last: keyOf(number), more: number < 9 }
  })
})

describe('reading ahead', () => {
  test('has the next page at hand for whoever walks', async () => {
    const seen: unknown[] = []
    let after: Uint8Array | null = null
    for (let number = 1; number <= 9; number++) {
      const got = await page(callOf(), { ...PLACE, after })
      if (typeof got === 'string' || isSolanaError(got)) throw new Error('no page')
      seen.push(got.bytes[0]?.[0])
      after = got.last
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(reads).toEqual([null, 1, 2, 3, 4, 5, 6, 7, 8])
  })

  test('costs nothing for a first page alone, or a last one', async () => {
    await page(callOf(), { ...PLACE, after: null })
    expect(reads).toEqual([null])
    await page(callOf(), { ...PLACE, after: keyOf(8) })
    expect(reads).toEqual([null, 8])
  })

  test('gives nobody what was read for another question', async () => {
    await page(callOf(), { ...PLACE, after: keyOf(1) })
    const place = { ...PLACE, after: keyOf(2) }
    await page(callOf({ encoding: 'base58' }), place)
    await page(callOf(), { ...place, limit: 6 })
    await page(callOf(), { ...place, slot: 11n })
    expect(reads.filter((from) => from === 2)).toHaveLength(4)
  })

  test('is two pages ahead of a walk, and stays so', async () => {
    await page(callOf(), { ...PLACE, after: keyOf(1) })
    await clock.advance(0)
    expect(reads).toEqual([1, 2, 3])
    await page(callOf(), { ...PLACE, after: keyOf(2) })
    await clock.advance(0)
    expect(reads).toEqual([1, 2, 3, 4])
  })

  test('holds few pages, and not for long', async () => {
    for (let limit = 1; limit < 9; limit++)
      await page(callOf(), { ...PLACE, limit, after: keyOf(1) })
    await clock.advance(0)
    expect(reads).toHaveLength(8 + 4)
    await clock.advance(5_000)
    expect(clock.timers()).toBe(0)
    await page(callOf(), { ...PLACE, limit: 1, after: keyOf(2) })
    await clock.advance(0)
    expect(reads).toHaveLength(8 + 4 + 1 + 2)
  })
})

function callOf(config: object = {}): ProgramAccountsCall {
  const params = JSON.stringify(['Vote111111111111111111111111111111111111111', config])
  const call = readProgramAccountsCall(params, { defaultEncoding: 'json', pageLimit: 100 })
  if (isSolanaError(call)) throw new Error(call.message)
  return call
}
