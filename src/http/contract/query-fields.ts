import { anyOf, described, flag, preset, record, text } from '../../core/schema/schema.ts'
import { ID } from './operation.ts'

export const EVM_NETWORK = described(
  ID,
  'The id of a configured EVM network, for example `ETH_MAINNET`.',
)

/** The compiler limits its length: it has the better words. */
export const QUERY_TEXT = text({
  minLength: 1,
  pattern: '^[^\\0]*$',
  'x-form': 'text without the character NUL',
  description: 'The text of the query.',
})

const SKIP_EMPTY = flag('Deliver only results that are not empty.')

export const GRAPHQL_QUERY = record(
  'GraphqlQuery',
  { query: QUERY_TEXT },
  { skip_empty_messages: preset(SKIP_EMPTY, false) },
)

export const GRAPHQL_QUERY_CHANGE = record(
  'GraphqlQueryChange',
  {},
  {
    query: described(QUERY_TEXT, 'The text of the new query.'),
    skip_empty_messages: SKIP_EMPTY,
  },
)

export const QUERY_OR_TEXT = anyOf(
  QUERY_TEXT,
  GRAPHQL_QUERY,
  'The text of the query, or an object with it.',
)

export const QUERY_EXAMPLE =
  '{ block { number logs(filter: {addresses: ["0xdac17f958d2ee523a2206206994597c13d831ec7"]}) ' +
  '{ data topics transaction { hash } } } }'

/** The errors of calls that run a query on a block. */
export const RUN_ERRORS = {
  '400':
    '`ValidationError`: a field or the query is wrong; the message says where. ' +
    '`QueryTooDeep`: a type stands more than twice on a path.',
  '404': '`NotFound`: no node knows this block, or there is no such team.',
  '501': '`UnsupportedField`: the query asks for `inputData`.',
  '503': '`Unavailable`: no node could give the block.',
  '504': '`Timeout`: no node gave the block in time.',
}
