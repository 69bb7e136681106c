import { WEBHOOK_ID } from '../contract-webhook-schemas.ts'
import { dataOf, jsonAnswer, operation, type Parameter, type Paths, ref } from '../openapi.ts'

const ID_PARAMETER: Parameter = {
  name: 'webhook_id',
  in: 'query',
  required: true,
  description: 'The webhook’s id.',
  schema: WEBHOOK_ID,
  example: 'wh_9c5v2b8n4m1k7j3h',
}

const QUERY_TEXT =
  '{ block { number logs(filter: {addresses: ["0xdac17f958d2ee523a2206206994597c13d831ec7"]}) ' +
  '{ data topics transaction { hash } } } }'

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
  graphql_query: { query: QUERY_TEXT, skip_empty_messages: true },
  app_id: null,
  ordered: false,
  notify_removed: false,
}

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

/** Webhooks: standing queries, and where their results go. */
export const WEBHOOK_PATHS: Paths = {
  '/api/create-webhook': {
    post: operation({
      id: 'createWebhook',
      grows: 'always',
      tag: 'Webhooks',
      audience: 'team',
      summary: 'Create a webhook',
      description:
        'From the next block on, the query’s result is sent to the URL, signed with the ' +
        '`signing_key` of the answer. While the month is used up, or more is undelivered than ' +
        'the tier allows, it is paused at once and gets an error delivery; the answer shows it.',
      body: {
        schema: ref('NewWebhook'),
        example: {
          network: 'ETH_MAINNET',
          webhook_type: 'GRAPHQL',
          webhook_url: 'https://receiver.example/hook',
          graphql_query: { query: QUERY_TEXT, skip_empty_messages: true },
          name: 'Transfers',
        },
      },
      answer: jsonAnswer('The new webhook.', dataOf(ref('Webhook')), { data: WEBHOOK_EXAMPLE }),
      errors: {
        ...WRONG_QUERY,
        '400': `${WRONG_QUERY['400']} \`WebhookLimitReached\`: the team has all that its tier allows.`,
      },
      example: `curl "$HEADGATE_URL/api/create-webhook" \\
  -H "X-Service-Token: $HEADGATE_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"network":"ETH_MAINNET","webhook_type":"GRAPHQL",
    "webhook_url":"https://receiver.example/hook",
    "graphql_query":"{ block { number transactions { hash } } }"}'`,
    }),
  },

  '/api/team-webhooks': {
    get: operation({
      id: 'listWebhooks',
      tag: 'Webhooks',
      audience: 'team',
      summary: 'List the team’s webhooks',
      description: 'All webhooks of the team, oldest first, with their signing keys.',
      answer: jsonAnswer('The team’s webhooks.', dataOf({ type: 'array', items: ref('Webhook') }), {
        data: [WEBHOOK_EXAMPLE],
      }),
      example: 'curl "$HEADGATE_URL/api/team-webhooks" -H "X-Service-Token: $HEADGATE_TOKEN"',
    }),
  },

  '/api/update-webhook': {
    put: operation({
      id: 'updateWebhook',
      tag: 'Webhooks',
      audience: 'team',
      summary: 'Change, pause or unpause a webhook',
      description:
        'Changes the fields that are given and leaves the rest. While a webhook is paused ' +
        'nothing is evaluated or sent for it; what was due before goes out once it is active ' +
        'again. It never becomes active by itself. While the month is used up, or far more is ' +
        'undelivered than the tier allows, an unpaused one is paused again at once and gets an ' +
        'error delivery; the answer shows it.',
      body: {
        schema: ref('WebhookChange'),
        example: { webhook_id: 'wh_9c5v2b8n4m1k7j3h', is_active: false },
      },
      answer: jsonAnswer('The webhook as it is now.', dataOf(ref('Webhook')), {
        data: {
          ...WEBHOOK_EXAMPLE,
          is_active: false,
          state: 'paused',
          deactivation_reason: 'MANUAL',
        },
      }),
      errors: { ...WRONG_QUERY, ...NO_SUCH_WEBHOOK },
      example: `curl -X PUT "$HEADGATE_URL/api/update-webhook" \\
  -H "X-Service-Token: $HEADGATE_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"webhook_id":"wh_9c5v2b8n4m1k7j3h","is_active":false}'`,
    }),
  },

  '/api/delete-webhook': {
    delete: operation({
      id: 'deleteWebhook',
      tag: 'Webhooks',
      audience: 'team',
      summary: 'Delete a webhook',
      description:
        'The webhook is gone at once. What waits to be sent or has failed is cancelled; its ' +
        'deliveries stay in the log.',
      parameters: [ID_PARAMETER],
      answer: jsonAnswer('Deleted.', { type: 'object', additionalProperties: false }, {}),
      errors: NO_SUCH_WEBHOOK,
      example: `curl -X DELETE "$HEADGATE_URL/api/delete-webhook?webhook_id=wh_9c5v2b8n4m1k7j3h" \\
  -H "X-Service-Token: $HEADGATE_TOKEN"`,
    }),
  },

  '/api/dashboard-webhook-graphql-query': {
    get: operation({
      id: 'getWebhookQuery',
      tag: 'Webhooks',
      audience: 'team',
      summary: 'Read a webhook’s query',
      description: 'The text of the query, as it is run.',
      parameters: [ID_PARAMETER],
      answer: jsonAnswer('The query.', dataOf(ref('WebhookQuery')), {
        data: { webhook_id: 'wh_9c5v2b8n4m1k7j3h', graphql_query: QUERY_TEXT },
      }),
      errors: NO_SUCH_WEBHOOK,
      example: `id=wh_9c5v2b8n4m1k7j3h
curl "$HEADGATE_URL/api/dashboard-webhook-graphql-query?webhook_id=$id" \\
  -H "X-Service-Token: $HEADGATE_TOKEN"`,
    }),
  },

  '/api/rotate-signing-key': {
    post: operation({
      id: 'rotateSigningKey',
      tag: 'Webhooks',
      audience: 'team',
      summary: 'Replace a webhook’s signing key',
      description:
        'Deliveries are signed with the new key at once, and for 24 hours with the one before ' +
        'it too, so that receivers can change over in peace. Rotating again within that time ' +
        'ends the oldest. With `prepare` nothing is signed otherwise yet: the answer shows the ' +
        'key in `next_signing_key`, the same one however often it is asked for, and the next ' +
        'call without `prepare` switches to it.',
      body: {
        schema: ref('KeyRotation'),
        example: { webhook_id: 'wh_9c5v2b8n4m1k7j3h' },
      },
      answer: jsonAnswer('The webhook with its new key.', dataOf(ref('Webhook')), {
        data: WEBHOOK_EXAMPLE,
      }),
      errors: NO_SUCH_WEBHOOK,
      example: `curl "$HEADGATE_URL/api/rotate-signing-key" \\
  -H "X-Service-Token: $HEADGATE_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"webhook_id":"wh_9c5v2b8n4m1k7j3h"}'`,
    }),
  },
}
