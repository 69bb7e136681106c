import { type IpRange, isInRange, parseIpRange } from '../access/ip-range.ts'
import { assert } from '../errors.ts'
import { parseIpAddress } from './ip-address.ts'

/** One reason for all, so that nobody learns which names of an inner network there are. */
export const NO_USABLE_ADDRESS =
  'it must be http or https, without credentials, and lead to a public address'

const URL_LENGTH_MAX = 2048
const HOST_LENGTH_MAX = 253
const LABEL = /^[a-z0-9_-]{1,63}$/

// Characters that a URL parser drops silently, so that two readers may see two addresses.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the point.
const UNSEEN = /[\u0000-\u0020\u007f-\u00a0\u00ad\u2028\u2029\ufeff]|\\/

/** Names that mean the machine itself or its cloud's metadata, whatever they resolve to. */
const FORBIDDEN_NAMES = new Set([
  'metadata.google.internal',
  'metadata.goog',
  'instance-data.ec2.internal',
])

/** Blocks of the IANA special-purpose registry, and those that clouds use for themselves. */
const FORBIDDEN_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // Carriers' networks; Alibaba's metadata too.
  '127.0.0.0/8',
  '168.63.129.16/32', // Azure's metadata: among public addresses, but answering from inside.
  '169.254.0.0/16', // Link-local; the metadata of AWS, Google and Azure.
  '172.16.0.0/12',
  '192.0.0.0/24', // Protocol assignments; Oracle's metadata too.
  '192.0.2.0/24',
  '192.88.99.0/24', // Relays of 6to4.
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map(block)

/** All that is routed on the internet. Every other IPv6 address is refused unlooked at. */
const GLOBAL_V6 = block('2000::/3')

const FORBIDDEN_V6 = [
  '2001::/23', // Protocol assignments: Teredo, benchmarks, ORCHID.
  '2001:db8::/32',
  '2002::/16', // 6to4 carries any IPv4 address.
  '3ffe::/16', // The 6bone, given back.
  '3fff::/20',
].map(block)

/** Behind DNS64 every IPv4 destination looks like this, so it is judged by what it carries. */
const NAT64 = block('64:ff9b::/96')
const NAT64_V4_AT = 12

/**
 * The destination as it will be connected to, or the rule that it breaks. Names are resolved
 * later and each address vetted then; an address in the URL itself is vetted here.
 */
export function checkDestination(url: string, allowPrivate: boolean): URL | string {
  if (url.length > URL_LENGTH_MAX) return `the URL is longer than ${URL_LENGTH_MAX} characters`
  if (UNSEEN.test(url)) return 'the URL has spaces, backslashes or invisible characters in it'
  if (url.includes('#')) return 'the URL has a fragment'
  if (!/^https?:\/\//i.test(url)) return 'the URL does not begin with http:// or https://'
  const parsed = URL.parse(url)
  if (!parsed) return 'the URL is not valid'
  if (parsed.username !== '' || parsed.password !== '') return 'the URL has credentials in it'
  if (parsed.port === '0') return 'the URL names port 0'

  const literal = addressInHost(parsed.hostname)
  if (literal !== null) {
    if (allowPrivate || !isForbiddenAddress(literal)) return parsed
    return NO_USABLE_ADDRESS
  }

  // A name with a dot at its end is the same name, but neither to certificates nor to rules.
  const name = parsed.hostname.replace(/\.$/, '')
  const broken = brokenNameRule(name, allowPrivate)
  if (broken !== null) return broken
  parsed.hostname = name
  return parsed
}

/** True for what deliveries must not connect to, and for all that is not plainly an address. */
export function isForbiddenAddress(ip: string): boolean {
  const bytes = parseIpAddress(ip)
  return bytes === null || isForbidden(bytes)
}

function isForbidden(bytes: Uint8Array): boolean {
  if (bytes.length === 4) return FORBIDDEN_V4.some((one) => isInRange(bytes, one))
  if (isInRange(bytes, NAT64)) return isForbidden(bytes.subarray(NAT64_V4_AT))
  if (!isInRange(bytes, GLOBAL_V6)) return true
  return FORBIDDEN_V6.some((one) => isInRange(bytes, one)) || isIsatap(bytes)
}

/** ISATAP puts any IPv4 address behind 5efe, under every prefix. */
function isIsatap(bytes: Uint8Array): boolean {
  const [flags = 0, zero, high, low] = bytes.subarray(8, 12)
  return (flags & 0xfc) === 0 && zero === 0 && high === 0x5e && low === 0xfe
}

/** The address that a parsed host is, without brackets; null when it is a name. */
function addressInHost(host: string): string | null {
  if (host.startsWith('[')) return host.slice(1, -1)
  // The URL parser has turned every IPv4 form into the dotted one by now.
  return parseIpAddress(host) ? host : null
}

function brokenNameRule(name: string, allowPrivate: boolean): string | null {
  const labels = name.split('.')
  if (name.length > HOST_LENGTH_MAX || !labels.every((label) => LABEL.test(label))) {
    return 'the host of the URL is not a valid name'
  }
  if (allowPrivate) return null
  // Such a name is looked up in our own network: "localhost", "metadata", "instance-data".
  if (labels.length === 1) return 'the host of the URL has no dot in it'
  if (labels.at(-1) === 'localhost') return 'the host of the URL is this machine'
  if (FORBIDDEN_NAMES.has(name)) return 'the host of the URL is a metadata service'
  return null
}

function block(text: string): IpRange {
  const range = parseIpRange(text)
  assert(range !== null, 'a block is written as an address and a number of bits')
  return range
}
