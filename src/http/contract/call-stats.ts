import {
  choice,
  count,
  integer,
  list,
  nullable,
  number,
  preset,
  record,
  type Static,
  text,
} from '../../core/schema/schema.ts'
import { CU, MOMENT } from './fields.ts'
import { data, ID, query, teamCall } from './operation.ts'

/** How long figures of calls are kept by the day, in days. */
export const CALL_STATS_DAYS = 31

/** The same by the hour, in days. */
export const CALL_HOURS_DAYS = 7

/** The same by the minute, in hours. */
export const CALL_MINUTES_HOURS = 6

/** Groups that one answer has, the largest. */
export const CALL_GROUPS_MAX = 100

const MEDIAN_MS = nullable(
  number({
    minimum: 0,
    description:
      'Half of the calls took less, in milliseconds; estimated from a histogram of 20 buckets. ' +
      'Calls with an error are left out. Null when there are no others.',
  }),
)

const P99_MS = nullable(
  number({ minimum: 0, description: '99 of 100 calls took less; otherwise like `median_ms`.' }),
)

const CALLS = count('JSON-RPC calls that were answered, members of batches one by one.')

const ERRORS = count(
  'Calls of them that the service refused or could not answer, such as 429 and 503.',
)

const NODE_ERRORS = count(
  'Calls of them that a node answered with an error, such as a revert; not in `errors`.',
)

const CALL_STATS = record('CallStats', {
  group: nullable(text('The app’s id, method, network or status; null when `group_by` is `none`.')),
  calls: CALLS,
  errors: ERRORS,
  node_errors: NODE_ERRORS,
  cached: count('Calls of them that were answered from the cache.'),
  coalesced: count('Calls of them that shared the answer of a like call at the same time.'),
  cu: CU,
  median_ms: MEDIAN_MS,
  p99_ms: P99_MS,
  share_percent: number({
    minimum: 0,
    maximum: 100,
    description: 'Its share of the calls of all groups, to two digits after the point.',
  }),
})

const CALL_POINT = record('CallPoint', {
  start: integer('When the bucket begins, in ms since 1970, UTC.'),
  calls: CALLS,
  errors: ERRORS,
  node_errors: NODE_ERRORS,
  median_ms: MEDIAN_MS,
  p99_ms: P99_MS,
})

export type WireCallStats = Static<typeof CALL_STATS>
export type WireCallPoint = Static<typeof CALL_POINT>

export const TO = query(
  'The end, itself not included, written like `from`. Default: now.',
  MOMENT,
  '2026-11-15T00:00:00Z',
)

const FILTERS = {
  app_id: query('Only calls of this app.', ID, 'app_1a2b3c4d5e6f7g8h'),
  network: query('Only calls on this network.', ID, 'ETH_MAINNET'),
  from: query(
    'The first moment: milliseconds since 1970, a date, or ISO 8601 with a zone. Default: 24 ' +
      'hours before `to`, one hour by the minute, 7 days by the day. It is rounded down to the ' +
      'minute, hour or day that calls are counted by.',
    MOMENT,
    '2026-11-14T00:00:00Z',
  ),
  to: TO,
}

const BUFFERED =
  'Figures are written at least once a second, so the newest second may still be missing. They ' +
  `are kept for ${CALL_MINUTES_HOURS} hours by the minute, ${CALL_HOURS_DAYS} days by the hour ` +
  `and ${CALL_STATS_DAYS} days by the day.`

export const CALL_STATS_CALLS = {
  getCallStats: teamCall('GET /api/call-stats', {
    summary: 'Calls, errors and times',
    description:
      'How many JSON-RPC calls the team’s apps made, how many went wrong and how long they took, ' +
      `the largest groups first, at most ${CALL_GROUPS_MAX} of them. A range is counted by the ` +
      'finest that is kept for all of it; by method, status and upstream nothing is finer than ' +
      `an hour. ${BUFFERED}`,
    parameters: {
      group_by: query(
        'What the calls are split by. A `status` is `ok`, `node_error`, or the reason of a ' +
          'refusal as in the metric `headgate_rpc_calls_total`. An `upstream` is the one that ' +
          'answered, or that gave an answer which was cached; refusals have none.',
        preset(choice(['none', 'app', 'method', 'network', 'status', 'upstream']), 'none'),
      ),
      ...FILTERS,
    },
    answer: data('The groups.', list(CALL_STATS), [
      {
        group: 'eth_call',
        calls: 74210,
        errors: 3,
        node_errors: 11,
        cached: 23005,
        coalesced: 2968,
        cu: 1929382,
        median_ms: 18.2,
        p99_ms: 96.4,
        share_percent: 64.21,
      },
    ]),
    exampleQuery: '?group_by=method',
  }),

  getCallSeries: teamCall('GET /api/call-stats/time-series', {
    summary: 'Calls, errors and times over time',
    description:
      'The same in buckets, oldest first; buckets without calls are left out. ' +
      `A range may span as much as is kept. ${BUFFERED}`,
    parameters: {
      bucket: query(
        'How wide a bucket is, in UTC.',
        preset(choice(['minute', 'hour', 'day']), 'hour'),
      ),
      ...FILTERS,
    },
    answer: data('The buckets.', list(CALL_POINT), [
      {
        start: 1763164800000,
        calls: 15210,
        errors: 2,
        node_errors: 4,
        median_ms: 21.4,
        p99_ms: 182.5,
      },
    ]),
    exampleQuery: '?bucket=hour',
  }),
}
