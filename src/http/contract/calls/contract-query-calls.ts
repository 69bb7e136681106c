import { jsonAnswer, operation, type Paths, ref } from '../openapi.ts'
import { TEST_PATHS } from './contract-test-calls.ts'

const QUERY_EXAMPLE =
  '{ block { number logs(filter: {addresses: ["0xdac17f958d2ee523a2206206994597c13d831ec7"]}) ' +
  '{ data topics transaction { hash } } } }'

/** Queries, as webhooks run them. */
export const QUERY_PATHS: Paths = {
  '/api/test-query': {
    post: operation({
      id: 'testQuery',
      tag: 'Webhooks',
      audience: 'team',
      summary: 'Try a query',
      description:
        'Runs a query on one real block and shows the result exactly as it would be delivered, ' +
        'with its size and price. Nothing is stored or delivered, and it costs 0 CU. The team’s ' +
        'variables count as they are now.',
      body: {
        schema: ref('TestQuery'),
        example: { network: 'ETH_MAINNET', graphql_query: QUERY_EXAMPLE, block: 23800000 },
      },
      answer: jsonAnswer('The result.', ref('TestQueryResult'), {
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
        '400':
          '`ValidationError`: a field or the query is wrong; the message says where. ' +
          '`QueryTooDeep`: a type stands more than twice on a path.',
        '404': '`NotFound`: no node knows this block, or there is no such team.',
        '429':
          '`TooManyRequests`: too many dry runs at once, or too many of them or of queries in ' +
          'the last ten seconds.',
        '501': '`UnsupportedField`: the query asks for `inputData`.',
        '503': '`Unavailable`: no node could give the block.',
        '504': '`Timeout`: no node gave the block in time.',
      },
      example: `curl "$HEADGATE_URL/api/test-query" \\
  -H "X-Service-Token: $HEADGATE_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"network":"ETH_MAINNET","graphql_query":"{ block { number transactions { hash } } }"}'`,
    }),
  },

  ...TEST_PATHS,

  '/api/graphql/schema': {
    get: operation({
      id: 'getQuerySchema',
      tag: 'Webhooks',
      audience: 'any-token',
      summary: 'The schema of queries',
      description:
        'What queries are written against, in the schema definition language of GraphQL, for ' +
        'editors and code generators. Queries themselves may not ask for it.',
      answer: {
        description: 'The schema as text.',
        content: { 'text/plain': { schema: { type: 'string' } } },
      },
      example: 'curl "$HEADGATE_URL/api/graphql/schema" -H "X-Service-Token: $HEADGATE_TOKEN"',
    }),
  },
}
