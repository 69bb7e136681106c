import {
  choice,
  integer,
  list,
  mapOf,
  nullable,
  number,
  object,
  preset,
  type Schema,
  type Static,
  text,
} from '../core/schema/schema.ts'
import { BASE58_32_BYTES, NETWORK_SCHEMA, VENDOR_SCHEMA } from './config-network-schema.ts'
import { flagOr, options, wholeOr } from './config-options.ts'
import { EDGE_SCHEMAS } from './edge-schemas.ts'
import { STORE_SCHEMAS } from './store-schemas.ts'

const DAY_MS = 86_400_000

/** Counted in hundredths, this many are still an exact number. */
const TIER_CU_MAX = 90_000_000_000_000

const ROLES = ['gateway', 'follower', 'courier', 'api'] as const

/** A team may keep this much on the smallest tier, and on one that does not say. */
const SMALL_STORE = { variableItemsMax: 1_000_000, undeliveredBytesMax: 2 ** 26 }

type TierLimits = { paid: boolean; variableItemsMax: number; undeliveredBytesMax: number }

const CU_LIMITS = {
  monthlyCu: cuLimit(0, 'Compute units a calendar month; null: unlimited.'),
  // A bucket of no size would let everything pass.
  cuPerSecond: cuLimit(1, 'Compute units a second; null: unlimited.'),
}

const PRICE = object(
  { cu: price('Billed.') },
  {
    throughputCu: price('Counted against the rate limit. Default: cu.'),
    scanCu: price('For every 2,000 blocks begun beyond the first 2,000, where blocks are scanned.'),
  },
)

const OPTIONS = {
  listen: preset(
    text({
      description: 'Address and port to listen on, as host:port or [IPv6]:port. Port 0: any.',
      maxLength: 260,
    }),
    '127.0.0.1:8080',
  ),
  publicUrl: text({
    description: 'How clients reach this service; used in links. Default: http://localhost:<port>.',
    maxLength: 2048,
  }),
  domain: text({
    description: 'Networks answer at <slug>.<domain> as well. Default: the host name of publicUrl.',
    maxLength: 253,
    pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$',
    'x-form': 'a lower-case host name without a port',
  }),
  data: preset(
    text({
      description: 'Folder of the embedded store, and of scratch files.',
      minLength: 1,
      maxLength: 4096,
    }),
    './data',
  ),
  ...STORE_SCHEMAS,
  roles: preset(
    list(choice(ROLES), {
      description: 'What this process does.',
      minItems: 1,
      maxItems: 4,
      uniqueItems: true,
    }),
    ROLES,
  ),
  secret: text({
    description:
      'Encrypts stored keys: 64 hex digits. Default: made at the first start and kept in the ' +
      'data folder. Never shown.',
    pattern: '^[0-9a-fA-F]{64}$',
    'x-form': '64 hex digits',
  }),
  operatorToken: text({
    description:
      'The token of the operator, from the next start on: 32 to 200 characters. Default: made ' +
      'at the first start. Never shown.',
    pattern: '^[\\x21-\\x7e]{32,200}$',
    'x-form': '32 to 200 printable characters without spaces',
  }),
  trustProxy: flagOr(
    false,
    'Take the client address from the last hop of X-Forwarded-For, and the address that the ' +
      'client has asked from X-Forwarded-Proto and X-Forwarded-Host.',
  ),
  demoKey: flagOr(
    false,
    'Serve the public key "demo" within its narrow limits. Default in local development: true.',
  ),
  log: options('What is written to the log.', {
    requests: flagOr(true, 'One line for each request.'),
    format: preset(
      choice(
        ['auto', 'json', 'text'],
        'json: one JSON object a line; text: lines for people. auto: text for local ' +
          'development in a terminal, json otherwise.',
      ),
      'auto',
    ),
  }),
  ...EDGE_SCHEMAS,
  upstreams: list(VENDOR_SCHEMA, {
    description:
      'Vendors, each in one line, such as alchemy://KEY: they are added to every network that ' +
      'they serve. Without networks, all that they serve are served. Never shown.',
    minItems: 1,
    maxItems: 64,
  }),
  networks: list(NETWORK_SCHEMA, {
    description:
      'The networks served, with their nodes. Default with upstreams: all that they serve.',
    minItems: 1,
    maxItems: 256,
  }),
  tiers: tiers(),
  prices: preset(
    mapOf(PRICE, {
      description:
        'Compute units by method, or by a prefix that ends in *, over the built-in table.',
      maxProperties: 1000,
      propertyNames: {
        pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}\\*?$',
        'x-form': 'named after a method, or a prefix such as debug_*',
      },
    }),
    {},
  ),
  cache: options('Kept answers.', {
    maxBytes: wholeOr(67_108_864, 0, 2 ** 40, 'Memory for kept answers; 0 keeps none.'),
    latestMaxAgeMs: wholeOr(1000, 0, 60_000, 'How long an answer at the head may be kept.'),
  }),
  webhooks: options('Deliveries.', {
    allowPrivateDestinations: flagOr(
      false,
      'Deliver to private and loopback addresses too. Default in local development: true.',
    ),
    timeoutMs: wholeOr(5000, 100, 60_000, 'How long a destination may take to accept.'),
    retryDelaysMs: preset(
      list(integer({ minimum: 0, maximum: 7 * DAY_MS }), {
        description: 'Waits before the second attempt, the third, and so on; then it has failed.',
        maxItems: 32,
      }),
      [15_000, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000],
    ),
  }),
  programAccounts: options('getProgramAccounts.', {
    pageLimit: wholeOr(100_000, 1, 1_000_000, 'Records of one page at most.'),
    defaultEncoding: preset(
      choice(
        ['json', 'binary'],
        'What an omitted encoding means; binary is the legacy bare base-58 string.',
      ),
      'json',
    ),
    pageKeyMs: wholeOr(600_000, 1000, DAY_MS, 'How long a page key is good for.'),
    scansMax: wholeOr(4, 1, 256, 'Scans of one network at once; others wait their turn.'),
    spillBytesMax: wholeOr(
      4_294_967_296,
      0,
      2 ** 50,
      'Room in the data folder for what later pages are read from.',
    ),
    index: preset(
      list(text({ pattern: BASE58_32_BYTES, 'x-form': 'a program id in base 58' }), {
        description: 'Programs whose accounts are indexed here.',
        maxItems: 1000,
        uniqueItems: true,
      }),
      [],
    ),
  }),
  devnet: options('The embedded networks of local development.', {
    blockTimeMs: wholeOr(2000, 10, 600_000, 'Time between blocks of ETH_DEVNET.'),
    transactionsPerBlock: wholeOr(
      6,
      0,
      200,
      'Transactions of the chain’s own in each block of ETH_DEVNET.',
    ),
    slotTimeMs: wholeOr(400, 10, 600_000, 'Time between slots of SOLANA_DEVNET.'),
    upstreams: wholeOr(3, 1, 9, 'Nodes of ETH_DEVNET, each of which can be made to fail.'),
    tokenAccounts: wholeOr(
      20_000,
      0,
      200_000,
      'Token accounts that a new SOLANA_DEVNET begins with, beside the documented ones.',
    ),
    changesPerSlot: wholeOr(
      8,
      0,
      5_000,
      'Accounts of SOLANA_DEVNET that change by themselves in each slot; 0 for none.',
    ),
  }),
}

