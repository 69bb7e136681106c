import {
  anyOf,
  count,
  flag,
  integer,
  list,
  mapOf,
  nullable,
  number,
  record,
  text,
} from '../../core/schema/schema.ts'
import { ATTEMPT_TIMES } from './deliveries.ts'
import { body, data, json, plainText, teamCall, tokenCall, under } from './operation.ts'
import { QUERY_CHECK_CALLS } from './query-checks.ts'
import { EVM_NETWORK, QUERY_EXAMPLE, QUERY_OR_TEXT, RUN_ERRORS } from './query-fields.ts'
import { VARIABLE_CALLS } from './variables.ts'

export const WEBHOOK_URL = text({
  minLength: 1,
  maxLength: 2048,
  pattern: '^[^\\p{Cc}\\p{Cs}\\s]*$',
  'x-form': 'a URL without spaces or control characters',
  description:
    'Where deliveries go: http or https, to a public address, without credentials in it.',
})

const WHICH_BLOCK = anyOf(
  count(),
  text({
    pattern: '^([0-9]{1,16}|0x[0-9a-fA-F]{1,13}|0x[0-9a-fA-F]{64})$',
    'x-form': 'a block number, decimal or 0x, or a hash of 32 bytes',
  }),
  'The block’s number or hash. Default: what the query’s own `block(number:)` or ' +
    '`block(hash:)` says, or else the newest block.',
)

const TESTED_BLOCK = record('TestedBlock', {
  number: count(),
  hash: text({ pattern: '^0x[0-9a-f]{64}$' }),
})

export const TEST_QUERY = record(
  'TestQuery',
  { network: EVM_NETWORK, graphql_query: QUERY_OR_TEXT },
  { block: WHICH_BLOCK },
)

export const TEST_QUERY_RESULT = record(
  'TestQueryResult',
  {
    data: mapOf({}, 'What `event.data` of the delivery would be.'),
    bytes: count('The size of the whole body that would be delivered.'),
    cu: number({
      minimum: 0,
      description: 'What that delivery would cost. The dry run itself costs nothing.',
    }),
    matched: mapOf(
      count(),
      'How many items each list directly under `block` has, by response name.',
    ),
    empty: flag(
      'There are lists directly under `block`, and all are empty: with ' +
        '`skip_empty_messages` nothing would be delivered.',
    ),
    block: TESTED_BLOCK,
  },
  {
    truncated: flag('True if the result was over 10 MB and lists were cut; absent otherwise.'),
    truncated_fields: list(text()),
    truncation_reason: text(),
    variables: list(
      text(),
      'Only when there are some: variables that the query names and the team does not ' +
        'have. They match nothing.',
    ),
  },
)

export const TEST_WEBHOOK = record(
  'TestWebhook',
  { webhook_url: WEBHOOK_URL, graphql_query: QUERY_OR_TEXT, network: EVM_NETWORK },
  { block: WHICH_BLOCK },
)

const TEST_DELIVERY = record('TestDelivery', {
  id: text('The `id` of the body.'),
  body: nullable(text('The exact text that was signed and sent; null above 256 KiB.')),
})

export const TEST_WEBHOOK_ATTEMPT = record('TestWebhookAttempt', {
  accepted: flag('The destination answered with a 2xx in time.'),
  status_code: nullable(integer('What it answered; null when it did not.')),
  fault: nullable(
    text('Why no answer came: `dns`, `connect`, `tls`, `timeout`, `reset` or `protocol`.'),
  ),
  ms: ATTEMPT_TIMES,
  response_start: text('The beginning of the answer’s body.'),
  bytes: count('The size of the body that was sent.'),
  cu: number({
    minimum: 0,
    description: 'What a delivery of this size costs. The test itself costs nothing.',
  }),
  empty: flag('With `skip_empty_messages` nothing would be delivered for this block.'),
  block: TESTED_BLOCK,
  signing_key: text({
    pattern: '^whsec_[a-z0-9]{24}$',
    description: 'What it was signed with: a key made for this one delivery.',
  }),
  delivery: TEST_DELIVERY,
})

