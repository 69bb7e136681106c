import { EVM_NETWORK, GRAPHQL_QUERY, WHICH_BLOCK } from '../contract-query-schemas.ts'
import { WEBHOOK_URL } from '../contract-webhook-schemas.ts'
import { dataOf, jsonAnswer, operation, type Paths, ref, type Schema } from '../openapi.ts'
import { nullable, record } from '../schema-shapes.ts'

const EXAMPLE_BODY = JSON.stringify({
  webhookId: 'wh_0z1y2x3w4v5u6t7s',
  id: 'whevt_8r7q6p5o4n3m2l1k',
  createdAt: '2026-11-15T00:00:00.000Z',
  type: 'GRAPHQL',
  event: {
    data: { block: { number: 23800000, transactions: [] } },
    sequenceNumber: '23800000',
    network: 'ETH_MAINNET',
  },
})

/** Deliveries that are sent to see what comes of them. */
export const TEST_SCHEMAS: Readonly<Record<string, Schema>> = {
  TestWebhook: record(
    {
      webhook_url: WEBHOOK_URL,
      graphql_query: GRAPHQL_QUERY,
      network: EVM_NETWORK,
      block: WHICH_BLOCK,
    },
    ['block'],
  ),

  TestWebhookAttempt: record({
    accepted: { type: 'boolean', description: 'The destination answered with a 2xx in time.' },
    status_code: nullable('integer', 'What it answered; null when it did not.'),
    fault: {
      type: ['string', 'null'],
      description: 'Why no answer came: `dns`, `connect`, `tls`, `timeout`, `reset` or `protocol`.',
    },
    ms: ref('AttemptTimes'),
    response_start: { type: 'string', description: 'The beginning of the answer’s body.' },
    bytes: { type: 'integer', minimum: 0, description: 'The size of the body that was sent.' },
    cu: {
      type: 'number',
      minimum: 0,
      description: 'What a delivery of this size costs. The test itself costs nothing.',
    },
    empty: {
      type: 'boolean',
      description: 'With `skip_empty_messages` nothing would be delivered for this block.',
    },
    block: ref('TestedBlock'),
    signing_key: {
      type: 'string',
      pattern: '^whsec_[a-z0-9]{24}$',
      description: 'What it was signed with: a key made for this one delivery.',
    },
    delivery: ref('TestDelivery'),
  }),

  TestDelivery: record({
    id: { type: 'string', description: 'The `id` of the body.' },
    body: nullable('string', 'The exact text that was signed and sent; null above 256 KiB.'),
  }),
}

/** What can be tried before a webhook is made. */
export const TEST_PATHS: Paths = {
  '/api/test-webhook': {
    post: operation({
      id: 'testWebhook',
      tag: 'Webhooks',
      audience: 'team',
      summary: 'Try a destination',
      description:
        'Runs a query on one real block, sends the result to the URL as a delivery would be ' +
        'sent, once and signed, and tells what came of it. Nothing is stored, and it costs ' +
        '0 CU. The key that signs it is made for this one delivery and shown in the answer; the ' +
        'sequence number is the block’s number, so that a receiver prefers every real delivery.',
      body: {
        schema: ref('TestWebhook'),
        example: {
          webhook_url: 'https://receiver.example/hook',
          graphql_query: '{ block { number transactions { hash } } }',
          network: 'ETH_MAINNET',
          block: 23800000,
        },
      },
      answer: jsonAnswer('The attempt.', dataOf(ref('TestWebhookAttempt')), {
        data: {
          accepted: true,
          status_code: 200,
          fault: null,
          ms: { lookup: 2, connect: 21, answer: 34, total: 57 },
          response_start: 'ok',
          bytes: EXAMPLE_BODY.length,
          cu: (EXAMPLE_BODY.length * 4) / 100,
          empty: true,
          block: { number: 23800000, hash: `0x${'5c'.repeat(32)}` },
          signing_key: 'whsec_9i8u7y6t5r4e3w2q1a0s9d8f',
          delivery: { id: 'whevt_8r7q6p5o4n3m2l1k', body: EXAMPLE_BODY },
        },
      }),
      errors: {
        '400':
          '`ValidationError`: a field, the URL or the query is wrong; the message says where. ' +
          '`QueryTooDeep`: a type stands more than twice on a path.',
        '404': '`NotFound`: no node knows this block, or there is no such team.',
        '429': '`TooManyRequests`: too many tests at once, or in the last minute.',
        '501': '`UnsupportedField`: the query asks for `inputData`.',
        '503': '`Unavailable`: no node could give the block.',
        '504': '`Timeout`: no node gave the block in time.',
      },
      example: `curl "$HEADGATE_URL/api/test-webhook" \\
  -H "X-Service-Token: $HEADGATE_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"network":"ETH_MAINNET","webhook_url":"https://receiver.example/hook",
    "graphql_query":"{ block { number transactions { hash } } }"}'`,
    }),
  },
}
