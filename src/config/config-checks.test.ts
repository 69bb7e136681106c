import { describe, expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigFaults, loadSettings, type Settings } from './config.ts'

type Env = Record<string, string>

const folder = mkdtempSync(join(tmpdir(), 'headgate-'))

const NETWORKS = `networks:
  - id: ETH_MAINNET
    kind: evm
    chainId: 1
    upstreams:
      - { name: node-a, url: "http://10.0.0.5:8545" }
      - name: node-b
        url: http://10.0.0.6:8545
`

function load(yaml: string, env: Env = {}): Settings | ConfigFaults {
  const file = join(folder, 'headgate.yaml')
  writeFileSync(file, yaml)
  return loadSettings({ file, env })
}

/** The faults as they are printed, with the folder left out. */
function faultsOf(loaded: Settings | ConfigFaults): string[] {
  if (!(loaded instanceof ConfigFaults)) throw new Error('the configuration was accepted')
  return loaded.text.split('\n').map((line) => line.replace(`${folder}/`, ''))
}

describe('a mistake is named with its place', () => {
  const ETH = 'id: ETH, kind: evm, chainId: 1, upstreams: [{ name: a, url: "http://a" }]'
  const network = (more: string) => `networks:\n  - { ${ETH} }\n  - { ${more} }`
  const own = (more: string) => `${NETWORKS}${more}`

  test.each<[what: string, yaml: string, fault: string]>([
    ['an unknown option', own('listne: x'), '9: listne is not an option; did you mean listen?'],
    [
      'an unknown inner option',
      own('webhooks:\n  timeout: 1'),
      '10: webhooks.timeout is not an option; did you mean timeoutMs?',
    ],
    [
      'a wrong type',
      NETWORKS.replace('chainId: 1', 'chainId: one'),
      '4: networks[0].chainId must be a whole number',
    ],
    ['an empty section', own('webhooks:\n'), '9: webhooks must be an object'],
    ['no networks', 'listen: 127.0.0.1:80', '1: networks is required: only a start'],
    ['an empty file', '', '1: networks is required'],
    ['an empty list of networks', 'networks: []', '1: networks must have at least one entry'],
    ['no upstreams', network('id: B, kind: solana'), '3: networks[1].upstreams is required'],
    [
      'an empty list of upstreams',
      network('id: B, kind: solana, upstreams: []'),
      '3: networks[1].upstreams must have at least one entry',
    ],
    [
      'a small-letter id',
      network(ETH.replace('ETH', 'eth')),
      '3: networks[1].id must be capital letters',
    ],
    [
      'a doubled id',
      network(ETH),
      '3: networks[1].id repeats ETH, which networks[0].id has already',
    ],
    [
      'a doubled slug',
      network(ETH.replace('ETH', 'B, slug: eth')),
      '3: networks[1].slug repeats eth, which networks[0].slug has already',
    ],
    [
      'a doubled upstream',
      NETWORKS.replace('node-b', 'node-a'),
      '7: networks[0].upstreams[1].name repeats node-a',
    ],
    [
      'evm without a chain id',
      network(ETH.replace('ETH', 'B').replace('chainId: 1,', '')),
      '3: networks[1].chainId is required for an evm network',
    ],
    [
      'evm with a genesis hash',
      network(`${ETH.replace('ETH', 'B')}, genesisHash: ${'A'.repeat(32)}`),
      '3: networks[1].genesisHash is only for solana networks',
    ],
    [
      'solana with a chain id',
      network(ETH.replace('ETH', 'B').replace('evm', 'solana')),
      '3: networks[1].chainId is only for evm networks',
    ],
    [
      'a proof that is insisted on where there is none',
      network(`${ETH.replace('ETH', 'B').replace('chainId: 1', 'chainId: 137')}, verify: receipts`),
      '3: networks[1].verify must not be receipts on this chain: polygon_state_sync',
    ],
    [
      'an unknown way to verify',
      network(`${ETH.replace('ETH', 'B')}, verify: logs`),
      '3: networks[1].verify must be one of auto, receipts, off',
    ],
    [
      'a proof of solana',
      network('id: B, kind: solana, verify: receipts, upstreams: [{ name: a, url: "http://a" }]'),
      '3: networks[1].verify is only for evm networks',
    ],
    [
      'another kind of network',
      network(ETH.replace('evm', 'btc')),
      '3: networks[1].kind must be one of evm, solana',
    ],
    [
      'an id that makes no slug',
      network(ETH.replace('ETH', 'B_')),
      '3: networks[1].slug is required, as B_ cannot stand in a URL',
    ],
    [
      'an upstream that is not http',
      NETWORKS.replace('http://10.0.0.6', 'ws://10.0.0.6'),
      '8: networks[0].upstreams[1].url must be an http or https address',
    ],
    [
      'an upstream that is no address',
      NETWORKS.replace('http://10.0.0.6:8545', 'node-b'),
      '8: networks[0].upstreams[1].url must be an http or https address',
    ],
    [
      'a password with a bare percent sign',
      NETWORKS.replace('http://10.0.0.6', 'http://user:50%off@10.0.0.6'),
      '8: networks[0].upstreams[1].url must have a user and password with each % written as %25',
    ],
    [
      'a socket that is not ws',
      `${NETWORKS}        ws: http://x`,
      '9: networks[0].upstreams[1].ws must be a ws or wss address',
    ],
    [
      'a socket that is no address',
      `${NETWORKS}        ws: node-b`,
      '9: networks[0].upstreams[1].ws must be a ws or wss address',
    ],
    [
      'a password of a socket with a bare percent sign',
      `${NETWORKS}        ws: ws://user:50%off@x`,
      '9: networks[0].upstreams[1].ws must have a user and password with each % written as %25',
    ],
    [
      'a header of two lines',
      `${NETWORKS}        headers: { a: "b\\r\\nc: d" }`,
      '9: networks[0].upstreams[1].headers.a must be one line of printable ASCII',
    ],
    [
      'a header with a strange name',
      `${NETWORKS}        headers: { "a b": c }`,
      '9: networks[0].upstreams[1].headers["a…"] must be the name of an HTTP header',
    ],
    ['no roles', own('roles: []'), '9: roles must have at least one entry'],
    [
      'an unknown role',
      own('roles: [gateway, cook]'),
      '9: roles[1] must be one of gateway, follower, courier, api',
    ],
    ['a doubled role', own('roles: [api, api]'), '9: roles[1] repeats an earlier entry'],
    ['a short secret', own('secret: abcdef'), '9: secret must be 64 hex digits'],
    [
      'a price for a strange name',
      own('prices: { "eth call": { cu: 1 } }'),
      '9: prices["eth…"] must be named after a method',
    ],
    [
      'a price finer than a hundredth',
      own('prices: { eth_call: { cu: 0.125 } }'),
      '9: prices.eth_call.cu must have at most two decimals',
    ],
    [
      'a new tier without limits',
      own('tiers: { gold: { paid: true } }'),
      '9: tiers.gold.monthlyCu is required',
    ],
    [
      'a tier without any throughput',
      own('tiers: { free: { cuPerSecond: 0 } }'),
      '9: tiers.free.cuPerSecond must be at least 1',
    ],
    [
      'a tier called __proto__',
      own('tiers: { __proto__: { monthlyCu: 1, cuPerSecond: 1 } }'),
      '9: tiers.__proto__ must be named in lower-case letters',
    ],
    [
      'an option called __proto__',
      own('__proto__: { local: true }'),
      '9: __proto__ is not an option',
    ],
    [
      'a public address with a path',
      own('publicUrl: http://a/b'),
      '9: publicUrl must be a scheme, a host and a port',
    ],
    [
      'a public address with a password',
      own('publicUrl: http://a:b@c'),
      '9: publicUrl must be a scheme, a host and a port',
    ],
    [
      'a public address of another sort',
      own('publicUrl: ftp://a'),
      '9: publicUrl must be an http or https address',
    ],
    [
      'a domain with a port',
      own('domain: a.example:80'),
      '9: domain must be a lower-case host name',
    ],
    [
      'a database of another sort',
      own('database: mysql://x'),
      '9: database must be a postgres:// address',
    ],
    [
      'a database without a secret',
      own('database: postgres://x/y'),
      '1: secret is required with database, and must be the same in every process',
    ],
    ['broken YAML', own('roles: [api'), '9: '],
  ])('%s', (_, yaml, fault) => {
    expect(faultsOf(load(yaml))[0]).toStartWith(`headgate.yaml:${fault}`)
  })

  test.each([
    '8080',
    'localhost',
    ':8080',
    'a:b',
    '1.2.3.4:65536',
    '::1:80',
    '[::g]:80',
    'a/b:1',
    '[]:1',
  ])('listen does not take %s', (listen) => {
    expect(faultsOf(loadSettings({ env: { HEADGATE_LISTEN: listen } }))).toEqual([
      'HEADGATE_LISTEN: listen must be host:port or [IPv6]:port, such as 127.0.0.1:8080',
    ])
  })

  test.each(['v2', 'api', 'healthz', 'readyz', 'metrics', 'docs', 'assets'])(
    'a network must not be called %s, as a path of ours is',
    (slug) => {
      const env = { HEADGATE_NETWORKS_ETH_MAINNET_SLUG: slug }
      expect(faultsOf(load(NETWORKS, env))).toEqual([
        `HEADGATE_NETWORKS_ETH_MAINNET_SLUG: networks[0].slug must not be ${slug}: ` +
          'a path of ours has that name',
      ])
      expect(faultsOf(load(NETWORKS.replace('ETH_MAINNET', slug.toUpperCase())))).toHaveLength(1)
    },
  )

  test('a variable is named instead of a line when it is the one that is wrong', () => {
    const env = { HEADGATE_WEBHOOKS_RETRY_DELAYS_MS: '1,x', HEADGATE_COLOUR: 'red' }
    expect(faultsOf(load(NETWORKS, env))).toEqual([
      'HEADGATE_COLOUR: HEADGATE_COLOUR is not an option',
      'HEADGATE_WEBHOOKS_RETRY_DELAYS_MS: webhooks.retryDelaysMs[1] must be a whole number',
    ])
  })

  test('a file that is not there', () => {
    expect(faultsOf(loadSettings({ file: `${folder}/absent.yaml`, env: {} }))).toEqual([
      'absent.yaml: the configuration file cannot be read (ENOENT)',
    ])
  })
})

