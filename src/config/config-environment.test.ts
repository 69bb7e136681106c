import { describe, expect, test } from 'bun:test'
import type { JsonSchema } from '../core/schema/json-schema.ts'
import { applyEnvironment } from './config-environment.ts'
import { CONFIG_SCHEMA } from './config-schema.ts'

const PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

function file() {
  return {
    listen: '127.0.0.1:1',
    networks: [
      {
        id: 'ETH_MAINNET',
        kind: 'evm',
        chainId: 1,
        upstreams: [
          {
            name: 'node-a',
            url: 'http://a',
            headers: { 'x-key': 'k' },
            budget: { credits: { eth_call: 1 } },
          },
        ],
      },
      { id: 'SOLANA_MAINNET', kind: 'solana', upstreams: [{ name: 'node-a', url: 'http://s' }] },
    ],
    tiers: { gold: { monthlyCu: 1, cuPerSecond: 1 } },
    prices: { eth_call: { cu: 26 }, 'debug_*': { cu: 40 } },
  }
}

function applied(environment: Record<string, string | undefined>, value: object = file()) {
  return applyEnvironment(CONFIG_SCHEMA, value as Record<string, unknown>, environment)
}

function at(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((here, part) => (here as Record<string, unknown>)?.[part], value)
}

type Row = [variable: string, text: string, path: (string | number)[], value: unknown]

const NET = ['networks', 0]
const NODE = ['networks', 0, 'upstreams', 0]
const BUDGET = [...NODE, 'budget']
const BUDGET_OF = 'NETWORKS_ETH_MAINNET_UPSTREAMS_NODE_A_BUDGET'

