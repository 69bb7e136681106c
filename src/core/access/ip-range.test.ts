import { describe, expect, test } from 'bun:test'
import { clientAddressBytes, ipRangeText, isInRange, parseIpRange } from './ip-range.ts'

function allows(range: string, address: string): boolean {
  const [parsed, bytes] = [parseIpRange(range), clientAddressBytes(address)]
  if (!parsed || !bytes) throw new Error('not an address')
  return isInRange(bytes, parsed)
}

describe('a range of addresses', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7/32', '203.0.113.7'],
    ['203.0.113.7/24', '203.0.113.0/24'],
    ['10.255.255.255/9', '10.128.0.0/9'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:40::/48', '2001:db8:40::/48'],
    ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8::1/128', '2001:db8::1'],
    ['::/0', '::/0'],
    ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
  ])('%s is kept as %s', (written, usual) => {
    const range = parseIpRange(written)
    expect(range && ipRangeText(range)).toBe(usual)
    expect(parseIpRange(usual)).toEqual(range)
  })

  test.each([
    ['203.0.113.0/24', '203.0.113.255', true],
    ['203.0.113.0/24', '203.0.114.0', false],
    ['10.128.0.0/9', '10.127.255.255', false],
    ['10.128.0.0/9', '10.128.0.0', true],
    ['203.0.113.7', '203.0.113.6', false],
    ['203.0.113.0/24', '::ffff:203.0.113.9', true],
    ['::ffff:203.0.113.0/120', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '203.0.113.9', false],
    ['2001:db8:40::/48', '2001:db8:40:ffff::1', true],
    ['2001:db8:40::/48', '2001:db8:41::1', false],
    ['fe80::/10', 'fe80::1%eth0', true],
  ])('%s and %s: %p', (range, address, expected) => {
    expect(allows(range, address)).toBe(expected)
  })

  test.each([
    '',
    '/',
    '/24',
    '203.0.113.0/',
    '203.0.113.0/33',
    '203.0.113.0/-1',
    '203.0.113.0/+1',
    '203.0.113.0/08',
    '203.0.113.0/24/24',
    '203.0.113.0/255.255.255.0',
    '203.0.113',
    '203.0.113.256',
    '203.0.113.07',
    '0x7f.0.0.1',
    '2130706433',
    '2001:db8::/129',
    '2001:db8:::1',
    '[2001:db8::1]',
    'fe80::1%eth0',
    'localhost',
    '203.0.113.0 /24',
    `${'1'.repeat(10_000)}/8`,
  ])('%p is none', (text) => expect(parseIpRange(text)).toBeNull())
})