test('credentials never appear in what is said about a mistake', () => {
  const secret = 'hunter2'
  const url = `ftp://user:${secret}@node`
  const node = 'HEADGATE_NETWORKS_ETH_MAINNET_UPSTREAMS_NODE_A'
  const mistakes: [yaml: string, env: Env][] = [
    [NETWORKS.replaceAll(/http:\/\/10.0.0.\d:8545/g, url), {}],
    [`${NETWORKS}secret: ${secret}\ndatabase: ${url}\nnats: ${url}`, {}],
    [`${NETWORKS}        headers: { a: "${secret}\\n" }`, {}],
    [`${NETWORKS}        headers: [${secret}]`, {}],
    [`${NETWORKS}        ws:${url}\n        traces: true`, {}],
    ['networks: [{ id: A, kind: evm, upstreams: [{ name: a, url:http://hunter2 }] }]', {}],
    [`networks: [{ id: A, kind: evm, upstreams: [${url}] }]`, {}],
    [NETWORKS, { HEADGATE_SECRET: secret, HEADGATE_DATABASE: url, HEADGATE_NATS: url }],
    [NETWORKS, { [`${node}_URL`]: url, [`${node}_WS`]: url }],
    [NETWORKS, { [`${node}_HEADERS`]: `{"a": "${secret}` }],
    [NETWORKS, { [`${node}_HEADERS`]: secret, HEADGATE_NETWORK: `[{"url": "${url}"}]` }],
  ]
  for (const [yaml, env] of mistakes) expect(faultsOf(load(yaml, env)).join()).not.toContain(secret)
})
