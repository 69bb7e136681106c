import { describe, expect, test } from 'bun:test'
import { type Chance, seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { checkDestination, isForbiddenAddress } from './check-destination.ts'
import { parseIpAddress } from './ip-address.ts'

const ROUNDS = 200

/** Written down apart from the policy, from the registries and section 8 of the contract. */
const FORBIDDEN_V4 = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 100.100.100.200/32 127.0.0.0/8 168.63.129.16/32',
  '169.254.0.0/16 169.254.169.254/32 172.16.0.0/12 192.0.0.0/24 192.0.0.192/32 192.0.2.0/24',
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4',
  '240.0.0.0/4 255.255.255.255/32',
].flatMap((line) => line.split(' '))

const FORBIDDEN_V6 = [
  '::/128 ::1/128 ::/8 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64',
  '2001::/32 2001::/23 2001:2::/48 2001:10::/28 2001:20::/28 2001:db8::/32 2002::/16 3fff::/20',
  '3ffe::/16 4000::/2 5f00::/16 8000::/1 fc00::/7 fd00:ec2::254/128 fd20:ce::254/128 fe80::/10',
  'fec0::/10 ff00::/8',
].flatMap((line) => line.split(' '))

const PUBLIC_V4 = [
  '1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0',
  '168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0',
  '192.0.3.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0',
  '203.0.112.255 203.0.114.0 223.255.255.255 140.82.121.3 151.101.1.69',
].flatMap((line) => line.split(' '))

const PUBLIC_V6 = [
  '2606:4700:4700::1111 2001:4860:4860::8888 2a00:1450:4001:80b::200e 2620:fe::fe 2400:cb00::1',
  '2001:200::1 2001:db7::1 2001:db9::1 2003::1 3ffd::1 2600:1f18::5eff:1.2.3.4',
].flatMap((line) => line.split(' '))

/** An address of the block, all of its free bits by chance. */
function addressIn(block: string, chance: Chance): Uint8Array {
  const [base = '', bits] = block.split('/')
  const bytes = parseIpAddress(base)!
  for (let bit = Number(bits); bit < bytes.length * 8; bit++) {
    if (chance.fraction() < 0.5) bytes[bit >> 3]! ^= 0x80 >> (bit & 7)
  }
  return bytes
}

function v6Text(bytes: Uint8Array): string {
  const groups: string[] = []
  for (let at = 0; at < 16; at += 2) groups.push(((bytes[at]! << 8) | bytes[at + 1]!).toString(16))
  return groups.join(':')
}

/** Every way known to hide an IPv4 address in an IPv6 one. */
function carriersOf(bytes: Uint8Array): string[] {
  const dotted = bytes.join('.')
  const hex = Buffer.from(bytes)
    .toString('hex')
    .replace(/(....)(....)/, '$1:$2')
  return [
    `::${dotted}`,
    `::ffff:${dotted}`,
    `::ffff:${hex}`,
    `0:0:0:0:0:FFFF:${hex.toUpperCase()}`,
    `::ffff:0:${dotted}`,
    `64:ff9b::${dotted}`,
    `64:ff9b::${hex}`,
    `64:ff9b:1::${dotted}`,
    `2002:${hex}::1`,
    `2001:0:1:2:3:4:${hex}`,
    `fe80::5efe:${dotted}`,
    `2606:4700::5efe:${dotted}`,
    `2606:4700::200:5efe:${dotted}`,
  ]
}

/** The spellings that URL parsers and libc understand. */
function urlHostsOf(bytes: Uint8Array): string[] {
  const [a, b, c, d] = [...bytes] as [number, number, number, number]
  const whole = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
  const circled = (digits: string) => digits.replace(/[1-9]/g, (one) => '⓪①②③④⑤⑥⑦⑧⑨'[+one]!)
  return [
    `${a}.${b}.${c}.${d}`,
    `${a}.${b}.${c}.${d}.`,
    `${whole}`,
    `0x${whole.toString(16)}`,
    `0${whole.toString(8)}`,
    `${a}.${b}.${(c << 8) | d}`,
    `${a}.${(b << 16) | (c << 8) | d}`,
    `0x${a.toString(16)}.0${b.toString(8)}.${c}.0x0000${d.toString(16)}`,
    circled(`${a}.${b}.${c}.${d}`),
    `${a}。${b}．${c}.${d}`,
    `%3${`${a}`[0]}${`${a}`.slice(1)}.${b}.${c}.${d}`,
    ...carriersOf(bytes).map((carrier) => `[${carrier}]`),
  ]
}

