import { type Chance, seededChance } from '../basics/seeded-chance.ts'

/** A request that began as a good one. */
export type MutatedRequest = {
  method: string
  path: string
  headers: Record<string, string>
  body: Uint8Array | null
}

const KNUTH = 0x9e3779b1
const MUTATIONS_MAX = 4
const HUGE_BYTES = 2.7 * 1024 * 1024

const GOOD_BODIES = [
  '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
  '{"jsonrpc":"2.0","id":"a","method":"eth_getBalance","params":["0x00","latest"]}',
  '{"jsonrpc":"2.0","id":7,"method":"eth_getBlockByNumber","params":["0x10",false]}',
  '{"jsonrpc":"2.0","id":-1,"method":"eth_call","params":[{"to":"0x00","data":"0x"},"latest"]}',
  '{"jsonrpc":"2.0","id":2,"method":"eth_getLogs","params":[{"fromBlock":"0x1","topics":[[],null]}]}',
  '{"jsonrpc":"2.0","id":3,"method":"eth_sendRawTransaction","params":["0x02f86b"]}',
  '{"jsonrpc":"2.0","id":4,"method":"eth_newFilter","params":[{}]}',
  '{"jsonrpc":"2.0","id":5,"method":"eth_getFilterChanges","params":["0xf0000001"]}',
  '{"jsonrpc":"2.0","id":6,"method":"eth_getTransactionReceipt","params":["0xab"]}',
  '{"jsonrpc":"2.0","id":8,"method":"eth_feeHistory","params":["0x4","latest",[1.5]]}',
  '[{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice"},{"jsonrpc":"2.0","id":2,"method":"eth_chainId"}]',
  '[{"jsonrpc":"2.0","id":1,"method":"odd_get1","params":[]},1,null,{"id":{}}]',
]

/** Values that are JSON and that parsers, sums and look-ups trip over all the same. */
const HOSTILE_VALUES = [
  'null',
  'true',
  '{}',
  '[]',
  '""',
  '-0',
  '1e400',
  '-1e400',
  '1E-400',
  '0.1',
  '18446744073709551616',
  '9'.repeat(400),
  '"\\ud800"',
  '"\\u0000"',
  '"__proto__"',
  '{"__proto__":{"jsonrpc":"2.0"}}',
  '"constructor"',
  '"toString"',
  '"0xffffffffffffffffffffffffffffffff"',
  '"latest"',
  '"2.0"',
  '"é日本🎉\u2028"',
  `${'['.repeat(70)}${']'.repeat(70)}`,
  `${'{"a":'.repeat(80)}1${'}'.repeat(80)}`,
  '"id"',
  '"params"',
]

const HOSTILE_TOKENS = [...HOSTILE_VALUES, '00', '\ufeff', '\\', '"', '\u0000', 'NaN', '/**/']

const METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

const MEDIA_TYPES = [
  'application/json',
  'application/json;charset=utf-8',
  'text/plain',
  'APPLICATION/JSON ; x="',
  'application/',
  '+json',
  ';',
  'x'.repeat(2000),
]

const EXTRA_HEADERS: [name: string, value: string][] = [
  ['authorization', 'Bearer'],
  ['authorization', 'Bearer ...'],
  ['authorization', 'Basic OjpA'],
  ['x-forwarded-for', ',,,"'],
  ['content-encoding', 'gzip'],
  ['accept-encoding', 'br, *;q=0'],
  ['origin', 'null'],
  ['access-control-request-headers', 'x, y'],
  ['host', 'eth-mainnet.localhost'],
  ['host', '...'],
  ['host', 'eth-mainnet.localhost.evil.example:99999'],
  ['x-service-token', '-'],
  ['range', 'bytes=0-1'],
  ['if-none-match', '*'],
  ['cookie', '=;=;'],
]

/** The request of one case; the same seed and case give the same one. */
export function mutatedRequest(seed: number, at: number, key: string): MutatedRequest {
  const chance = seededChance(Math.imul(seed, KNUTH) ^ at)
  // Half of all cases change the body alone, or nothing else would ever be reached.
  const bodyOnly = chance.fraction() < 0.5
  const method = bodyOnly || chance.fraction() < 0.8 ? 'POST' : chance.pick(METHODS)
  const hasBody = method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS'
  return {
    method,
    path: bodyOnly ? `/eth-mainnet/v2/${key}` : mutatedPath(chance, key),
    headers: bodyOnly ? { 'content-type': 'application/json' } : mutatedHeaders(chance),
    body: hasBody ? mutatedBody(chance) : null,
  }
}