/** Every option that holds a value rather than more options. */
const ROWS: Row[] = [
  ['LISTEN', '[::1]:0', ['listen'], '[::1]:0'],
  ['PUBLIC_URL', 'https://h', ['publicUrl'], 'https://h'],
  ['DOMAIN', 'rpc.example.com', ['domain'], 'rpc.example.com'],
  ['DATA', '{strange}', ['data'], '{strange}'],
  ['DATABASE', 'postgres://x', ['database'], 'postgres://x'],
  ['POSTGRES_CONNECTIONS_MAX', '20', ['postgres', 'connectionsMax'], 20],
  ['POSTGRES_TRANSACTION_POOLER', 'true', ['postgres', 'transactionPooler'], true],
  ['POSTGRES_DIRECT_URL', 'postgres://y', ['postgres', 'directUrl'], 'postgres://y'],
  ['NATS', 'nats://x,nats://y', ['nats'], 'nats://x,nats://y'],
  ['NATS_CREDENTIALS', 'user.creds', ['natsCredentials'], 'user.creds'],
  ['NATS_CA', 'ca.pem', ['natsCa'], 'ca.pem'],
  ['ROLES', 'gateway, api', ['roles'], ['gateway', 'api']],
  ['SECRET', '00'.repeat(32), ['secret'], '00'.repeat(32)],
  ['OPERATOR_TOKEN', 'x'.repeat(32), ['operatorToken'], 'x'.repeat(32)],
  ['TRUST_PROXY', 'true', ['trustProxy'], true],
  ['DEMO_KEY', '0', ['demoKey'], false],
  ['GATEWAY_WORKERS', '4', ['gateway', 'workers'], 4],
  ['LOG_REQUESTS', 'false', ['log', 'requests'], false],
  ['LOG_FORMAT', 'json', ['log', 'format'], 'json'],
  ['NETWORKS_ETH_MAINNET_SLUG', 'eth', [...NET, 'slug'], 'eth'],
  ['NETWORKS_ETH_MAINNET_KIND', 'solana', [...NET, 'kind'], 'solana'],
  ['NETWORKS_ETH_MAINNET_CHAIN_ID', '5', [...NET, 'chainId'], 5],
  ['NETWORKS_ETH_MAINNET_GENESIS_HASH', '11', [...NET, 'genesisHash'], '11'],
  ['NETWORKS_ETH_MAINNET_BLOCK_TIME_MS', '100', [...NET, 'blockTimeMs'], 100],
  ['NETWORKS_ETH_MAINNET_HEAD_POLL_MS', '100', [...NET, 'headPollMs'], 100],
  ['NETWORKS_ETH_MAINNET_HEAD_LAG_MS_MAX', '100', [...NET, 'headLagMsMax'], 100],
  ['NETWORKS_ETH_MAINNET_FINALITY_DEPTH', '64', [...NET, 'finalityDepth'], 64],
  ['NETWORKS_ETH_MAINNET_BROADCAST', '3', [...NET, 'broadcast'], 3],
  ['NETWORKS_ETH_MAINNET_QUORUM_METHODS', 'eth_*', [...NET, 'quorum', 'methods'], ['eth_*']],
  ['NETWORKS_ETH_MAINNET_QUORUM_OF', '5', [...NET, 'quorum', 'of'], 5],
  ['NETWORKS_ETH_MAINNET_QUORUM_AGREE', '4', [...NET, 'quorum', 'agree'], 4],
  ['NETWORKS_ETH_MAINNET_LOG_BLOCKS_MAX', '5000', [...NET, 'logBlocksMax'], 5000],
  ['NETWORKS_ETH_MAINNET_VERIFY', 'receipts', [...NET, 'verify'], 'receipts'],
  [
    'NETWORKS_ETH_MAINNET_METHODS_ALLOW',
    'admin_peers,evm_*',
    [...NET, 'methods', 'allow'],
    ['admin_peers', 'evm_*'],
  ],
  ['NETWORKS_ETH_MAINNET_METHODS_DENY', 'trace_*', [...NET, 'methods', 'deny'], ['trace_*']],
  ['NETWORKS_ETH_MAINNET_UPSTREAMS_NODE_A_URL', 'http://b', [...NODE, 'url'], 'http://b'],
  ['NETWORKS_ETH_MAINNET_UPSTREAMS_NODE_A_WS', 'ws://b', [...NODE, 'ws'], 'ws://b'],
  [
    'NETWORKS_ETH_MAINNET_UPSTREAMS_NODE_A_HEADERS_X_KEY',
    '[1,2]',
    [...NODE, 'headers', 'x-key'],
    '[1,2]',
  ],
  ['NETWORKS_ETH_MAINNET_UPSTREAMS_NODE_A_PRIORITY', '2', [...NODE, 'priority'], 2],
  ['NETWORKS_ETH_MAINNET_UPSTREAMS_NODE_A_TRACES', '1', [...NODE, 'traces'], true],
  ['NETWORKS_ETH_MAINNET_UPSTREAMS_NODE_A_CONCURRENCY_MAX', '2', [...NODE, 'concurrencyMax'], 2],
  ['NETWORKS_ETH_MAINNET_UPSTREAMS_NODE_A_BATCH_MAX', '0', [...NODE, 'batchMax'], 0],
  ['NETWORKS_ETH_MAINNET_UPSTREAMS_NODE_A_TIMEOUT_MS', '9', [...NODE, 'timeoutMs'], 9],
  ['NETWORKS_ETH_MAINNET_UPSTREAMS_NODE_A_SENDS_ONLY', 'true', [...NODE, 'sendsOnly'], true],
  [`${BUDGET_OF}_ACCOUNT`, 'v', [...BUDGET, 'account'], 'v'],
  [`${BUDGET_OF}_REQUESTS_PER_SECOND`, '25', [...BUDGET, 'requestsPerSecond'], 25],
  [`${BUDGET_OF}_CREDITS_PER_MONTH`, '1000', [...BUDGET, 'creditsPerMonth'], 1000],
  [`${BUDGET_OF}_CREDITS_ETH_CALL`, '26', [...BUDGET, 'credits', 'eth_call'], 26],
  [`${BUDGET_OF}_CREDITS_OF`, 'alchemy', [...BUDGET, 'creditsOf'], 'alchemy'],
  [`${BUDGET_OF}_RESET_DAY`, '7', [...BUDGET, 'resetDay'], 7],
  ['UPSTREAMS', 'alchemy://a,infura://b', ['upstreams'], ['alchemy://a', 'infura://b']],
  ...['free', 'growth', 'enterprise', 'gold'].flatMap((name): Row[] => [
    [`TIERS_${name.toUpperCase()}_MONTHLY_CU`, '7', ['tiers', name, 'monthlyCu'], 7],
    [`TIERS_${name.toUpperCase()}_CU_PER_SECOND`, 'null', ['tiers', name, 'cuPerSecond'], null],
    [`TIERS_${name.toUpperCase()}_PAID`, 'true', ['tiers', name, 'paid'], true],
    [`TIERS_${name.toUpperCase()}_WEBHOOKS_MAX`, '5', ['tiers', name, 'webhooksMax'], 5],
    [`TIERS_${name.toUpperCase()}_VARIABLE_ITEMS_MAX`, '6', ['tiers', name, 'variableItemsMax'], 6],
    [
      `TIERS_${name.toUpperCase()}_UNDELIVERED_BYTES_MAX`,
      '7',
      ['tiers', name, 'undeliveredBytesMax'],
      7,
    ],
  ]),
  ['PRICES_ETH_CALL_CU', '26.5', ['prices', 'eth_call', 'cu'], 26.5],
  ['PRICES_ETH_CALL_THROUGHPUT_CU', '27', ['prices', 'eth_call', 'throughputCu'], 27],
  ['PRICES_ETH_CALL_SCAN_CU', '3', ['prices', 'eth_call', 'scanCu'], 3],
  ['TOKEN_HEADERS', 'X-Key,X-Other', ['tokenHeaders'], ['X-Key', 'X-Other']],
  ['CACHE_MAX_BYTES', '0', ['cache', 'maxBytes'], 0],
  ['CACHE_LATEST_MAX_AGE_MS', '5', ['cache', 'latestMaxAgeMs'], 5],
  ['WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS', 'true', ['webhooks', 'allowPrivateDestinations'], true],
  ['WEBHOOKS_TIMEOUT_MS', '700', ['webhooks', 'timeoutMs'], 700],
  ['WEBHOOKS_RETRY_DELAYS_MS', '15000,60000', ['webhooks', 'retryDelaysMs'], [15_000, 60_000]],
  ['PROGRAM_ACCOUNTS_PAGE_LIMIT', '9', ['programAccounts', 'pageLimit'], 9],
  ['PROGRAM_ACCOUNTS_DEFAULT_ENCODING', 'binary', ['programAccounts', 'defaultEncoding'], 'binary'],
  ['PROGRAM_ACCOUNTS_PAGE_KEY_MS', '1000', ['programAccounts', 'pageKeyMs'], 1000],
  ['PROGRAM_ACCOUNTS_SCANS_MAX', '2', ['programAccounts', 'scansMax'], 2],
  ['PROGRAM_ACCOUNTS_SPILL_BYTES_MAX', '0', ['programAccounts', 'spillBytesMax'], 0],
  ['PROGRAM_ACCOUNTS_INDEX', PROGRAM, ['programAccounts', 'index'], [PROGRAM]],
  ['LIMITS_CONNECTIONS_MAX', '100', ['limits', 'connectionsMax'], 100],
  ['LIMITS_BODIES_BYTES_MAX', '9000000', ['limits', 'bodiesBytesMax'], 9_000_000],
  ['LIMITS_BODY_MS', '2000', ['limits', 'bodyMs'], 2000],
  ['LIMITS_UNREAD_BYTES_MAX', '9000000', ['limits', 'unreadBytesMax'], 9_000_000],
  ['LIMITS_UNREAD_MS', '2000', ['limits', 'unreadMs'], 2000],
  ['LIMITS_APP_WEB_SOCKETS_MAX', '300', ['limits', 'appWebSocketsMax'], 300],
  ['LIMITS_SUBSCRIPTIONS_MAX', '50', ['limits', 'subscriptionsMax'], 50],
  ['LIMITS_DISK_FREE_BYTES_MIN', '7', ['limits', 'diskFreeBytesMin'], 7],
  ['METRICS_LISTEN', '127.0.0.1:9', ['metrics', 'listen'], '127.0.0.1:9'],
  ['DEVNET_BLOCK_TIME_MS', '10', ['devnet', 'blockTimeMs'], 10],
  ['DEVNET_TRANSACTIONS_PER_BLOCK', '0', ['devnet', 'transactionsPerBlock'], 0],
  ['DEVNET_SLOT_TIME_MS', '20', ['devnet', 'slotTimeMs'], 20],
  ['DEVNET_UPSTREAMS', '2', ['devnet', 'upstreams'], 2],
  ['DEVNET_TOKEN_ACCOUNTS', '30', ['devnet', 'tokenAccounts'], 30],
  ['DEVNET_CHANGES_PER_SLOT', '40', ['devnet', 'changesPerSlot'], 40],
]

