import { describe, expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigFaults, loadSettings, type Settings } from '../config.ts'
import { KNOWN_NETWORKS } from './known-networks.ts'
import { addressesAt, networksServed, parseVendorAddress } from './vendor-address.ts'
import { VENDORS } from './vendors.ts'

const KEY = 'aB3_-secret-key'

const folder = mkdtempSync(join(tmpdir(), 'headgate-'))

function load(yaml: string, env: Record<string, string> = {}): Settings | ConfigFaults {
  const file = join(folder, 'headgate.yaml')
  writeFileSync(file, yaml)
  return loadSettings({ file, env })
}

function settingsOf(loaded: Settings | ConfigFaults): Settings {
  if (loaded instanceof ConfigFaults) throw new Error(loaded.text)
  return loaded
}

/** The faults as they are printed, with the folder left out. */
function faultsOf(loaded: Settings | ConfigFaults): string {
  if (!(loaded instanceof ConfigFaults)) throw new Error('the configuration was accepted')
  expect(loaded.text).not.toContain(KEY)
  return loaded.text.replaceAll(`${folder}/`, '')
}

function addressesOf(text: string, networkId: string) {
  const address = parseVendorAddress(text)
  if (address === null || typeof address === 'string') throw new Error(`${address}`)
  return addressesAt(address, networkId)
}

describe('the key of a vendor becomes the addresses of a network', () => {
  test.each<[text: string, network: string, url: string, ws: string]>([
    ['alchemy://KEY', 'ETH_MAINNET', 'https://eth-mainnet.g.alchemy.com/v2/KEY', ''],
    ['alchemy://KEY', 'SOLANA_DEVNET', 'https://solana-devnet.g.alchemy.com/v2/KEY', ''],
    [
      'infura://KEY',
      'ETH_SEPOLIA',
      'https://sepolia.infura.io/v3/KEY',
      'wss://sepolia.infura.io/ws/v3/KEY',
    ],
    ['quicknode://calm-sea/KEY', 'ETH_MAINNET', 'https://calm-sea.quiknode.pro/KEY/', ''],
    [
      'quicknode://calm-sea/KEY/',
      'BASE_MAINNET',
      'https://calm-sea.base-mainnet.quiknode.pro/KEY/',
      '',
    ],
    ['helius://KEY', 'SOLANA_MAINNET', 'https://mainnet.helius-rpc.com/?api-key=KEY', ''],
    [
      'ankr://KEY',
      'MATIC_MAINNET',
      'https://rpc.ankr.com/polygon/KEY',
      'wss://rpc.ankr.com/polygon/ws/KEY',
    ],
    [
      'chainstack://arbitrum-mainnet/KEY',
      'ARB_MAINNET',
      'https://arbitrum-mainnet.core.chainstack.com/KEY',
      '',
    ],
    [
      'drpc://KEY',
      'OPT_MAINNET',
      'https://lb.drpc.org/ogrpc?network=optimism&dkey=KEY',
      'wss://lb.drpc.org/ogws?network=optimism&dkey=KEY',
    ],
  ])('%s on %s', (text, network, url, ws) => {
    expect(addressesOf(text, network)).toEqual({ url, ws: ws || url.replace('https', 'wss') })
  })

  test('every network of every vendor is known, and its addresses are complete', () => {
    for (const [name, { keyed, networks }] of Object.entries(VENDORS)) {
      for (const id of Object.keys(networks)) {
        expect(KNOWN_NETWORKS).toHaveProperty(id)
        const front = keyed === 'endpoint_and_key' ? 'calm-sea/' : ''
        const addresses = addressesOf(`${name}://${front}KEY`, id)
        expect(URL.parse(addresses?.url ?? '')?.protocol).toBe('https:')
        expect(URL.parse(addresses?.ws ?? '')?.protocol).toBe('wss:')
        expect(JSON.stringify(addresses)).not.toMatch(/[{}]\w*[{}]/)
      }
    }
  })

  test.each([
    'alchemy://',
    'alchemy:///',
    'alchemy://a/b',
    'alchemy://a b',
    'alchemy://a\nb',
    'alchemy://key?x=1',
    'alchemy://key#x',
    'alchemy://user:pass@host',
    'alchemy://$&',
    `alchemy://${'k'.repeat(257)}`,
    'quicknode://token',
    'quicknode://evil.example%2f/token',
    'quicknode://evil.example/token',
    'quicknode:///token',
    'quicknode://a/b/c',
    'chainstack://no-such-node/key',
    'helius://kéy',
  ])('%s is refused', (text) => {
    expect(parseVendorAddress(text)).toMatch(/^must (be written as|name a node of) /)
  })

  test.each([
    'https://x',
    'constructor://x',
    'Alchemy://x',
    'alchemyx://x',
    '',
    '://',
    'alchemy:/x',
  ])('%s is no vendor', (text) => {
    expect(parseVendorAddress(text)).toBeNull()
  })

  test('a key of one node is for one network', () => {
    const address = parseVendorAddress('chainstack://ethereum-sepolia/KEY')
    expect(address).not.toBeString()
    expect(networksServed(address as Exclude<typeof address, string | null>)).toEqual([
      'ETH_SEPOLIA',
    ])
  })
})