export type ConfigValues = Static<typeof CONFIG_SCHEMA>

/** The JSON Schema of the configuration file; published as headgate.schema.json. */
export const CONFIG_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Headgate configuration',
  description:
    'Every option also has an environment variable, which wins over the file: HEADGATE_ and its ' +
    'path in upper snake case. Lists are written with commas; a whole list or object can be ' +
    'given as JSON. Networks, upstreams and tiers are addressed by name: ' +
    'HEADGATE_NETWORKS_ETH_MAINNET_UPSTREAMS_NODE_A_URL.',
  ...object({}, OPTIONS),
}

function tiers() {
  const tiers = mapOf(object(CU_LIMITS, tierLimits({ paid: false, ...SMALL_STORE })), {
    description: 'What teams may use, by the name of their tier. Others may be added.',
    maxProperties: 100,
    propertyNames: {
      pattern: '^[a-z][a-z0-9_-]{0,62}$',
      'x-form': 'named in lower-case letters, digits, dashes and underscores',
    },
    properties: {
      free: tier(30_000_000, 500, { paid: false, ...SMALL_STORE }),
      growth: tier(300_000_000, 10_000, {
        paid: true,
        variableItemsMax: 10_000_000,
        undeliveredBytesMax: 2 ** 30,
      }),
      enterprise: tier(null, null, {
        paid: true,
        variableItemsMax: 100_000_000,
        undeliveredBytesMax: 2 ** 34,
      }),
    },
  })
  return preset(tiers, {})
}

/** A tier that exists by itself has presets for all; one that is added says its compute units. */
function tier(monthlyCu: number | null, cuPerSecond: number | null, limits: TierLimits) {
  const schema: Schema = object(
    {},
    {
      monthlyCu: preset(CU_LIMITS.monthlyCu, monthlyCu),
      cuPerSecond: preset(CU_LIMITS.cuPerSecond, cuPerSecond),
      ...tierLimits(limits),
    },
  )
  return preset(schema, {})
}

function tierLimits({ paid, variableItemsMax, undeliveredBytesMax }: TierLimits) {
  return {
    paid: flagOr(paid, 'May call paid-only methods.'),
    webhooksMax: wholeOr(100, 0, 1_000_000, 'GraphQL webhooks of one team.'),
    variableItemsMax: wholeOr(
      variableItemsMax,
      0,
      10_000_000_000,
      'Items over all variables of one team.',
    ),
    undeliveredBytesMax: wholeOr(
      undeliveredBytesMax,
      0,
      2 ** 50,
      'Bytes of results of one team that no destination has accepted yet. Beyond it the ' +
        "team's webhooks are paused.",
    ),
  }
}

function cuLimit(minimum: number, description: string): Schema<number | null> {
  return nullable(integer({ description, minimum, maximum: TIER_CU_MAX }))
}

function price(description: string): Schema<number> {
  return number({ description, minimum: 0, maximum: 1_000_000 })
}
