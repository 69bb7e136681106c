import { expect, test } from 'bun:test'
import { chooseCoding } from './choose-coding.ts'

test.each([
  [null, null],
  ['', null],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['zstd', 'zstd'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'gzip'],
  ['deflate, br', null],
  ['zstd;q=0.5, gzip', 'gzip'],
  ['zstd;q=0.5, gzip;q=0.500', 'zstd'],
  ['gzip;q=0', null],
  ['gzip;q=0.000, *', 'zstd'],
  ['*', 'zstd'],
  ['*;q=0', null],
  ['*;q=0.1, zstd;q=0', 'gzip'],
  ['identity', null],
  ['identity;q=1, gzip;q=0.5', null],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
  ['gzip;q=2', null],
  ['gzip;q=-1', null],
  ['gzip;q=', null],
  ['gzip; Q=1', 'gzip'],
  ['gzip;level=9', 'gzip'],
  [';;,,=;q', null],
  [`${'a,'.repeat(5000)}gzip`, null],
] as const)('accept-encoding: %j is answered with %p', (header, coding) => {
  expect(chooseCoding(header)).toBe(coding)
})
