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

function settingsOf(loaded: Settings | ConfigFaults): Settings {
  if (loaded instanceof ConfigFaults) throw new Error(loaded.text)
  return loaded
}

describe('without a file', () => {
  const settings = settingsOf(loadSettings({ env: {} }))

  test('the service starts in local development, with every default of the contract', () => {
    const { locate, locateOption, tiers, ...plain } = settings
    expect(plain).toEqual({
      local: true,
      listen: { host: '127.0.0.1', port: 8080 },
      publicUrl: 'http://localhost:8080',
      publicUrlGiven: false,
      domain: 'localhost',
      data: './data',
      postgres: { connectionsMax: 10, transactionPooler: false },
      roles: ['gateway', 'follower', 'courier', 'api'],
      trustProxy: false,
      demoKey: true,
      gateway: { workers: 1 },
      log: { requests: true, format: 'auto' },
      limits: {
        bodiesBytesMax: 268_435_456,
        bodyMs: 15_000,
        unreadBytesMax: 536_870_912,
        unreadMs: 60_000,
        appWebSocketsMax: 200,
        subscriptionsMax: 1000,
      },
      metrics: {},
      tokenHeaders: ['X-Alchemy-Token'],
      networks: [],
      nats: null,
      prices: {},
      cache: { maxBytes: 67_108_864, latestMaxAgeMs: 1000 },
      webhooks: {
        allowPrivateDestinations: true,
        timeoutMs: 5000,
        retryDelaysMs: [15_000, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000],
      },
      programAccounts: {
        pageLimit: 100_000,
        defaultEncoding: 'json',
        pageKeyMs: 600_000,
        scansMax: 4,
        spillBytesMax: 4_294_967_296,
        index: [],
      },
      devnet: {
        blockTimeMs: 2000,
        transactionsPerBlock: 6,
        slotTimeMs: 400,
        upstreams: 3,
        tokenAccounts: 20_000,
        changesPerSlot: 8,
      },
    })
    expect(locate('ETH_DEVNET')).toBe('configuration')
    expect(locateOption('tiers')).toBe('configuration')
    expect([...tiers.values()]).toEqual([
      {
        name: 'free',
        monthlyCu: 30_000_000,
        cuPerSecond: 500,
        paid: false,
        webhooksMax: 100,
        variableItemsMax: 1_000_000,
        undeliveredBytesMax: 67_108_864,
      },
      {
        name: 'growth',
        monthlyCu: 3e8,
        cuPerSecond: 10_000,
        paid: true,
        webhooksMax: 100,
        variableItemsMax: 10_000_000,
        undeliveredBytesMax: 1_073_741_824,
      },
      {
        name: 'enterprise',
        monthlyCu: null,
        cuPerSecond: null,
        paid: true,
        webhooksMax: 100,
        variableItemsMax: 100_000_000,
        undeliveredBytesMax: 17_179_869_184,
      },
    ])
  })

  test('variables still count', () => {
    const env = { HEADGATE_LISTEN: '0.0.0.0:0', HEADGATE_WEBHOOKS_TIMEOUT_MS: '900' }
    const { listen, publicUrl, webhooks, local } = settingsOf(loadSettings({ env }))
    expect(local).toBe(true)
    expect(listen).toEqual({ host: '0.0.0.0', port: 0 })
    expect(publicUrl).toBe('http://localhost:0')
    expect(webhooks).toMatchObject({ allowPrivateDestinations: true, timeoutMs: 900 })
  })

  test('private destinations can be forbidden in local development too', () => {
    const env = { HEADGATE_WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'false' }
    expect(settingsOf(loadSettings({ env })).webhooks.allowPrivateDestinations).toBe(false)
  })

  test('HEADGATE_NETWORKS makes it an installation like one with a file', () => {
    const upstreams = [{ name: 'n', url: 'http://n' }]
    const networks = JSON.stringify([{ id: 'BASE', kind: 'evm', chainId: 8453, upstreams }])
    const loaded = settingsOf(loadSettings({ env: { HEADGATE_NETWORKS: networks } }))
    expect(loaded).toMatchObject({ local: false, webhooks: { allowPrivateDestinations: false } })
    expect(loaded.locate('BASE', 'n')).toBe('HEADGATE_NETWORKS')
  })
})

