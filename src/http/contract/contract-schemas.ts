import { TEST_SCHEMAS } from './calls/contract-test-calls.ts'
import { DELIVERY_SCHEMAS } from './contract-delivery-schemas.ts'
import { QUERY_SCHEMAS } from './contract-query-schemas.ts'
import { WEBHOOK_SCHEMAS } from './contract-webhook-schemas.ts'
import { ID_SCHEMA, ref, type Schema } from './openapi.ts'
import { change, nullable, record } from './schema-shapes.ts'

/** Far more than any instance has networks; it bounds the work of one request. */
const APP_NETWORKS_MAX = 200

const NAME: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\p{Cc}\\p{Cs}]*$',
  'x-form': 'text without control characters',
  description: '1 to 100 characters, no control characters.',
}

const DESCRIPTION: Schema = {
  type: 'string',
  maxLength: 1000,
  pattern: '^([^\\p{Cc}\\p{Cs}]|[\\t\\n\\r])*$',
  'x-form': 'text without control characters but line breaks and tabs',
  description: 'Up to 1000 characters of your own words; lines and tabs are fine.',
}

const NETWORKS: Schema = {
  type: 'array',
  minItems: 1,
  maxItems: APP_NETWORKS_MAX,
  uniqueItems: true,
  items: ID_SCHEMA,
  description: 'Ids of configured networks, for example `ETH_MAINNET`; see `GET /api/networks`.',
}

const TIER: Schema = {
  ...ID_SCHEMA,
  description: 'The name of a configured tier, for example `free`.',
}

const IS_ACTIVE: Schema = {
  type: 'boolean',
  description: 'An inactive app’s key is refused with 403 until it is active again.',
}

const AUTOSCALING: Schema = {
  type: 'boolean',
  description: 'Go on past the monthly capacity instead of stopping there.',
}

const TIME_MS: Schema = { type: 'integer', description: 'Milliseconds since 1970, UTC.' }

const CU: Schema = {
  type: 'number',
  minimum: 0,
  description: 'Compute units, exact to the hundredth.',
}

const COUNT: Schema = { type: 'integer', minimum: 0 }

const BYTES: Schema = {
  type: 'integer',
  minimum: 0,
  description: 'Bytes delivered to webhooks; JSON-RPC calls count 0.',
}