const SENT_EXAMPLE = JSON.stringify({
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

export const QUERY_CALLS = under('Webhooks', {
  ...VARIABLE_CALLS,

  testQuery: teamCall('POST /api/test-query', {
    summary: 'Try a query',
    description:
      'Runs a query on one real block and shows the result exactly as it would be delivered, ' +
      'with its size and price. Nothing is stored or delivered, and it costs 0 CU. The team’s ' +
      'variables count as they are now.',
    body: body(TEST_QUERY, {
      network: 'ETH_MAINNET',
      graphql_query: QUERY_EXAMPLE,
      block: 23800000,
    }),
    answer: json('The result.', TEST_QUERY_RESULT, {
      data: {
        block: {
          number: 23800000,
          logs: [
            {
              data: `0x${'2a'.padStart(64, '0')}`,
              topics: [`0x${'dd'.repeat(32)}`],
              transaction: { hash: `0x${'7e'.repeat(32)}` },
            },
          ],
        },
      },
      bytes: 484,
      cu: 19.36,
      matched: { logs: 1 },
      empty: false,
      block: { number: 23800000, hash: `0x${'5c'.repeat(32)}` },
    }),
    errors: {
      ...RUN_ERRORS,
      '429':
        '`TooManyRequests`: too many dry runs at once, or too many of them or of queries in ' +
        'the last ten seconds.',
    },
    example: `curl "$HEADGATE_URL/api/test-query" \\
  -H "X-Service-Token: $HEADGATE_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"network":"ETH_MAINNET","graphql_query":"{ block { number transactions { hash } } }"}'`,
  }),

  testWebhook: teamCall('POST /api/test-webhook', {
    summary: 'Try a destination',
    description:
      'Runs a query on one real block, sends the result to the URL as a delivery would be ' +
      'sent, once and signed, and tells what came of it. Nothing is stored, and it costs ' +
      '0 CU. The key that signs it is made for this one delivery and shown in the answer; the ' +
      'sequence number is the block’s number, so that a receiver prefers every real delivery.',
    body: body(TEST_WEBHOOK, {
      webhook_url: 'https://receiver.example/hook',
      graphql_query: '{ block { number transactions { hash } } }',
      network: 'ETH_MAINNET',
      block: 23800000,
    }),
    answer: data('The attempt.', TEST_WEBHOOK_ATTEMPT, {
      accepted: true,
      status_code: 200,
      fault: null,
      ms: { lookup: 2, connect: 9, tls: 12, answer: 34, total: 57 },
      response_start: 'ok',
      bytes: SENT_EXAMPLE.length,
      cu: (SENT_EXAMPLE.length * 4) / 100,
      empty: true,
      block: { number: 23800000, hash: `0x${'5c'.repeat(32)}` },
      signing_key: 'whsec_9i8u7y6t5r4e3w2q1a0s9d8f',
      delivery: { id: 'whevt_8r7q6p5o4n3m2l1k', body: SENT_EXAMPLE },
    }),
    errors: {
      ...RUN_ERRORS,
      '400':
        '`ValidationError`: a field, the URL or the query is wrong; the message says where. ' +
        '`QueryTooDeep`: a type stands more than twice on a path.',
      '429': '`TooManyRequests`: too many tests at once, or in the last minute.',
    },
    example: `curl "$HEADGATE_URL/api/test-webhook" \\
  -H "X-Service-Token: $HEADGATE_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"network":"ETH_MAINNET","webhook_url":"https://receiver.example/hook",
    "graphql_query":"{ block { number transactions { hash } } }"}'`,
  }),

  ...QUERY_CHECK_CALLS,

  getQuerySchema: tokenCall('GET /api/graphql/schema', {
    summary: 'The schema of queries',
    description:
      'What queries are written against, in the schema definition language of GraphQL, for ' +
      'editors and code generators. Queries themselves may not ask for it.',
    answer: plainText('The schema as text.'),
  }),
})