describe('every option has a variable, which wins over the file', () => {
  test.each(ROWS)('HEADGATE_%s=%s', (variable, text, path, value) => {
    const result = applied({ [`HEADGATE_${variable}`]: text })
    expect(result.faults).toEqual([])
    expect(result.overrides).toEqual([{ variable: `HEADGATE_${variable}`, path }])
    expect(at(result.value, path)).toEqual(value)
  })

  test('no option of the schema is missing from the table above', () => {
    const shown = (path: readonly (string | number)[]) => path.join('.')
    const tested = new Set(ROWS.map(([, , path]) => shown(path)))
    const untested = leaves(CONFIG_SCHEMA, file(), []).filter((path) => !tested.has(shown(path)))
    expect(untested).toEqual([])
    expect(leaves(CONFIG_SCHEMA, file(), []).length).toBeGreaterThan(45)
  })
})

/** The paths of all options; of lists and maps, those of the first member (and each known tier). */
function leaves(schema: JsonSchema, value: unknown, path: (string | number)[]): string[][] {
  const { items, properties = {}, additionalProperties } = schema
  if (items?.properties) return leaves(items, at(value, [0]), [...path, 0])
  const named = Object.entries(properties)
    // What a member of a list is addressed by is not an option of it.
    .filter(([name]) => !(typeof path.at(-1) === 'number' && /^(id|name)$/.test(name)))
    .flatMap(([name, member]) => leaves(member, at(value, [name]), [...path, name]))
  if (typeof additionalProperties === 'object') {
    const added = Object.keys(value as object).find((name) => !(name in properties))!
    named.push(...leaves(additionalProperties, at(value, [added]), [...path, added]))
  }
  return schema.type === 'object' ? named : [path.map(String)]
}

