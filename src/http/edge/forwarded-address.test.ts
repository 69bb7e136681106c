import { expect, test } from 'bun:test'
import { forwardedAddress } from './forwarded-address.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:5555', '203.0.113.7'],
  ['10.0.0.1, 203.0.113.7:1', '203.0.113.7'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['::ffff:203.0.113.7', '::ffff:203.0.113.7'],
  ['203.0.113.7,', null],
  ['', null],
  [null, null],
  ['unknown', null],
  ['_hidden:12', null],
  ['203.0.113.7:port', null],
  ['203.0.113.7:123456', null],
  ['[2001:db8::1', null],
  ['999.0.0.1', null],
  [`${'1'.repeat(100_000)}`, null],
])('x-forwarded-for: %j names %p', (header, address) => {
  expect(forwardedAddress(header)).toBe(address)
})