describe('an address that deliveries may not go to', () => {
  test.each(FORBIDDEN_V4.map((block) => [block]))('is any of %s, however carried', (block) => {
    const chance = seededChance(21)
    for (let round = 0; round < ROUNDS; round++) {
      const bytes = addressIn(block, chance)
      expect(isForbiddenAddress(bytes.join('.'))).toBe(true)
      for (const carrier of carriersOf(bytes)) {
        expect([carrier, isForbiddenAddress(carrier)]).toEqual([carrier, true])
      }
      for (const host of urlHostsOf(bytes)) {
        expect([host, typeof checkDestination(`https://${host}/x`, false)]).toEqual([
          host,
          'string',
        ])
      }
    }
  })

  test.each(FORBIDDEN_V6.map((block) => [block]))('is any of %s', (block) => {
    const chance = seededChance(22)
    for (let round = 0; round < ROUNDS; round++) {
      const text = v6Text(addressIn(block, chance))
      expect([text, isForbiddenAddress(text)]).toEqual([text, true])
      expect(typeof checkDestination(`https://[${text}]:8443/x`, false)).toBe('string')
    }
  })

  test.each(['', 'example.com', '127.1', '010.8.8.8', '8.8.8.8 ', '[2606:4700::1]', '2606::1%0'])(
    'is whatever is not plainly an address: %s',
    (text) => {
      expect(isForbiddenAddress(text)).toBe(true)
    },
  )
})

describe('an address of the internet', () => {
  test.each([...PUBLIC_V4, ...PUBLIC_V6].map((one) => [one]))('is allowed: %s', (address) => {
    expect(isForbiddenAddress(address)).toBe(false)
    const host = address.includes(':') ? `[${address}]` : address
    expect(checkDestination(`http://${host}/hook`, false)).toBeInstanceOf(URL)
  })

  test('is allowed behind NAT64, which carries it', () => {
    for (const address of PUBLIC_V4) expect(isForbiddenAddress(`64:ff9b::${address}`)).toBe(false)
  })
})

describe('a destination', () => {
  test.each([
    ['https://example.com/hook?key=a%20b', 'https://example.com/hook?key=a%20b'],
    ['HTTP://Example.COM', 'http://example.com/'],
    ['https://example.com.:8443/', 'https://example.com:8443/'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://a_b.example.com/', 'https://a_b.example.com/'],
  ])('may be %s', (url, expected) => {
    expect(`${checkDestination(url, false)}`).toBe(expected)
  })

  test.each([
    ['ftp://example.com/', 'http'],
    ['file:///etc/passwd', 'http'],
    ['gopher://example.com/', 'http'],
    ['javascript:alert(1)', 'http'],
    ['//example.com/', 'http'],
    ['https:example.com', 'http'],
    ['https:/example.com', 'http'],
    ['example.com', 'http'],
    ['', 'http'],
    ['https://', 'not valid'],
    ['https://user@example.com/', 'credentials'],
    ['https://user:pass@example.com/', 'credentials'],
    ['https://:pass@example.com/', 'credentials'],
    ['https://example.com/#', 'fragment'],
    ['https://example.com#@127.0.0.1/', 'fragment'],
    ['https://example.com:0/', 'port 0'],
    ['https://example.com:65536/', 'not valid'],
    [' https://example.com/', 'spaces'],
    ['https://example.com/\n', 'spaces'],
    ['https://exam\tple.com/', 'spaces'],
    ['https://example.com\\@127.0.0.1/', 'backslashes'],
    ['https://example.com\u00ad/', 'invisible'],
    ['https://example.com/a b', 'spaces'],
    [`https://example.com/${'a'.repeat(2029)}`, '2048'],
    ['https://example..com/', 'not a valid name'],
    ['https://example.com../', 'not a valid name'],
    ['https://.example.com/', 'not a valid name'],
    ['https://./', 'not a valid name'],
    [`https://${'a'.repeat(64)}.com/`, 'not a valid name'],
    [`https://${'a.'.repeat(127)}com/`, 'not a valid name'],
    ['https://ex!ample.com/', 'not a valid name'],
    ['https://[fe80::1%25eth0]/', 'not valid'],
    ['https://1.2.3.4.5/', 'not valid'],
    ['https://300.1.1.1/', 'not valid'],
  ])('may never be %s', (url, rule) => {
    expect(checkDestination(url, false)).toContain(rule)
    expect(checkDestination(url, true)).toContain(rule)
  })

  test.each([
    ['http://localhost/', 'no dot'],
    ['http://LOCALHOST.:3000/', 'no dot'],
    ['http://metadata/', 'no dot'],
    ['http://instance-data/latest/', 'no dot'],
    ['http://receiver:8080/', 'no dot'],
    ['http://app.localhost/', 'this machine'],
    ['http://a.b.LocalHost./', 'this machine'],
    ['http://metadata.google.internal/computeMetadata/v1/', 'metadata'],
    ['http://METADATA.google.internal./', 'metadata'],
    ['http://metadata。google。internal/', 'metadata'],
    ['http://instance-data.ec2.internal/', 'metadata'],
    ['http://127.0.0.1:8080/', 'address'],
    ['http://169.254.169.254/latest/meta-data/', 'address'],
    ['http://[::1]/', 'address'],
    ['http://[::ffff:10.0.0.1]/', 'address'],
  ])('is %s only where private destinations are allowed', (url, rule) => {
    expect(checkDestination(url, false)).toContain(rule)
    expect(checkDestination(url, true)).toBeInstanceOf(URL)
  })

  test('of exactly 2048 characters is allowed', () => {
    expect(checkDestination(`https://example.com/${'a'.repeat(2028)}`, false)).toBeInstanceOf(URL)
  })
})
