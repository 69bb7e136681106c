import {
  dataOf,
  jsonAnswer,
  operation,
  type Parameter,
  type Paths,
  ref,
  type Schema,
} from '../openapi.ts'

/** Days that one question may span, by bucket: some hundred buckets each. */
export const SERIES_DAYS_MAX = { hour: 31, day: 366, month: 3660 } as const

const BUFFERED =
  'JSON-RPC usage is written to the ledger at least once a second, so the newest second may ' +
  'still be missing.'

const TEAM_EXAMPLE = {
  id: 'team_7h3j5k9l2z4x6c8v',
  name: 'Payments',
  tier: 'growth',
  autoscaling: false,
  limits: {
    monthly_cu: 300000000,
    cu_per_second: 10000,
    paid: true,
    webhooks: 100,
    variable_items: 10000000,
    undelivered_bytes: 1073741824,
  },
  time_created: 1763164800000,
}

const DAY_PATTERN = '\\d{4}-\\d{2}-\\d{2}'
const TIME_PATTERN = '\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,3})?)?(Z|[+-]\\d{2}:\\d{2})'

const MOMENT: Schema = {
  type: 'string',
  'x-form': 'milliseconds since 1970, a date, or ISO 8601 with a zone',
  pattern: `^(\\d{1,15}|${DAY_PATTERN}(T${TIME_PATTERN})?)$`,
}

const SERIES_PARAMETERS: readonly Parameter[] = [
  {
    name: 'bucket',
    in: 'query',
    required: false,
    description: 'How wide a bucket is, in UTC.',
    schema: { type: 'string', enum: ['hour', 'day', 'month'], default: 'hour' },
  },
  {
    name: 'group_by',
    in: 'query',
    required: false,
    description: 'What the usage of a bucket is split by.',
    schema: { type: 'string', enum: ['none', 'method', 'network', 'app'], default: 'none' },
  },
  {
    name: 'from',
    in: 'query',
    required: false,
    description:
      'The first moment: milliseconds since 1970, a date, or ISO 8601 with a zone. Default: 24 ' +
      'hours before `to`. It is rounded down to the hour.',
    schema: MOMENT,
    example: '2026-11-01T00:00:00Z',
  },
  {
    name: 'to',
    in: 'query',
    required: false,
    description: 'The end, itself not included, written like `from`. Default: now.',
    schema: MOMENT,
    example: '2026-11-15T00:00:00Z',
  },
]

/** The team itself, what it used, and the networks it can use. */
export const TEAM_PATHS: Paths = {
  '/api/team': {
    get: operation({
      id: 'getTeam',
      tag: 'Team',
      audience: 'team',
      summary: 'Read the team',
      description: 'The team the token belongs to, with the limits of its tier.',
      answer: jsonAnswer('The team.', dataOf(ref('Team')), { data: TEAM_EXAMPLE }),
      example: 'curl "$HEADGATE_URL/api/team" -H "X-Service-Token: $HEADGATE_TOKEN"',
    }),
    patch: operation({
      id: 'changeTeam',
      tag: 'Team',
      audience: 'team',
      summary: 'Change the team',
      description:
        'Turns autoscaling on or off. The tier can be changed with the operator’s token only, ' +
        'which names the team with `X-Team-Id`.',
      body: { schema: ref('TeamChange'), example: { autoscaling: true } },
      answer: jsonAnswer('The team as it is now.', dataOf(ref('Team')), {
        data: { ...TEAM_EXAMPLE, autoscaling: true },
      }),
      errors: { '403': '`Forbidden`: the tier takes the operator’s token.' },
      example: `curl -X PATCH "$HEADGATE_URL/api/team" \\
  -H "X-Service-Token: $HEADGATE_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"autoscaling":true}'`,
    }),
  },

  '/api/usage/summary': {
    get: operation({
      id: 'getUsageSummary',
      tag: 'Usage',
      audience: 'team',
      summary: 'Usage of the month',
      description:
        'What the team used in this calendar month (UTC) and what is left of its capacity, ' +
        `with the totals of the last 24 hours and 7 days, counted in whole hours. ${BUFFERED}`,
      answer: jsonAnswer('The summary.', dataOf(ref('UsageSummary')), {
        data: {
          month: '2026-11',
          month_cu: 1234567.04,
          limit_cu: 300000000,
          remaining_cu: 298765432.96,
          percent_used: 0.41,
          autoscaling: false,
          time_reset: 1796083200000,
          this_month: { calls: 61728, cu: 1234567.04, bytes: 0 },
          last_24_hours: { calls: 2200, cu: 44021.6, bytes: 0 },
          last_7_days: { calls: 14870, cu: 297402.12, bytes: 0 },
        },
      }),
      example: 'curl "$HEADGATE_URL/api/usage/summary" -H "X-Service-Token: $HEADGATE_TOKEN"',
    }),
  },

  '/api/usage/time-series': {
    get: operation({
      id: 'getUsageSeries',
      tag: 'Usage',
      audience: 'team',
      summary: 'Usage over time',
      description:
        'The team’s usage in buckets, oldest first; buckets without usage are left out. A ' +
        `range may span ${SERIES_DAYS_MAX.hour} days by the hour, ${SERIES_DAYS_MAX.day} by ` +
        `the day, and ${SERIES_DAYS_MAX.month} by the month. ${BUFFERED}`,
      parameters: SERIES_PARAMETERS,
      answer: jsonAnswer('The buckets.', dataOf({ type: 'array', items: ref('UsagePoint') }), {
        data: [
          { start: 1763164800000, group: 'eth_call', calls: 120, cu: 3120, bytes: 0 },
          { start: 1763164800000, group: 'eth_getLogs', calls: 4, cu: 240, bytes: 0 },
        ],
      }),
      example:
        'curl "$HEADGATE_URL/api/usage/time-series?bucket=day&group_by=method&from=2026-11-01" ' +
        '-H "X-Service-Token: $HEADGATE_TOKEN"',
    }),
  },

  '/api/networks': {
    get: operation({
      id: 'listNetworks',
      tag: 'Networks',
      audience: 'any-token',
      summary: 'Networks and their health',
      description:
        'Every configured network with its head, and each of its upstreams: whether it is ' +
        'used, and why or why not.',
      answer: jsonAnswer('The networks.', dataOf({ type: 'array', items: ref('Network') }), {
        data: [
          {
            id: 'ETH_MAINNET',
            slug: 'eth-mainnet',
            kind: 'evm',
            head: { number: 23800000, hash: `0x${'5c'.repeat(32)}`, age_ms: 3100 },
            finalized: 23799930,
            upstreams: [
              {
                name: 'node-a',
                state: 'used',
                reason: 'healthy',
                last_fault: null,
                head: 23800000,
                lag_blocks: 0,
                error_rate: 0,
                latency_ms: 14.2,
                in_flight: 3,
                heard: true,
              },
            ],
            account_indexes: [],
          },
        ],
      }),
      example: 'curl "$HEADGATE_URL/api/networks" -H "X-Service-Token: $HEADGATE_TOKEN"',
    }),
  },

  '/api/openapi.json': {
    get: operation({
      id: 'getOpenApi',
      tag: 'Operating',
      audience: 'public',
      summary: 'This document',
      description: 'The OpenAPI 3.1 document that requests are checked against. No token needed.',
      answer: jsonAnswer('The document.', { type: 'object' }),
      example: 'curl "$HEADGATE_URL/api/openapi.json"',
    }),
  },
}
