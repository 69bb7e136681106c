import {
  anyOf,
  choice,
  constant,
  described,
  flag,
  list,
  nullable,
  record,
  text,
} from '../../core/schema/schema.ts'
import * as conditional from './conditional.ts'
import { line, TIME_MS } from './fields.ts'
import { body, data, ID, nothing, type Parameter, path, teamCall, under } from './operation.ts'
import { WEBHOOK_URL } from './queries.ts'
import {
  EVM_NETWORK,
  GRAPHQL_QUERY,
  GRAPHQL_QUERY_CHANGE,
  QUERY_EXAMPLE,
  QUERY_OR_TEXT,
  QUERY_TEXT,
} from './query-fields.ts'

const WEBHOOK_ID = described(ID, 'The webhook’s id.')

const WEBHOOK_NAME = line({
  maxLength: 100,
  description: 'Up to 100 characters of your own words, no control characters.',
})

const SIGNING_KEY = text({
  pattern: '^whsec_[a-z0-9]{24}$',
  description: 'What deliveries are signed with. Keep it secret.',
})

const ORDERED = flag(
  'Strictly one delivery after the other: each waits for the retries of the last.',
)

const NOTIFY_REMOVED = flag(
  'With `skip_empty_messages`: when a reorganisation leaves nothing of a height that was ' +
    'delivered before, its empty result is delivered too.',
)

export const DEACTIVATION_REASON = nullable(
  choice(
    ['MANUAL', 'MONTHLY_CAPACITY_EXCEEDED', 'DESTINATION_GONE', 'BACKLOG_FULL'],
    'Why it is paused; null while it is active. `BACKLOG_FULL`: more results are undelivered ' +
      'than the tier allows.',
  ),
)

export const WEBHOOK = record('Webhook', {
  id: text({ pattern: '^wh_[a-z0-9]{16}$' }),
  name: described(WEBHOOK_NAME, 'Empty when none was given.'),
  network: text(),
  webhook_type: constant('GRAPHQL'),
  webhook_url: text(),
  is_active: flag('The same as `state` in one bit.'),
  state: choice(['active', 'paused']),
  deactivation_reason: DEACTIVATION_REASON,
  time_created: TIME_MS,
  signing_key: SIGNING_KEY,
  next_signing_key: nullable(
    described(SIGNING_KEY, 'What the next rotation switches to; null unless one is prepared.'),
  ),
  version: constant('V2'),
  graphql_query: described(
    GRAPHQL_QUERY,
    'The query as it is run, with both of its fields; without a block that it named.',
  ),
  app_id: nullable(
    text('The app that deliveries are accounted to, if one was given and was not deleted since.'),
  ),
  ordered: ORDERED,
  notify_removed: NOTIFY_REMOVED,
})

const NEW_WEBHOOK = record(
  'NewWebhook',
  {
    network: EVM_NETWORK,
    webhook_type: constant('GRAPHQL', 'The only type there is.'),
    webhook_url: WEBHOOK_URL,
    graphql_query: described(
      QUERY_OR_TEXT,
      'The text of the query, or an object with it. A block that `block(number:)` or ' +
        '`block(hash:)` names is for `POST /api/test-query` only: here the query runs on ' +
        'every new block.',
    ),
  },
  {
    name: WEBHOOK_NAME,
    app_id: described(
      nullable(ID),
      'One of the team’s apps that has the network, to find the deliveries in its usage.',
    ),
    ordered: ORDERED,
    notify_removed: NOTIFY_REMOVED,
  },
)

export const WEBHOOK_CHANGE = record(
  'WebhookChange',
  { webhook_id: WEBHOOK_ID },
  {
    is_active: flag('False pauses it. True goes on with the next block, whatever paused it.'),
    name: WEBHOOK_NAME,
    webhook_url: WEBHOOK_URL,
    graphql_query: anyOf(
      QUERY_TEXT,
      GRAPHQL_QUERY_CHANGE,
      'The text of the new query, or an object with what changes of it.',
    ),
    ordered: ORDERED,
    notify_removed: NOTIFY_REMOVED,
  },
)

const WEBHOOK_QUERY = record('WebhookQuery', {
  webhook_id: text(),
  graphql_query: text('The text of the query, as it is run.'),
})

const KEY_ROTATION = record(
  'KeyRotation',
  { webhook_id: WEBHOOK_ID },
  {
    prepare: flag(
      'True only shows the key that the next rotation switches to, in `next_signing_key`, so ' +
        'that receivers can learn it first. Nothing is signed with it yet.',
    ),
  },
)

const ID_PARAMETER: Parameter<string> = {
  ...path('The webhook’s id.', WEBHOOK_ID, 'wh_9c5v2b8n4m1k7j3h'),
  in: 'query',
}

const WEBHOOK_EXAMPLE = {
  id: 'wh_9c5v2b8n4m1k7j3h',
  name: 'Transfers',
  network: 'ETH_MAINNET',
  webhook_type: 'GRAPHQL',
  webhook_url: 'https://receiver.example/hook',
  is_active: true,
  state: 'active',
  deactivation_reason: null,
  time_created: 1763164800000,
  signing_key: 'whsec_4t7y1u9i3o6p2a8s5d0f4g7h',
  next_signing_key: null,
  version: 'V2',
  graphql_query: { query: QUERY_EXAMPLE, skip_empty_messages: true },
  app_id: null,
  ordered: false,
  notify_removed: false,
} as const

const NO_SUCH_WEBHOOK = { '404': '`NotFound`: the team has no webhook of this id.' }