describe('vendors in one line', () => {
  test('five lines are a configuration with all networks that the vendors serve', () => {
    const five = ['alchemy://k', 'infura://k', 'drpc://k', 'ankr://k', 'helius://k']
    const { networks, local } = settingsOf(
      load(`upstreams:\n${five.map((line) => `  - ${line}\n`).join('')}`),
    )
    expect(local).toBe(false)
    expect(networks.map(({ id }) => id)).toEqual(Object.keys(KNOWN_NETWORKS))
    const eth = networks.find(({ id }) => id === 'ETH_MAINNET')
    expect(eth).toMatchObject({ kind: 'evm', chainId: 1, slug: 'eth-mainnet', headPollMs: 4000 })
    expect(eth?.upstreams.map(({ name }) => name)).toEqual(['alchemy', 'infura', 'drpc', 'ankr'])
    const solana = networks.find(({ id }) => id === 'SOLANA_MAINNET')
    expect(solana).toMatchObject({ kind: 'solana', headPollMs: 1000 })
    expect(solana?.upstreams.map(({ name }) => name)).toEqual(['alchemy', 'drpc', 'ankr', 'helius'])
  })

  test('a variable is enough', () => {
    const loaded = loadSettings({ env: { HEADGATE_UPSTREAMS: 'helius://k,helius://l' } })
    const { networks, local } = settingsOf(loaded)
    expect(local).toBe(false)
    expect(networks.map(({ id }) => id)).toEqual(['SOLANA_MAINNET', 'SOLANA_DEVNET'])
    expect(networks[0]?.upstreams).toMatchObject([
      { name: 'helius', priority: 0, url: 'https://mainnet.helius-rpc.com/?api-key=k' },
      { name: 'helius-2', url: 'https://mainnet.helius-rpc.com/?api-key=l' },
    ])
  })

  test('vendors join the networks that are configured, and no others', () => {
    const { networks } = settingsOf(
      load(`upstreams: [{ url: "alchemy://k", priority: 2, budget: { creditsPerMonth: 9 } }]
networks:
  - id: BASE_MAINNET
  - id: MY_ETH
    kind: evm
    chainId: 1
    upstreams: [{ name: alchemy, url: "http://own" }]
  - { id: DEV, kind: evm, chainId: 31337, upstreams: [{ name: a, url: "http://a" }] }
`),
    )
    expect(networks.map(({ upstreams }) => upstreams.map(({ name }) => name))).toEqual([
      ['alchemy'],
      ['alchemy', 'alchemy-2'],
      ['a'],
    ])
    // One key has one budget, whichever network it is used for.
    expect(networks[0]?.upstreams[0]).toMatchObject({ priority: 2, budget: { account: 'alchemy' } })
    expect(networks[1]?.upstreams[1]).toMatchObject({
      url: 'https://eth-mainnet.g.alchemy.com/v2/k',
      budget: { account: 'alchemy', creditsPerMonth: 9, credits: { default: 1 }, resetDay: 1 },
    })
  })

  test('an upstream of a network may be the key of a vendor, by its chain', () => {
    const { networks, locate } = settingsOf(
      load(`networks:
  - id: MY_SOLANA
    kind: solana
    genesisHash: EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG
    upstreams:
      - { name: h, url: "helius://k" }
      - { name: c, url: "chainstack://k", ws: "wss://own" }
`),
    )
    expect(networks[0]?.upstreams).toMatchObject([
      {
        url: 'https://devnet.helius-rpc.com/?api-key=k',
        ws: 'wss://devnet.helius-rpc.com/?api-key=k',
      },
      { url: 'https://solana-devnet.core.chainstack.com/k', ws: 'wss://own' },
    ])
    expect(locate('MY_SOLANA', 'c')).toEndWith(':7')
  })

  test('it can be told which line brought an upstream', () => {
    const { locate } = settingsOf(load('upstreams:\n  - infura://k\n  - drpc://k\n'))
    expect(locate('ETH_MAINNET', 'drpc')).toEndWith('headgate.yaml:3')
    expect(locate('ETH_MAINNET')).toEndWith('headgate.yaml:2')
  })
})

