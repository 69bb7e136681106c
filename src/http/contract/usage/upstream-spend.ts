import { count, integer, list, record, text } from '../../../core/schema/schema.ts'
import { data, tokenCall } from '../operation.ts'

/** How far back spending at upstreams is told, in days: the month under way and twelve before. */
export const SPEND_DAYS = 400

const UPSTREAM_SPEND = record('UpstreamSpend', {
  network: text(),
  upstream: text('Its configured name; never its address.'),
  account: text('Upstreams of one account share a budget.'),
  start: integer('The reset day on which the month began, in ms since 1970, UTC.'),
  requests: count('Requests of all processes, polls and reads for webhooks included.'),
  credits: count('Credits of them, by the table of the budget.'),
})

/** The cost of upstreams. */
export const UPSTREAM_SPEND_CALLS = {
  listUpstreamSpend: tokenCall('GET /api/usage/upstreams', {
    tag: 'Usage',
    summary: 'Spending at upstreams',
    description:
      'What was spent at each upstream that has a budget, by billing month, newest first, of ' +
      `the last ${SPEND_DAYS} days. It is written every two seconds, so the newest may still be ` +
      'missing.',
    answer: data('The months.', list(UPSTREAM_SPEND), [
      {
        network: 'ETH_MAINNET',
        upstream: 'alchemy',
        account: 'alchemy',
        start: 1793491200000,
        requests: 81230,
        credits: 1900412,
      },
    ]),
  }),
}
