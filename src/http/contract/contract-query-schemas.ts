import { ID_SCHEMA, ref, type Schema } from './openapi.ts'
import { record } from './schema-shapes.ts'

export const EVM_NETWORK: Schema = {
  ...ID_SCHEMA,
  description: 'The id of a configured EVM network, for example `ETH_MAINNET`.',
}

/** How long it may be is for the compiler to say, which has the better words. */
export const QUERY_TEXT: Schema = {
  type: 'string',
  minLength: 1,
  pattern: '^[^\\0]*$',
  'x-form': 'text without the character NUL',
  description: 'The text of the query.',
}

export const GRAPHQL_QUERY: Schema = {
  anyOf: [QUERY_TEXT, ref('GraphqlQuery')],
  description: 'The text of the query, or an object with it.',
}

export const WHICH_BLOCK: Schema = {
  anyOf: [
    { type: 'integer', minimum: 0 },
    {
      type: 'string',
      pattern: '^([0-9]{1,16}|0x[0-9a-fA-F]{1,13}|0x[0-9a-fA-F]{64})$',
      'x-form': 'a block number, decimal or 0x, or a hash of 32 bytes',
    },
  ],
  description:
    'The block’s number or hash. Default: what the query’s own `block(number:)` or ' +
    '`block(hash:)` says, or else the newest block.',
}

const BLOCK_HASH: Schema = { type: 'string', pattern: '^0x[0-9a-f]{64}$' }

/** What a webhook's query is written in, and what it gives. */
export const QUERY_SCHEMAS: Readonly<Record<string, Schema>> = {
  GraphqlQuery: record(
    {
      query: QUERY_TEXT,
      skip_empty_messages: {
        type: 'boolean',
        default: false,
        description: 'Deliver only results that are not empty.',
      },
    },
    ['skip_empty_messages'],
  ),

  TestQuery: record(
    {
      network: EVM_NETWORK,
      graphql_query: GRAPHQL_QUERY,
      block: WHICH_BLOCK,
    },
    ['block'],
  ),

  TestQueryResult: record(
    {
      data: { type: 'object', description: 'What `event.data` of the delivery would be.' },
      bytes: {
        type: 'integer',
        minimum: 0,
        description: 'The size of the whole body that would be delivered.',
      },
      cu: {
        type: 'number',
        minimum: 0,
        description: 'What that delivery would cost. The dry run itself costs nothing.',
      },
      matched: {
        type: 'object',
        additionalProperties: { type: 'integer', minimum: 0 },
        description: 'How many items each list directly under `block` has, by response name.',
      },
      empty: {
        type: 'boolean',
        description:
          'There are lists directly under `block`, and all are empty: with ' +
          '`skip_empty_messages` nothing would be delivered.',
      },
      block: ref('TestedBlock'),
      truncated: {
        const: true,
        description: 'Only when the result was over 10 MB, and lists were cut.',
      },
      truncated_fields: { type: 'array', items: { type: 'string' } },
      truncation_reason: { type: 'string' },
      variables: {
        type: 'array',
        items: { type: 'string' },
        description:
          'Only when there are some: variables that the query names and the team does not ' +
          'have. They match nothing.',
      },
    },
    ['truncated', 'truncated_fields', 'truncation_reason', 'variables'],
  ),

  TestedBlock: record({ number: { type: 'integer', minimum: 0 }, hash: BLOCK_HASH }),
}
