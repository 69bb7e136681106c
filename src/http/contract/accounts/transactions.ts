import {
  choice,
  count,
  described,
  list,
  nullable,
  object,
  preset,
  record,
  text,
} from '../../../core/schema/schema.ts'
import { TIME_MS } from '../fields.ts'
import { ID, json, path, query, teamCall } from '../operation.ts'

const TRANSACTION_STATE = choice(
  ['pending', 'mined', 'failed', 'dropped'],
  '`pending` until it is in a block, `mined`, `failed` when it was mined and reverted, `dropped` ' +
    'when another one took its nonce or no node has had it for 10 minutes.',
)

export const SENT_TRANSACTION = record('SentTransaction', {
  hash: text(),
  network: text(),
  state: TRANSACTION_STATE,
  block_number: nullable(count('The block that it is in; null while it is in none.')),
  upstreams: list(text(), 'The names of the upstreams that took it.'),
  time_sent: TIME_MS,
  time_updated: TIME_MS,
})

const TRANSACTION_PAGE = record('SentTransactionPage', {
  data: list(SENT_TRANSACTION, 'Newest first.'),
  pagination: record('SentTransactionPagination', {
    cursors: described(
      object({}, { after: text() }),
      '`after` is the `cursor` of the next page; on the last one it is absent.',
    ),
  }),
})

/** The log of what an app has sent. */
export const TRANSACTION_CALLS = {
  listAppTransactions: teamCall('GET /api/apps/{id}/transactions', {
    tag: 'Apps',
    summary: 'List the transactions of an app',
    description:
      'The signed transactions that an app has sent with `eth_sendRawTransaction` and a node ' +
      'took, newest first, and what became of them. Kept for 7 days, the last 10,000 of each app.',
    parameters: {
      id: path('The app’s id.', ID, 'app_4k2m9x7q1w8e5r3t'),
      state: query('Only those that are so.', TRANSACTION_STATE),
      limit: query('Transactions of one page.', preset(count({ minimum: 1, maximum: 1000 }), 100)),
      cursor: query(
        'Where the page begins: `after` of the one before.',
        text({
          pattern: '^[0-9]{1,15}-0x[0-9a-f]{64}$',
          'x-form': 'what pagination.cursors.after of the page before says',
        }),
      ),
    },
    answer: json('The page.', TRANSACTION_PAGE, {
      data: [
        {
          hash: `0x${'5c'.repeat(32)}`,
          network: 'ETH_MAINNET',
          state: 'mined',
          block_number: 23800000,
          upstreams: ['node-a', 'vendor'],
          time_sent: 1763164800000,
          time_updated: 1763164812000,
        },
      ],
      pagination: { cursors: {} },
    }),
    errors: { '404': '`NotFound`: the team has no app of this id.' },
    exampleQuery: '?state=pending',
  }),
}