describe('whole lists and objects are given as JSON', () => {
  test('and replace what the file has', () => {
    const networks = [{ id: 'BASE', kind: 'evm', upstreams: [] }]
    const { value } = applied({ HEADGATE_NETWORKS: JSON.stringify(networks) })
    expect(value.networks).toEqual(networks)
  })

  test('and variables for their members reach into them', () => {
    const { value, faults } = applied({
      HEADGATE_NETWORKS_BASE_UPSTREAMS_N_1_TRACES: 'true',
      HEADGATE_NETWORKS_BASE_CHAIN_ID: '8453',
      HEADGATE_NETWORKS_BASE_UPSTREAMS: '[{"name": "n.1", "url": "http://n"}]',
      HEADGATE_NETWORKS: '[{"id": "BASE", "kind": "evm"}]',
    })
    expect(faults).toEqual([])
    expect(value.networks).toEqual([
      {
        id: 'BASE',
        kind: 'evm',
        chainId: 8453,
        upstreams: [{ name: 'n.1', url: 'http://n', traces: true }],
      },
    ])
  })

  test.each(['[', '{"a":', '[1,]', ' [nope]'])('%s is not JSON', (text) => {
    expect(applied({ HEADGATE_NETWORKS: text }).faults).toEqual([
      { variable: 'HEADGATE_NETWORKS', message: 'HEADGATE_NETWORKS must be valid JSON' },
    ])
  })

  test('an empty list is written []', () => {
    const { value } = applied({ HEADGATE_WEBHOOKS_RETRY_DELAYS_MS: '[]' })
    expect(at(value, ['webhooks', 'retryDelaysMs'])).toEqual([])
  })
})

