import { EVM_NETWORK, GRAPHQL_QUERY, QUERY_TEXT } from './contract-query-schemas.ts'
import { ID_SCHEMA, ref, type Schema } from './openapi.ts'
import { change, nullable, record } from './schema-shapes.ts'

/** Longer names are not GraphQL variables of ours either. */
export const VARIABLE_NAME: Schema = {
  type: 'string',
  pattern: '^[_A-Za-z][_0-9A-Za-z]{0,63}$',
  'x-form': 'a GraphQL name of up to 64 letters, digits and underscores, no digit first',
}

export const WEBHOOK_ID: Schema = { ...ID_SCHEMA, description: 'The webhook’s id.' }

/** One call's share; longer lists come in several. */
const CALL_ITEMS_MAX = 10_000

const WEBHOOK_NAME: Schema = {
  type: 'string',
  maxLength: 100,
  pattern: '^[^\\p{Cc}\\p{Cs}]*$',
  'x-form': 'text without control characters',
  description: 'Up to 100 characters of your own words, no control characters.',
}

export const WEBHOOK_URL: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 2048,
  pattern: '^[^\\p{Cc}\\p{Cs}\\s]*$',
  'x-form': 'a URL without spaces or control characters',
  description:
    'Where deliveries go: http or https, to a public address, without credentials in it.',
}

const ORDERED: Schema = {
  type: 'boolean',
  description: 'Strictly one delivery after the other: each waits for the retries of the last.',
}

const NOTIFY_REMOVED: Schema = {
  type: 'boolean',
  description:
    'With `skip_empty_messages`: when a reorganisation leaves nothing of a height that was ' +
    'delivered before, its empty result is delivered too.',
}

const ITEMS: Schema = {
  type: 'array',
  minItems: 1,
  maxItems: CALL_ITEMS_MAX,
  items: {
    type: 'string',
    pattern: '^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$',
    'x-form': 'an address or a value of 32 bytes: 0x and 40 or 64 hex digits',
  },
  description:
    '1 to 10,000 addresses, or as many values of 32 bytes; not both. What is given twice ' +
    'counts once.',
}

const COUNT: Schema = { type: 'integer', minimum: 0 }

/** Webhooks and the variables of their queries. */
export const WEBHOOK_SCHEMAS: Readonly<Record<string, Schema>> = {
  Webhook: record({
    id: { type: 'string', pattern: '^wh_[a-z0-9]{16}$' },
    name: { ...WEBHOOK_NAME, description: 'Empty when none was given.' },
    network: { type: 'string' },
    webhook_type: { const: 'GRAPHQL' },
    webhook_url: { type: 'string' },
    is_active: { type: 'boolean', description: 'The same as `state` in one bit.' },
    state: { type: 'string', enum: ['active', 'paused'] },
    deactivation_reason: {
      enum: [null, 'MANUAL', 'MONTHLY_CAPACITY_EXCEEDED', 'DESTINATION_GONE', 'BACKLOG_FULL'],
      description:
        'Why it is paused; null while it is active. `BACKLOG_FULL`: more results are undelivered ' +
        'than the tier allows.',
    },
    time_created: { type: 'integer', description: 'Milliseconds since 1970, UTC.' },
    signing_key: {
      type: 'string',
      pattern: '^whsec_[a-z0-9]{24}$',
      description: 'What deliveries are signed with. Keep it secret.',
    },
    next_signing_key: {
      ...nullable('string', 'What the next rotation switches to; null unless one is prepared.'),
      pattern: '^whsec_[a-z0-9]{24}$',
    },
    version: { const: 'V2' },
    graphql_query: {
      ...ref('GraphqlQuery'),
      description:
        'The query as it is run, with both of its fields; without a block that it named.',
    },
    app_id: nullable(
      'string',
      'The app that deliveries are accounted to, if one was given and was not deleted since.',
    ),
    ordered: ORDERED,
    notify_removed: NOTIFY_REMOVED,
  }),

  NewWebhook: record(
    {
      network: EVM_NETWORK,
      webhook_type: { const: 'GRAPHQL', description: 'The only type there is.' },
      webhook_url: WEBHOOK_URL,
      graphql_query: {
        ...GRAPHQL_QUERY,
        description:
          'The text of the query, or an object with it. A block that `block(number:)` or ' +
          '`block(hash:)` names is for `POST /api/test-query` only: here the query runs on ' +
          'every new block.',
      },
      name: WEBHOOK_NAME,
      app_id: {
        ...ID_SCHEMA,
        type: ['string', 'null'],
        description:
          'One of the team’s apps that has the network, to find the deliveries in its usage.',
      },
      ordered: ORDERED,
      notify_removed: NOTIFY_REMOVED,
    },
    ['name', 'app_id', 'ordered', 'notify_removed'],
  ),

  WebhookChange: record(
    {
      webhook_id: WEBHOOK_ID,
      is_active: {
        type: 'boolean',
        description: 'False pauses it. True goes on with the next block, whatever paused it.',
      },
      name: WEBHOOK_NAME,
      webhook_url: WEBHOOK_URL,
      graphql_query: {
        anyOf: [QUERY_TEXT, ref('GraphqlQueryChange')],
        description: 'The text of the new query, or an object with what changes of it.',
      },
      ordered: ORDERED,
      notify_removed: NOTIFY_REMOVED,
    },
    ['is_active', 'name', 'webhook_url', 'graphql_query', 'ordered', 'notify_removed'],
  ),

  GraphqlQueryChange: change({
    query: { ...QUERY_TEXT, description: 'The text of the new query.' },
    skip_empty_messages: {
      type: 'boolean',
      description: 'Deliver only results that are not empty.',
    },
  }),

  WebhookQuery: record({
    webhook_id: { type: 'string' },
    graphql_query: { type: 'string', description: 'The text of the query, as it is run.' },
  }),

  KeyRotation: record(
    {
      webhook_id: WEBHOOK_ID,
      prepare: {
        type: 'boolean',
        description:
          'True only shows the key that the next rotation switches to, in `next_signing_key`, so ' +
          'that receivers can learn it first. Nothing is signed with it yet.',
      },
    },
    ['prepare'],
  ),

  NewVariableItems: record({ items: ITEMS }),

  VariableChange: change({ add: ITEMS, delete: ITEMS }),

  VariablePage: record({
    data: {
      type: 'array',
      items: { type: 'string' },
      description: 'Items in lower case, in ascending order.',
    },
    pagination: ref('VariablePagination'),
  }),

  VariablePagination: record({
    cursors: {
      ...change({ after: { type: 'string' } }),
      description: '`after` is what asks for the next page; on the last one it is absent.',
    },
    total_count: { ...COUNT, description: 'Of all items of the variable.' },
  }),
}