describe('a mistake with vendors is named with its place, and no key is shown', () => {
  test.each<[what: string, yaml: string, fault: string]>([
    [
      'a network that the vendor does not serve',
      `networks:\n  - { id: DEV, kind: evm, chainId: 5, upstreams: [{ name: a, url: "helius://${KEY}" }] }`,
      '2: networks[0].upstreams[0].url names helius, of which no address for DEV is known; those ' +
        'of SOLANA_MAINNET, SOLANA_DEVNET are',
    ],
    [
      'a vendor with a slip',
      `networks:\n  - { id: ETH_MAINNET, upstreams: [{ name: a, url: "alchmy://${KEY}" }] }`,
      '2: networks[0].upstreams[0].url must be an http or https address, or the key of a vendor; ' +
        'did you mean alchemy://?',
    ],
    [
      'a key with other characters',
      `upstreams:\n  - "alchemy://${KEY}?x"`,
      '2: upstreams[0] must be written as alchemy://KEY, with letters, digits, dashes and underscores',
    ],
    [
      'the address of a node among vendors',
      `upstreams:\n  - https://${KEY}.example`,
      '2: upstreams[0] must be the key of a vendor, such as alchemy://KEY',
    ],
    [
      'a key of one node for all networks',
      `upstreams:\n  - url: chainstack://${KEY}`,
      '2: upstreams[0].url must be written as chainstack://NODE/KEY: a key there is for one node',
    ],
    [
      'a vendor without a network',
      `upstreams: ["helius://${KEY}"]\nnetworks: [{ id: ETH_MAINNET, upstreams: [{ name: a, url: "http://a" }] }]`,
      '1: upstreams[0] names helius, which serves none of the networks that are configured',
    ],
    [
      'a network of which only the id is given',
      `upstreams: ["alchemy://${KEY}"]\nnetworks:\n  - id: NO_SUCH_NET`,
      '3: networks[0].kind is required: NO_SUCH_NET is not known by itself',
    ],
    [
      'a known network that nobody serves',
      `upstreams: ["helius://${KEY}"]\nnetworks:\n  - id: SOLANA_MAINNET\n  - id: ETH_MAINNET`,
      '4: networks[1].upstreams is required',
    ],
    ['no vendor at all', 'upstreams: []', '1: upstreams must have at least one entry'],
    [
      'an option that vendors do not have',
      `upstreams:\n  - { url: "alchemy://${KEY}", headers: {} }`,
      '2: upstreams[0].headers is not an option',
    ],
  ])('%s', (_, yaml, fault) => {
    expect(faultsOf(load(yaml))).toContain(fault)
  })
})
