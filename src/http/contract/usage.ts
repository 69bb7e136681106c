import {
  choice,
  count,
  integer,
  list,
  nullable,
  number,
  preset,
  record,
  text,
} from '../../core/schema/schema.ts'
import { CALL_STATS_CALLS, TO } from './call-stats.ts'
import { AUTOSCALING, CU, MOMENT } from './fields.ts'
import { data, query, teamCall, tokenCall, under } from './operation.ts'

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

/** Days that one question may span, by bucket: some hundred buckets each. */
export const SERIES_DAYS_MAX = { hour: 31, day: 366, month: 3660 } as const

const BYTES = count('Bytes delivered to webhooks; JSON-RPC calls count 0.')

export const USAGE_TOTALS = record('UsageTotals', { calls: count(), cu: CU, bytes: BYTES })

export const USAGE_SUMMARY = record('UsageSummary', {
  month: text({ pattern: '^\\d{4}-\\d{2}$', description: 'The calendar month, UTC.' }),
  month_cu: CU,
  limit_cu: nullable(number('The tier’s monthly capacity; null is unlimited.')),
  remaining_cu: nullable(number('What is left of it, never below 0.')),
  percent_used: nullable(number('Two digits after the point; over 100 with autoscaling.')),
  autoscaling: AUTOSCALING,
  forecast_cu: nullable(
    number({
      minimum: 0,
      description:
        'What the month comes to at the pace of the last 7 days; null until its third day.',
    }),
  ),
  time_limit_reached: nullable(
    integer(
      'When the capacity is used up at that pace, in ms since 1970; null when it lasts, is ' +
        'used up already, or there is no forecast.',
    ),
  ),
  time_reset: integer('When the next month begins, in ms since 1970.'),
  this_month: USAGE_TOTALS,
  last_24_hours: USAGE_TOTALS,
  last_7_days: USAGE_TOTALS,
})

export const USAGE_POINT = record('UsagePoint', {
  start: integer('When the bucket begins, in ms since 1970, UTC.'),
  group: nullable(text('The method, network or app; null when `group_by` is `none`.')),
  calls: count(),
  cu: CU,
  bytes: BYTES,
})

const BUFFERED =
  'JSON-RPC usage is written to the ledger at least once a second, so the newest second may ' +
  'still be missing.'

export const USAGE_CALLS = under('Usage', {
  ...CALL_STATS_CALLS,

  listUpstreamSpend: tokenCall('GET /api/usage/upstreams', {
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

  getUsageSummary: teamCall('GET /api/usage/summary', {
    summary: 'Usage of the month',
    description:
      'What the team used in this calendar month (UTC) and what is left of its capacity, ' +
      `with the totals of the last 24 hours and 7 days, counted in whole hours. ${BUFFERED}`,
    answer: data('The summary.', USAGE_SUMMARY, {
      month: '2026-11',
      month_cu: 1234567.04,
      limit_cu: 300000000,
      remaining_cu: 298765432.96,
      percent_used: 0.41,
      autoscaling: false,
      forecast_cu: 2512904.18,
      time_limit_reached: null,
      time_reset: 1796083200000,
      this_month: { calls: 61728, cu: 1234567.04, bytes: 0 },
      last_24_hours: { calls: 2200, cu: 44021.6, bytes: 0 },
      last_7_days: { calls: 14870, cu: 297402.12, bytes: 0 },
    }),
  }),

  getUsageSeries: teamCall('GET /api/usage/time-series', {
    summary: 'Usage over time',
    description:
      'The team’s usage in buckets, oldest first; buckets without usage are left out. A ' +
      `range may span ${SERIES_DAYS_MAX.hour} days by the hour, ${SERIES_DAYS_MAX.day} by ` +
      `the day, and ${SERIES_DAYS_MAX.month} by the month. ${BUFFERED}`,
    parameters: {
      bucket: query(
        'How wide a bucket is, in UTC.',
        preset(choice(['hour', 'day', 'month']), 'hour'),
      ),
      group_by: query(
        'What the usage of a bucket is split by.',
        preset(choice(['none', 'method', 'network', 'app']), 'none'),
      ),
      from: query(
        'The first moment: milliseconds since 1970, a date, or ISO 8601 with a zone. Default: 24 ' +
          'hours before `to`. It is rounded down to the hour.',
        MOMENT,
        '2026-11-01T00:00:00Z',
      ),
      to: TO,
    },
    answer: data('The buckets.', list(USAGE_POINT), [
      { start: 1763164800000, group: 'eth_call', calls: 120, cu: 3120, bytes: 0 },
      { start: 1763164800000, group: 'eth_getLogs', calls: 4, cu: 240, bytes: 0 },
    ]),
    exampleQuery: '?bucket=day&group_by=method&from=2026-11-01',
  }),
})
