import { describe, expect, test } from 'bun:test'
import { addToBloom, BLOOM_BYTES, openBloomBits } from '../chain/logs-bloom.ts'
import { Rejection } from '../errors.ts'
import type { LogKeys } from '../logs/log-filter.ts'
import { bloomMayMatch, logMatches, readLogFilter } from './read-log-filter.ts'

const word = (digit: string) => `0x${digit.repeat(64)}`
const address = (digit: string) => `0x${digit.repeat(40)}`
const [A, B, C] = [word('a'), word('b'), word('c')]

const filterOf = (value: unknown): LogKeys => {
  const filter = readLogFilter(value)
  if (filter instanceof Rejection) throw new Error(filter.message)
  return filter
}

describe('a filter of logs', () => {
  test.each([
    ['nothing said is anything', undefined, [A], true],
    ['an empty list of addresses is anything', { address: [] }, [A], true],
    ['another address', { address: address('2') }, [A], false],
    ['one of several addresses', { address: [address('2'), address('1')] }, [A], true],
    [
      'upper case is no difference',
      { address: `0x${'1'.repeat(40)}`, topics: [A.toUpperCase().replace('X', 'x')] },
      [A],
      true,
    ],
    ['the first topic', { topics: [A] }, [A, B], true],
    ['another first topic', { topics: [B] }, [A, B], false],
    ['alternatives, then anything', { topics: [[A, C], null] }, [C, B], true],
    ['null among alternatives is anything', { topics: [[A, null]] }, [C], true],
    ['an empty position is anything', { topics: [[], B] }, [A, B], true],
    ['more positions than the log has', { topics: [A, null] }, [A], false],
  ])('%s', (_, value, topics, expected) => {
    const log = { address: address('1'), topics }
    const filter = filterOf(value)
    expect(logMatches(filter, log)).toBe(expected)
    // What matches is never hidden by the bloom of its block.
    const bloom = new Uint8Array(BLOOM_BYTES)
    const bits = openBloomBits()
    for (const key of [log.address, ...topics]) addToBloom(bloom, key, bits)
    if (expected) expect(bloomMayMatch(filter, bloom, bits)).toBe(true)
  })

  test('an empty bloom has nothing that is named', () => {
    const bloom = new Uint8Array(BLOOM_BYTES)
    const bits = openBloomBits()
    expect(bloomMayMatch(filterOf({ address: address('1') }), bloom, bits)).toBe(false)
    expect(bloomMayMatch(filterOf({ topics: [null, A] }), bloom, bits)).toBe(false)
    expect(bloomMayMatch(filterOf({}), bloom, bits)).toBe(true)
  })

  test.each([
    [[], 'params[1] must be an object'],
    ['logs', 'params[1] must be an object'],
    [{ address: 1 }, 'address is no address'],
    [{ address: [address('1'), null] }, 'address[1] is no address'],
    [{ address: Array(1001).fill(address('1')) }, 'address may name at most 1000 addresses'],
    [{ topics: {} }, 'topics must be an array'],
    [{ topics: [{}] }, 'topics[0] is no topic'],
    [{ topics: [[[A]]] }, 'topics[0][0] is no topic'],
    [{ topics: [Array(1001).fill(A)] }, 'topics[0] may name at most 1000 topics'],
    [{ topics: Array(5).fill(null) }, 'topics may have at most 4 positions'],
  ])('%j is refused by its field', (value, what) => {
    const refused = readLogFilter(value)
    expect(refused).toBeInstanceOf(Rejection)
    expect((refused as Rejection).message).toBe(`Invalid params: ${what}.`)
  })
})