export const SCHEMAS: Readonly<Record<string, Schema>> = {
  Error: record({
    name: { type: 'string', description: 'Which kind of error, for programs.' },
    message: { type: 'string', description: 'What went wrong, for people.' },
  }),

  App: record({
    id: { type: 'string', pattern: '^app_[a-z0-9]{16}$' },
    name: NAME,
    description: DESCRIPTION,
    networks: { type: 'array', items: { type: 'string' } },
    is_active: IS_ACTIVE,
    key: { type: 'string', description: 'The API key, 32 characters. Keep it secret.' },
    urls: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The JSON-RPC address of each network, key included.',
    },
    time_created: TIME_MS,
  }),

  NewApp: record({ name: NAME, description: DESCRIPTION, networks: NETWORKS }, ['description']),

  AppChange: change({
    name: NAME,
    description: DESCRIPTION,
    networks: NETWORKS,
    is_active: IS_ACTIVE,
  }),

  Team: record({
    id: { type: 'string', pattern: '^team_[a-z0-9]{16}$' },
    name: NAME,
    tier: TIER,
    autoscaling: AUTOSCALING,
    limits: {
      anyOf: [ref('TierLimits'), { type: 'null' }],
      description: 'What the tier allows; null when it is not configured any more.',
    },
    time_created: TIME_MS,
  }),

  TierLimits: record({
    monthly_cu: nullable('integer', 'Compute units a calendar month (UTC); null is unlimited.'),
    cu_per_second: nullable('integer', 'Compute units a second; null is unlimited.'),
    paid: { type: 'boolean', description: 'Paid tiers may call the methods reserved for them.' },
    webhooks: { ...COUNT, description: 'GraphQL webhooks a team may have.' },
    variable_items: { ...COUNT, description: 'Items over all variables of a team.' },
    undelivered_bytes: {
      ...COUNT,
      description: 'Bytes of results that no destination has accepted yet, over all webhooks.',
    },
  }),

  TeamChange: change({ autoscaling: AUTOSCALING, tier: TIER }),

  NewTeam: record({ name: NAME, tier: TIER }),

  TeamCreated: record({
    id: { type: 'string', pattern: '^team_[a-z0-9]{16}$', description: 'The team’s id.' },
    token: { type: 'string', description: 'The team’s first token. It is shown only now.' },
    token_id: { type: 'string', description: 'What `DELETE /api/tokens/{id}` takes.' },
  }),

  Token: record({
    id: { type: 'string', pattern: '^tok_[a-z0-9]{16}$' },
    name: { type: 'string' },
    time_created: TIME_MS,
  }),

  NewToken: record({ name: NAME }, ['name']),

  TokenCreated: record({
    id: { type: 'string', pattern: '^tok_[a-z0-9]{16}$' },
    token: { type: 'string', description: 'The token, 32 characters. It is shown only now.' },
  }),

  UsageTotals: record({ calls: COUNT, cu: CU, bytes: BYTES }),

  UsageSummary: record({
    month: { type: 'string', pattern: '^\\d{4}-\\d{2}$', description: 'The calendar month, UTC.' },
    month_cu: CU,
    limit_cu: nullable('number', 'The tier’s monthly capacity; null is unlimited.'),
    remaining_cu: nullable('number', 'What is left of it, never below 0.'),
    percent_used: nullable('number', 'Two digits after the point; over 100 with autoscaling.'),
    autoscaling: AUTOSCALING,
    time_reset: { ...TIME_MS, description: 'When the next month begins, in ms since 1970.' },
    this_month: ref('UsageTotals'),
    last_24_hours: ref('UsageTotals'),
    last_7_days: ref('UsageTotals'),
  }),

  UsagePoint: record({
    start: { ...TIME_MS, description: 'When the bucket begins, in ms since 1970, UTC.' },
    group: nullable('string', 'The method, network or app; null when `group_by` is `none`.'),
    calls: COUNT,
    cu: CU,
    bytes: BYTES,
  }),

  Network: record({
    id: { type: 'string' },
    slug: { type: 'string', description: 'How the network is written in URLs.' },
    kind: { type: 'string', enum: ['evm', 'solana'] },
    head: { anyOf: [ref('Head'), { type: 'null' }], description: 'Null until a node reported.' },
    finalized: nullable('integer', 'The newest block or slot that cannot change any more.'),
    upstreams: { type: 'array', items: ref('Upstream') },
    account_indexes: {
      type: 'array',
      items: ref('AccountIndex'),
      description: 'The programs whose accounts are indexed (programAccounts.index).',
    },
  }),

  AccountIndex: record({
    program: { type: 'string' },
    state: {
      type: 'string',
      enum: ['live', 'catching_up'],
      description: 'While it catches up, the node is asked.',
    },
    accounts: COUNT,
    slot: nullable('integer', 'The newest slot it can show; null before the first.'),
    finalized_slot: nullable('integer', 'The newest of those that is final.'),
    lag_slots: nullable('integer', 'Behind the network’s head.'),
    last_fault: nullable('string', 'What went wrong last; null when nothing did.'),
  }),

  Head: record({
    number: COUNT,
    hash: nullable('string', 'The hash of the block; null on Solana networks.'),
    age_ms: nullable('number', 'How long ago a node last reported it.'),
  }),

  Upstream: record({
    name: { type: 'string', description: 'Its configured name; never its address.' },
    state: { type: 'string', enum: ['used', 'standby', 'excluded'] },
    reason: nullable('string', 'Why it is or is not used.'),
    last_fault: nullable('string', 'What went wrong last; null when nothing did.'),
    head: nullable('integer', 'The newest block or slot it reported.'),
    lag_blocks: nullable('integer', 'Behind the network’s head; null when it never reported.'),
    error_rate: { type: 'number', minimum: 0, maximum: 1 },
    latency_ms: nullable('number', 'The usual time until an answer.'),
    in_flight: COUNT,
    heard: {
      type: 'boolean',
      description: 'Heads, and blocks for webhooks, are taken from it, whatever calls do there.',
    },
  }),

  ...QUERY_SCHEMAS,

  ...TEST_SCHEMAS,

  ...WEBHOOK_SCHEMAS,

  ...DELIVERY_SCHEMAS,

  // Further members of a call are ignored, as nodes ignore them.
  RpcRequest: {
    ...record(
      {
        jsonrpc: { const: '2.0' },
        method: { type: 'string', minLength: 1, maxLength: 128 },
        params: { type: 'array' },
        id: { type: ['integer', 'string'] },
      },
      ['params'],
    ),
    additionalProperties: true,
  },

  RpcReply: record(
    {
      jsonrpc: { const: '2.0' },
      id: { type: ['integer', 'string', 'null'] },
      result: { description: 'Whatever the method answers.' },
      error: ref('RpcError'),
    },
    ['result', 'error'],
  ),

  RpcError: record({ code: { type: 'integer' }, message: { type: 'string' }, data: {} }, ['data']),
}
