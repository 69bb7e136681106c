import {
  choice,
  count,
  described,
  flag,
  integer,
  list,
  mapOf,
  nullable,
  preset,
  record,
  type Static,
  text,
} from '../../core/schema/schema.ts'
import { CU } from './fields.ts'
import { body, data, teamCall } from './operation.ts'
import { EVM_NETWORK, QUERY_EXAMPLE, QUERY_OR_TEXT, RUN_ERRORS } from './query-fields.ts'

const ESTIMATE_BLOCKS_MAX = 50

export const QUERY_ERRORS_MAX = 10

const CHECK_QUERY = record(
  'CheckQuery',
  { graphql_query: QUERY_OR_TEXT },
  {
    network: described(
      EVM_NETWORK,
      'The network it is for: one without call traces refuses queries for them.',
    ),
  },
)

const QUERY_ERROR = record('QueryError', {
  message: text('What is wrong, without the place.'),
  line: nullable(integer({ minimum: 1, description: 'Null where the whole query is meant.' })),
  column: nullable(integer({ minimum: 1, description: 'In UTF-16 units, as editors count.' })),
  length: nullable(integer({ minimum: 1, description: 'How long the wrong word is.' })),
})

const QUERY_VARIABLE = record('QueryVariable', {
  name: text(),
  kind: choice(['Address', 'Bytes32'], 'As the query declares it.'),
  items: nullable(count('How many items the team’s list has; null when there is none.')),
})

const QUERY_CHECK = record('QueryCheck', {
  ok: flag('A webhook can be made of it.'),
  errors: list(
    QUERY_ERROR,
    `At most ${QUERY_ERRORS_MAX}; the first is the one that a create call would answer with.`,
  ),
  variables: list(QUERY_VARIABLE, 'The variables that it names; none while it has errors.'),
  is_filtered: nullable(
    flag('At least one list directly under `block` has a filter. Null while it has errors.'),
  ),
  can_be_empty: nullable(
    flag('It asks for lists directly under `block`, so `skip_empty_messages` can skip blocks.'),
  ),
  needs_receipts: nullable(flag('Each block is read with its receipts.')),
  needs_traces: nullable(flag('Each block is read with its call traces.')),
})

const ESTIMATE_QUERY = record(
  'EstimateQuery',
  { network: EVM_NETWORK, graphql_query: QUERY_OR_TEXT },
  {
    blocks: preset(
      integer({
        minimum: 1,
        maximum: ESTIMATE_BLOCKS_MAX,
        description: 'How many of the newest blocks it is tried on.',
      }),
      ESTIMATE_BLOCKS_MAX,
    ),
  },
)

const MONTH_ESTIMATE = record('MonthEstimate', { deliveries: count(), bytes: count(), cu: CU })

const BLOCK_SAMPLE = record('BlockSample', {
  number: count(),
  bytes: count('The size of the whole body.'),
  matched: mapOf(count(), 'How many items each list directly under `block` has.'),
  empty: flag('With `skip_empty_messages` it would not be delivered.'),
})

const QUERY_ESTIMATE = record(
  'QueryEstimate',
  {
    network: text(),
    from_block: count('The oldest block that was read.'),
    to_block: count('The newest.'),
    blocks: count('How many were read: fewer than asked for when nodes were slow.'),
    delivered: count('How many of them would be delivered, by `skip_empty_messages`.'),
    empty: count('How many gave an empty result.'),
    bytes: count('The bytes of all that would be delivered.'),
    cu: CU,
    largest_bytes: count('The largest body of those.'),
    block_time_ms: integer({
      minimum: 1,
      description: 'From one block to the next, by their times; configured when one was read.',
    }),
    month: described(MONTH_ESTIMATE, 'At this pace, in 30 days.'),
    month_every_block: described(
      MONTH_ESTIMATE,
      'The same without `skip_empty_messages`: every block is delivered.',
    ),
    sample: list(BLOCK_SAMPLE, 'Each block that was read, oldest first.'),
  },
  {
    variables: list(
      text(),
      'Only when there are some: variables that the query names and the team does not ' +
        'have. They match nothing.',
    ),
  },
)

export type WireQueryError = Static<typeof QUERY_ERROR>
export type WireQueryCheck = Static<typeof QUERY_CHECK>
export type WireQueryEstimate = Static<typeof QUERY_ESTIMATE>
export type WireMonthEstimate = Static<typeof MONTH_ESTIMATE>

export const QUERY_CHECK_CALLS = {
  checkQuery: teamCall('POST /api/check-query', {
    summary: 'Check a query',
    description:
      'Compiles a query and says what is wrong with it, and where. No node is asked and nothing ' +
      'is run, so that an editor can call it while somebody types. A query with mistakes is ' +
      'answered with status 200 and `ok: false`.',
    body: body(CHECK_QUERY, { network: 'ETH_MAINNET', graphql_query: '{ block { nubmer } }' }),
    answer: data('What is wrong with it, or what it needs.', QUERY_CHECK, {
      ok: false,
      errors: [
        {
          message: 'Cannot query field "nubmer" on type "Block". Did you mean "number"?',
          line: 1,
          column: 11,
          length: 6,
        },
      ],
      variables: [],
      is_filtered: null,
      can_be_empty: null,
      needs_receipts: null,
      needs_traces: null,
    }),
    errors: {
      '429': '`TooManyRequests`: too many checks of this team in the last ten seconds.',
    },
  }),

  estimateQuery: teamCall('POST /api/estimate-query', {
    summary: 'Estimate what a query costs',
    description:
      'Runs a query on the newest blocks and says what would be delivered and what that costs, ' +
      'for these blocks and for a month of 30 days at their pace. Nothing is stored or ' +
      'delivered, and it costs 0 CU. The answer is made of the blocks that could be read in ' +
      'time: look at `blocks`.',
    body: body(ESTIMATE_QUERY, {
      network: 'ETH_MAINNET',
      graphql_query: { query: QUERY_EXAMPLE, skip_empty_messages: true },
      blocks: 2,
    }),
    answer: data('The estimate.', QUERY_ESTIMATE, {
      network: 'ETH_MAINNET',
      from_block: 23799999,
      to_block: 23800000,
      blocks: 2,
      delivered: 1,
      empty: 1,
      bytes: 484,
      cu: 19.36,
      largest_bytes: 484,
      block_time_ms: 12000,
      month: { deliveries: 108000, bytes: 52272000, cu: 2090880 },
      month_every_block: { deliveries: 216000, bytes: 85212000, cu: 3408480 },
      sample: [
        { number: 23799999, bytes: 305, matched: { logs: 0 }, empty: true },
        { number: 23800000, bytes: 484, matched: { logs: 1 }, empty: false },
      ],
    }),
    errors: {
      ...RUN_ERRORS,
      '429':
        '`TooManyRequests`: too many estimates at once, or too many of them or of queries in ' +
        'the last ten seconds.',
    },
  }),
}