function mutatedPath(chance: Chance, key: string): string {
  const usual = `/eth-mainnet/v2/${key}`
  return chance.pick([
    usual,
    usual,
    usual,
    '/eth-mainnet/v2',
    '/eth-mainnet/v2/',
    `/v2/${key}`,
    '/v2',
    `/ETH-MAINNET/v2/${key}`,
    `/eth-mainnet/v2/${key.slice(0, chance.between(0, 31))}`,
    `/eth-mainnet/v2/${key}${randomText(chance, 8)}`,
    `/${randomText(chance, 12)}/v2/${randomText(chance, 40)}`,
    `/eth-mainnet/v2/${'a'.repeat(chance.between(0, 6000))}`,
    `/constructor/v2/${key}`,
    '/eth-mainnet/v2/demo',
    `${usual}?${randomText(chance, 30)}`,
    `/eth-mainnet//v2/${key}`,
  ])
}

/** Visible characters that an URL may hold as they stand, and a few escapes. */
function randomText(chance: Chance, lengthMax: number): string {
  const parts = ['a', 'Z', '0', '-', '.', '_', '~', '%00', '%2f', '%ff', '%', "'", ':', '@']
  return Array.from({ length: chance.between(0, lengthMax) }, () => chance.pick(parts)).join('')
}

function mutatedHeaders(chance: Chance): Record<string, string> {
  const headers: Record<string, string> = {}
  if (chance.fraction() < 0.9) headers['content-type'] = chance.pick(MEDIA_TYPES)
  for (let more = chance.between(0, 2); more > 0; more--) {
    const [name, value] = chance.pick(EXTRA_HEADERS)
    headers[name] = value
  }
  return headers
}

function mutatedBody(chance: Chance): Uint8Array {
  let text = chance.pick(GOOD_BODIES)
  if (chance.fraction() < 0.1) text = text.replace(/eth_\w+/, `odd_get${chance.between(0, 9)}`)
  // A body that is still JSON gets further in than one that is not.
  if (chance.fraction() < 0.4) return new TextEncoder().encode(replaceValue(chance, text))
  for (let more = chance.between(0, MUTATIONS_MAX); more > 0; more--) {
    text = chance.pick([replaceToken, insertToken, truncate, repeat, wrap])(chance, text)
  }
  if (chance.fraction() < 0.0005) text = text.padEnd(HUGE_BYTES)
  const bytes = new TextEncoder().encode(text)
  if (chance.fraction() < 0.3) flipBytes(chance, bytes)
  return bytes
}

function replaceToken(chance: Chance, text: string): string {
  const tokens = [...text.matchAll(/"[^"]*"|-?\d+|true|false|null|[[\]{},:]/g)]
  if (tokens.length === 0) return chance.pick(HOSTILE_TOKENS)
  const { index, 0: token } = chance.pick(tokens)
  return text.slice(0, index) + chance.pick(HOSTILE_TOKENS) + text.slice(index + token.length)
}

function replaceValue(chance: Chance, text: string): string {
  const found = [...text.matchAll(/"[^"]*":?|-?\d+|\[\]|\{\}/g)]
  const values = found.filter(([token]) => !token.endsWith(':'))
  const { index, 0: value } = chance.pick(values)
  return text.slice(0, index) + chance.pick(HOSTILE_VALUES) + text.slice(index + value.length)
}

function insertToken(chance: Chance, text: string): string {
  const at = chance.between(0, text.length)
  return text.slice(0, at) + chance.pick(HOSTILE_TOKENS) + text.slice(at)
}

function truncate(chance: Chance, text: string): string {
  return text.slice(chance.pick([0, 0, 0, 1]), chance.between(0, text.length))
}

function repeat(chance: Chance, text: string): string {
  const times = chance.between(2, 6)
  return chance.pick([`[${Array(times).fill(text).join()}]`, text.repeat(times)])
}

function wrap(chance: Chance, text: string): string {
  const depth = chance.between(1, 70)
  return '['.repeat(depth) + text + ']'.repeat(depth)
}

function flipBytes(chance: Chance, bytes: Uint8Array): void {
  if (bytes.length === 0) return
  for (let more = chance.between(1, 4); more > 0; more--) {
    bytes[chance.between(0, bytes.length - 1)] = chance.between(0, 255)
  }
}
