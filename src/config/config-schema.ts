import type { JsonSchema } from '../core/schema/json-schema.ts'
import { BASE58_32_BYTES, flag, NETWORK_SCHEMA, section, whole } from './config-network-schema.ts'
import type { TierValues } from './config-values.ts'
import { EDGE_SCHEMAS } from './edge-schemas.ts'

const DAY_MS = 86_400_000

/** Its hundredths, in which we count, are still exact numbers. */
const TIER_CU_MAX = 90_000_000_000_000

/** What a team may keep here on the smallest tier, and on one that does not say. */
const SMALL_STORE = { variableItemsMax: 1_000_000, undeliveredBytesMax: 2 ** 26 }

/** The JSON Schema of the configuration file; published as headgate.schema.json. */
export const CONFIG_SCHEMA: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Headgate configuration',
  description:
    'Every option also has an environment variable, which wins over the file: HEADGATE_ and its ' +
    'path in upper snake case. Lists are written with commas; a whole list or object can be ' +
    'given as JSON. Networks, upstreams and tiers are addressed by name: ' +
    'HEADGATE_NETWORKS_ETH_MAINNET_UPSTREAMS_NODE_A_URL.',
  type: 'object',
  additionalProperties: false,
  properties: {
    listen: {
      type: 'string',
      description: 'Address and port to listen on, as host:port or [IPv6]:port. Port 0: any.',
      default: '127.0.0.1:8080',
      maxLength: 260,
    },
    publicUrl: {
      type: 'string',
      description:
        'How clients reach this service; used in links. Default: http://localhost:<port>.',
      maxLength: 2048,
    },
    domain: {
      type: 'string',
      description:
        'Networks answer at <slug>.<domain> as well. Default: the host name of publicUrl.',
      maxLength: 253,
      pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$',
      'x-form': 'a lower-case host name without a port',
    },
    data: {
      type: 'string',
      description: 'Folder of the embedded store.',
      default: './data',
      minLength: 1,
      maxLength: 4096,
    },
    database: {
      type: 'string',
      description: 'PostgreSQL, for many machines; with nats, instead of data. Never shown.',
      pattern: '^postgres(ql)?://',
      'x-form': 'a postgres:// address',
      maxLength: 4096,
    },
    nats: {
      type: 'string',
      description: 'NATS, for many machines; with database. Never shown.',
      pattern: '^(nats|tls)://',
      'x-form': 'a nats:// address',
      maxLength: 4096,
    },
    roles: {
      type: 'array',
      description: 'What this process does.',
      default: ['gateway', 'follower', 'courier', 'api'],
      minItems: 1,
      maxItems: 4,
      uniqueItems: true,
      items: { type: 'string', enum: ['gateway', 'follower', 'courier', 'api'] },
    },
    secret: {
      type: 'string',
      description:
        'Encrypts stored keys: 64 hex digits. Default: made at the first start and kept in the ' +
        'data folder. Never shown.',
      pattern: '^[0-9a-fA-F]{64}$',
      'x-form': '64 hex digits',
    },
    operatorToken: {
      type: 'string',
      description:
        'The token of the operator, from the next start on: 32 to 200 characters. Default: made ' +
        'at the first start. Never shown.',
      pattern: '^[\\x21-\\x7e]{32,200}$',
      'x-form': '32 to 200 printable characters without spaces',
    },
    trustProxy: flag(false, 'Take the client address from the last hop of X-Forwarded-For.'),
    demoKey: flag(
      false,
      'Serve the public key "demo" within its narrow limits. Default in local development: true.',
    ),
    log: section('What is written to the log.', {
      requests: flag(true, 'One line for each request.'),
      format: {
        type: 'string',
        description:
          'json: one JSON object a line; text: lines for people. auto: text for local ' +
          'development in a terminal, json otherwise.',
        default: 'auto',
        enum: ['auto', 'json', 'text'],
      },
    }),
    ...EDGE_SCHEMAS,
    networks: {
      type: 'array',
      description: 'The networks served, with their nodes.',
      minItems: 1,
      maxItems: 256,
      items: NETWORK_SCHEMA,
    },
    tiers: {
      type: 'object',
      description: 'What teams may use, by the name of their tier. Others may be added.',
      default: {},
      maxProperties: 100,
      propertyNames: {
        pattern: '^[a-z][a-z0-9_-]{0,62}$',
        'x-form': 'named in lower-case letters, digits, dashes and underscores',
      },
      properties: {
        free: tier({ monthlyCu: 30_000_000, cuPerSecond: 500, paid: false, ...SMALL_STORE }),
        growth: tier({
          monthlyCu: 300_000_000,
          cuPerSecond: 10_000,
          paid: true,
          variableItemsMax: 10_000_000,
          undeliveredBytesMax: 2 ** 30,
        }),
        enterprise: tier({
          monthlyCu: null,
          cuPerSecond: null,
          paid: true,
          variableItemsMax: 100_000_000,
          undeliveredBytesMax: 2 ** 34,
        }),
      },
      additionalProperties: { ...tier(), required: ['monthlyCu', 'cuPerSecond'] },
    },
    prices: {
      type: 'object',
      description:
        'Compute units by method, or by a prefix that ends in *, over the built-in table.',
      default: {},
      maxProperties: 1000,
      propertyNames: {
        pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}\\*?$',
        'x-form': 'named after a method, or a prefix such as debug_*',
      },
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['cu'],
        properties: {
          cu: price('Billed.'),
          throughputCu: price('Counted against the rate limit. Default: cu.'),
        },
      },
    },
    cache: section('Kept answers.', {
      maxBytes: whole(67_108_864, 0, 2 ** 40, 'Memory for kept answers; 0 keeps none.'),
      latestMaxAgeMs: whole(1000, 0, 60_000, 'How long an answer at the head may be kept.'),
    }),
    webhooks: section('Deliveries.', {
      allowPrivateDestinations: flag(
        false,
        'Deliver to private and loopback addresses too. Default in local development: true.',
      ),
      timeoutMs: whole(5000, 100, 60_000, 'How long a destination may take to accept.'),
      retryDelaysMs: {
        type: 'array',
        description: 'Waits before the second attempt, the third, and so on; then it has failed.',
        default: [15_000, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000],
        maxItems: 32,
        items: { type: 'integer', minimum: 0, maximum: 7 * DAY_MS },
      },
    }),
    programAccounts: section('getProgramAccounts.', {
      pageLimit: whole(100_000, 1, 1_000_000, 'Records of one page at most.'),
      defaultEncoding: {
        type: 'string',
        description: 'What an omitted encoding means; binary is the legacy bare base-58 string.',
        default: 'json',
        enum: ['json', 'binary'],
      },
      pageKeyMs: whole(600_000, 1000, DAY_MS, 'How long a page key is good for.'),
      scansMax: whole(4, 1, 256, 'Scans of one network at once; others wait their turn.'),
      spillBytesMax: whole(
        4_294_967_296,
        0,
        2 ** 50,
        'Room in the data folder for what later pages are read from.',
      ),
      index: {
        type: 'array',
        description: 'Programs whose accounts are indexed here.',
        default: [],
        maxItems: 1000,
        uniqueItems: true,
        items: { type: 'string', pattern: BASE58_32_BYTES, 'x-form': 'a program id in base 58' },
      },
    }),
    devnet: section('The embedded networks of local development.', {
      blockTimeMs: whole(2000, 10, 600_000, 'Time between blocks of ETH_DEVNET.'),
      slotTimeMs: whole(400, 10, 600_000, 'Time between slots of SOLANA_DEVNET.'),
    }),
  },
}