describe('with a file', () => {
  test('a network gets its defaults', () => {
    expect(settingsOf(load(NETWORKS)).networks[0]).toEqual({
      id: 'ETH_MAINNET',
      slug: 'eth-mainnet',
      kind: 'evm',
      chainId: 1,
      blockTimeMs: 12_000,
      headPollMs: 4000,
      headLagMsMax: 30_000,
      broadcast: 1,
      logBlocksMax: 1_000_000,
      verify: 'auto',
      upstreams: ['http://10.0.0.5:8545', 'http://10.0.0.6:8545'].map((url, at) => ({
        name: at === 0 ? 'node-a' : 'node-b',
        url,
        priority: 0,
        traces: false,
        concurrencyMax: 512,
        batchMax: 100,
        timeoutMs: 10_000,
        sendsOnly: false,
      })),
    })
  })

  test.each([
    ['kind: solana', 400, 250],
    ['kind: evm\n    chainId: 1', 12_000, 4000],
    ['kind: evm\n    chainId: 1\n    blockTimeMs: 2000', 2000, 667],
    ['kind: solana\n    headPollMs: 99', 400, 99],
  ])('%j has blocks every %d ms and is asked every %d ms', (kind, blockTimeMs, headPollMs) => {
    const yaml = `networks:\n  - id: N\n    ${kind}\n    upstreams: [{ name: a, url: "http://a" }]`
    expect(settingsOf(load(yaml)).networks[0]).toMatchObject({ blockTimeMs, headPollMs })
  })

  test('a tier keeps what is not overridden, and a new tier can be added', () => {
    const yaml = `${NETWORKS}tiers:
  free: { monthlyCu: 5 }
  gold: { monthlyCu: 9, cuPerSecond: null }
`
    const { tiers } = settingsOf(load(yaml, { HEADGATE_TIERS_GROWTH_PAID: 'false' }))
    const rest = {
      webhooksMax: 100,
      variableItemsMax: 1_000_000,
      undeliveredBytesMax: 67_108_864,
    }
    expect(tiers.get('free')).toEqual({
      ...rest,
      name: 'free',
      monthlyCu: 5,
      cuPerSecond: 500,
      paid: false,
    })
    expect(tiers.get('gold')).toEqual({
      ...rest,
      name: 'gold',
      monthlyCu: 9,
      cuPerSecond: null,
      paid: false,
    })
    expect(tiers.get('growth')).toMatchObject({ monthlyCu: 300_000_000, paid: false })
  })

  test('the public address gives the domain, unless it is set', () => {
    const yaml = `${NETWORKS}publicUrl: https://RPC.example.com:8443/\n`
    expect(settingsOf(load(yaml))).toMatchObject({
      publicUrl: 'https://rpc.example.com:8443',
      publicUrlGiven: true,
      domain: 'rpc.example.com',
    })
    expect(settingsOf(load(`${yaml}domain: nodes.example.com\n`)).domain).toBe('nodes.example.com')
  })

  test('HEADGATE_CONFIG names the file, and the command line wins over it', () => {
    const other = join(folder, 'other.yaml')
    writeFileSync(other, `${NETWORKS}data: ./elsewhere\n`)
    const env = { HEADGATE_CONFIG: other }
    expect(settingsOf(loadSettings({ env })).data).toBe('./elsewhere')
    expect(settingsOf(load(NETWORKS, env)).data).toBe('./data')
    expect(settingsOf(loadSettings({ env: { HEADGATE_CONFIG: '' } })).local).toBe(true)
  })

  test('it can be told where an upstream was configured', () => {
    const { locate } = settingsOf(load(NETWORKS))
    expect(locate('ETH_MAINNET')).toBe(`${folder}/headgate.yaml:2`)
    expect(locate('ETH_MAINNET', 'node-a')).toBe(`${folder}/headgate.yaml:6`)
    expect(locate('ETH_MAINNET', 'node-b')).toBe(`${folder}/headgate.yaml:7`)

    const variable = 'HEADGATE_NETWORKS_ETH_MAINNET_UPSTREAMS_NODE_B_URL'
    const overridden = settingsOf(load(NETWORKS, { [variable]: 'http://b' }))
    expect(overridden.locate('ETH_MAINNET', 'node-b')).toBe(variable)
    expect(overridden.locate('ETH_MAINNET', 'node-a')).toBe(`${folder}/headgate.yaml:6`)
  })
})