const WRONG_QUERY = {
  '400':
    '`ValidationError`: a field, the query or the address of the URL is wrong; the message ' +
    'names it. `QueryTooDeep`: a type stands more than twice on a path.',
  '429':
    '`TooManyRequests`: over 100 calls a second, too many bytes, or too many queries in the last ' +
    'ten seconds.',
  '501': '`UnsupportedField`: the query asks for `inputData`.',
}

export const WEBHOOK_CALLS = under('Webhooks', {
  createWebhook: teamCall('POST /api/create-webhook', {
    alchemy: true,
    summary: 'Create a webhook',
    description:
      'From the next block on, the query’s result is sent to the URL, signed with the ' +
      '`signing_key` of the answer. While the month is used up, or more is undelivered than ' +
      'the tier allows, it is paused at once and gets an error delivery; the answer shows it. ' +
      '`by_name` needs a `name`; a webhook that is there is answered with its key.',
    parameters: conditional.BY_NAME,
    body: body(NEW_WEBHOOK, {
      network: 'ETH_MAINNET',
      webhook_type: 'GRAPHQL',
      webhook_url: 'https://receiver.example/hook',
      graphql_query: { query: QUERY_EXAMPLE, skip_empty_messages: true },
      name: 'Transfers',
    }),
    answer: conditional.tagged(data('The new webhook.', WEBHOOK, WEBHOOK_EXAMPLE)),
    grows: 'always',
    errors: {
      ...WRONG_QUERY,
      ...conditional.CONFLICT,
      '400': `${WRONG_QUERY['400']} \`WebhookLimitReached\`: the team has all that its tier allows.`,
    },
    example: `curl "$HEADGATE_URL/api/create-webhook" \\
  -H "X-Service-Token: $HEADGATE_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"network":"ETH_MAINNET","webhook_type":"GRAPHQL",
    "webhook_url":"https://receiver.example/hook",
    "graphql_query":"{ block { number transactions { hash } } }"}'`,
  }),

  listWebhooks: teamCall('GET /api/team-webhooks', {
    alchemy: true,
    summary: 'List the team’s webhooks',
    description: 'All webhooks of the team, oldest first, with their signing keys.',
    answer: data('The team’s webhooks.', list(WEBHOOK), [WEBHOOK_EXAMPLE]),
  }),

  getWebhook: teamCall('GET /api/webhooks/{id}', {
    summary: 'Read a webhook',
    description: 'One webhook with its signing key.',
    parameters: {
      id: path('The webhook’s id.', ID, 'wh_9c5v2b8n4m1k7j3h'),
      ...conditional.IF_NONE_MATCH,
    },
    answer: conditional.tagged(data('The webhook.', WEBHOOK, WEBHOOK_EXAMPLE)),
    errors: NO_SUCH_WEBHOOK,
  }),

  updateWebhook: teamCall('PUT /api/update-webhook', {
    alchemy: true,
    summary: 'Change, pause or unpause a webhook',
    description:
      'Changes the fields that are given and leaves the rest. While a webhook is paused ' +
      'nothing is evaluated or sent for it; what was due before goes out once it is active ' +
      'again. It never becomes active by itself. While the month is used up, or far more is ' +
      'undelivered than the tier allows, an unpaused one is paused again at once and gets an ' +
      'error delivery; the answer shows it.',
    parameters: conditional.IF_MATCH,
    body: body(WEBHOOK_CHANGE, { webhook_id: 'wh_9c5v2b8n4m1k7j3h', is_active: false }),
    answer: conditional.tagged(
      data('The webhook as it is now.', WEBHOOK, {
        ...WEBHOOK_EXAMPLE,
        is_active: false,
        state: 'paused',
        deactivation_reason: 'MANUAL',
      }),
    ),
    errors: { ...WRONG_QUERY, ...NO_SUCH_WEBHOOK, ...conditional.CHANGED_SINCE },
  }),

  deleteWebhook: teamCall('DELETE /api/delete-webhook', {
    alchemy: true,
    summary: 'Delete a webhook',
    description:
      'The webhook is gone at once. What waits to be sent or has failed is cancelled; its ' +
      'deliveries stay in the log.',
    parameters: { webhook_id: ID_PARAMETER, ...conditional.IF_MATCH },
    answer: nothing('Deleted.'),
    errors: { ...NO_SUCH_WEBHOOK, ...conditional.CHANGED_SINCE },
    exampleQuery: '?webhook_id=wh_9c5v2b8n4m1k7j3h',
  }),

  getWebhookQuery: teamCall('GET /api/dashboard-webhook-graphql-query', {
    alchemy: true,
    summary: 'Read a webhook’s query',
    description: 'The text of the query, as it is run.',
    parameters: { webhook_id: ID_PARAMETER },
    answer: data('The query.', WEBHOOK_QUERY, {
      webhook_id: 'wh_9c5v2b8n4m1k7j3h',
      graphql_query: QUERY_EXAMPLE,
    }),
    errors: NO_SUCH_WEBHOOK,
    exampleQuery: '?webhook_id=wh_9c5v2b8n4m1k7j3h',
  }),

  rotateSigningKey: teamCall('POST /api/rotate-signing-key', {
    summary: 'Replace a webhook’s signing key',
    description:
      'Deliveries are signed with the new key at once, and for 24 hours with the one before ' +
      'it too, so that receivers can change over in peace. Rotating again within that time ' +
      'ends the oldest. With `prepare` nothing is signed otherwise yet: the answer shows the ' +
      'key in `next_signing_key`, the same one however often it is asked for, and the next ' +
      'call without `prepare` switches to it.',
    body: body(KEY_ROTATION, { webhook_id: 'wh_9c5v2b8n4m1k7j3h' }),
    answer: conditional.tagged(data('The webhook with its new key.', WEBHOOK, WEBHOOK_EXAMPLE)),
    errors: NO_SUCH_WEBHOOK,
  }),
})