/** A tier that exists by itself has presets; one that is added says its limits. */
function tier(preset?: Omit<TierValues, 'webhooksMax'>): JsonSchema {
  const limit = (
    description: string,
    minimum: number,
    presetCu: number | null | undefined,
  ): JsonSchema => ({
    type: ['integer', 'null'],
    description,
    minimum,
    maximum: TIER_CU_MAX,
    ...(presetCu === undefined ? {} : { default: presetCu }),
  })
  const store = preset ?? SMALL_STORE
  return {
    type: 'object',
    ...(preset ? { default: {} } : {}),
    additionalProperties: false,
    properties: {
      monthlyCu: limit('Compute units a calendar month; null: unlimited.', 0, preset?.monthlyCu),
      // A bucket of no size would let everything pass.
      cuPerSecond: limit('Compute units a second; null: unlimited.', 1, preset?.cuPerSecond),
      paid: flag(preset?.paid ?? false, 'May call paid-only methods.'),
      webhooksMax: whole(100, 0, 1_000_000, 'GraphQL webhooks of one team.'),
      variableItemsMax: whole(
        store.variableItemsMax,
        0,
        10_000_000_000,
        'Items over all variables of one team.',
      ),
      undeliveredBytesMax: whole(
        store.undeliveredBytesMax,
        0,
        2 ** 50,
        'Bytes of results of one team that no destination has accepted yet. Beyond it the ' +
          "team's webhooks are paused.",
      ),
    },
  }
}

function price(description: string): JsonSchema {
  return { type: 'number', description, minimum: 0, maximum: 1_000_000 }
}