describe('numbers and truth are read strictly; the rest is left for the schema to refuse', () => {
  test.each([
    ['HEADGATE_WEBHOOKS_TIMEOUT_MS', ['5s', '1e3', '0x10', ' 5', '5.0', '+5', '']],
    ['HEADGATE_TRUST_PROXY', ['yes', 'TRUE', 'on', '2', '']],
    ['HEADGATE_TIERS_FREE_MONTHLY_CU', ['unlimited', 'Infinity', '']],
  ])('%s does not take %j', (variable, texts) => {
    for (const text of texts) {
      const { value, overrides } = applied({ [variable]: text }, {})
      if (text === '') expect(overrides).toEqual([])
      else expect(at(value, overrides[0]!.path)).toBe(text)
    }
  })
})

describe('a variable that is no option', () => {
  test.each([
    ['HEADGATE_LISTNE', 'is not an option; did you mean HEADGATE_LISTEN?'],
    ['HEADGATE_CONFIGS', 'is not an option; did you mean HEADGATE_CONFIG?'],
    [
      'HEADGATE_NETWORKS_ETH_MAINET_CHAIN_ID',
      'is not an option; did you mean HEADGATE_NETWORKS_ETH_MAINNET_CHAIN_ID?',
    ],
    ['HEADGATE_NETWORKS_POLYGON_CHAIN_ID', 'is not an option of anything in networks'],
    ['HEADGATE_TIERS_PLATINUM_PAID', 'is not an option of anything in tiers'],
    ['HEADGATE_WHATEVER', 'is not an option'],
    ['HEADGATE_', 'is not an option'],
    ['HEADGATE___PROTO__', 'is not an option'],
  ])('%s %s', (variable, words) => {
    expect(applied({ [variable]: 'secret' }).faults).toEqual([
      { variable, message: `${variable} ${words}` },
    ])
  })

  test('is left alone when it is not ours, not set or empty', () => {
    const environment = { PATH: '/bin', HEADGATE: 'x', HEADGATE_CONFIG: 'x', HEADGATE_X: '' }
    expect(applied(environment)).toEqual({ value: file(), overrides: [], faults: [] })
  })

  test('is refused when it could mean two', () => {
    const upstreams = [
      { name: 'node-a', url: 'http://a' },
      { name: 'node.a', url: 'http://b' },
    ]
    const value = { networks: [{ id: 'A', upstreams }] }
    const { faults } = applied({ HEADGATE_NETWORKS_A_UPSTREAMS_NODE_A_URL: 'http://c' }, value)
    expect(faults[0]?.message).toEndWith('could mean more than one option; set them in the file')
  })
})

describe('hostile surroundings', () => {
  test('what the file shares by an alias is changed in one place only', () => {
    const headers = { k: 'old' }
    const upstreams = ['a', 'b'].map((name) => ({ name, url: 'http://x', headers }))
    const value = { networks: [{ id: 'N', upstreams }] }
    const result = applied({ HEADGATE_NETWORKS_N_UPSTREAMS_B_HEADERS_K: 'new' }, value)
    expect(at(result.value, ['networks', 0, 'upstreams', 0, 'headers', 'k'])).toBe('old')
    expect(at(result.value, ['networks', 0, 'upstreams', 1, 'headers', 'k'])).toBe('new')
  })

  test('wrong types everywhere in the file leave it as it is', () => {
    const value = { networks: 'x', tiers: [], webhooks: 5, prices: null, log: [1], cache: 'x' }
    const environment = Object.fromEntries(ROWS.map(([name, text]) => [`HEADGATE_${name}`, text]))
    const result = applied(environment, value)
    expect(result.value).toMatchObject({ webhooks: 5, log: [1], cache: 'x', tiers: [] })
    expect(applied(environment, { networks: [null, 1, [], { id: 7 }, { id: '' }] })).toBeDefined()
  })

  test('a tier called __proto__ in JSON changes no prototype', () => {
    const { value } = applied({
      HEADGATE_TIERS: '{"__proto__": {"paid": false}}',
      HEADGATE_TIERS_PROTO_PAID: 'true',
    })
    expect(({} as { paid?: boolean }).paid).toBeUndefined()
    expect(Object.keys(value.tiers as object)).toEqual(['__proto__'])
  })
})
