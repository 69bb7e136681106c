import {
  choice,
  count,
  described,
  flag,
  integer,
  list,
  nullable,
  number,
  record,
  text,
} from '../../core/schema/schema.ts'
import { data, tokenCall, under } from './operation.ts'

const MEDIAN_MS = nullable(
  number({
    minimum: 0,
    description:
      'Half of its answers took less, in milliseconds; estimated from a histogram of 20 ' +
      'buckets. Null when it gave none.',
  }),
)

const HEAD = record('Head', {
  number: count(),
  hash: nullable(text('The hash of the block; null on Solana networks.')),
  age_ms: nullable(number('How long ago a node last reported it.')),
})

const UPSTREAM_HOUR = record('UpstreamHour', {
  start: integer('When the hour begins, in ms since 1970, UTC.'),
  calls: count(),
  errors: count(),
  median_ms: MEDIAN_MS,
})

const UPSTREAM_BUDGET = record('UpstreamBudget', {
  account: text('Upstreams of one account share a budget, and all its figures here.'),
  requests_per_second: nullable(integer('The limit of all processes; null is none.')),
  credits_per_month: nullable(integer('The same for credits; null is none.')),
  credits_spent: count('Credits spent since the last reset, as far as is known here.'),
  time_reset: integer('When the credits begin anew, in ms since 1970.'),
})

const UPSTREAM_STATE = {
  name: text('Its configured name; never its address.'),
  state: choice(['used', 'standby', 'excluded']),
  reason: nullable(text('Why it is or is not used.')),
  last_fault: nullable(text('What went wrong last; null when nothing did.')),
  last_fault_age_ms: nullable(number('How long ago that was.')),
  next_probe_ms: nullable(
    number('While it rests after failures: how long until it is tried again.'),
  ),
  head: nullable(integer('The newest block or slot it reported.')),
  lag_blocks: nullable(integer('Behind the network’s head; null when it never reported.')),
  error_rate: number({ minimum: 0, maximum: 1 }),
  latency_ms: nullable(number('The usual time until an answer.')),
  in_flight: count(),
  sends_only: flag('A private relay: it gets transactions, and no reads.'),
  disagreements: count('Answers unlike those that a quorum of others agreed on, since the start.'),
  last_disagreement: nullable(text('The method of the last such answer; null without any.')),
  last_disagreement_age_ms: nullable(number('How long ago that was.')),
  heard: flag('Heads, and blocks for webhooks, are taken from it, whatever calls do there.'),
  budget: described(nullable(UPSTREAM_BUDGET), 'Null where none is configured.'),
}

const UPSTREAM_FIGURES = {
  calls: count(
    'Requests that all processes sent it in the last hour: calls of apps, and reads for ' +
      'webhooks; no polls. Counted in spans of five minutes, as all that follows.',
  ),
  errors: count('Requests of them without a usable answer. An error of the caller is none.'),
  median_ms: MEDIAN_MS,
  p99_ms: nullable(
    number({ minimum: 0, description: '99 of 100 answers took less; else like `median_ms`.' }),
  ),
  share_percent: number({
    minimum: 0,
    maximum: 100,
    description: 'Its share of the network’s requests, to two digits after the point.',
  }),
  hours: list(UPSTREAM_HOUR, 'The last 24 hours, oldest first; those without calls are left out.'),
}

const UPSTREAM = record('Upstream', { ...UPSTREAM_STATE, ...UPSTREAM_FIGURES })

const ACCOUNT_INDEX = record('AccountIndex', {
  program: text(),
  state: choice(['live', 'catching_up'], 'While it catches up, the node is asked.'),
  accounts: count(),
  slot: nullable(integer('The newest slot it can show; null before the first.')),
  finalized_slot: nullable(integer('The newest of those that is final.')),
  lag_slots: nullable(integer('Behind the network’s head.')),
  last_fault: nullable(text('What went wrong last; null when nothing did.')),
})

const VERIFY = record('Verify', {
  mode: choice(['auto', 'receipts', 'off'], 'As configured.'),
  form: nullable(
    choice(
      ['receipts'],
      'Blocks are proven by their hash: header, transactions, receipts, withdrawals.',
    ),
  ),
  fallback: nullable(
    text('Why they are not, such as `op_deposits`: then their parts are compared with each other.'),
  ),
  unproven: described(
    nullable(
      record('UnprovenBlock', {
        number: count(),
        reason: text('Such as an unknown member of the header, as after a fork of the chain.'),
      }),
    ),
    'The last block that was taken without a proof, as more than half of the upstreams show it so.',
  ),
})

export const NETWORK = record('Network', {
  id: text(),
  slug: text('How the network is written in URLs.'),
  kind: choice(['evm', 'solana']),
  head: described(nullable(HEAD), 'Null until a node reported.'),
  finalized: nullable(integer('The newest block or slot that cannot change any more.')),
  block_time_ms: number('The usual time from one block to the next, as configured.'),
  verify: VERIFY,
  upstreams: list(UPSTREAM),
  account_indexes: list(
    ACCOUNT_INDEX,
    'The programs whose accounts are indexed (programAccounts.index).',
  ),
})

export const NETWORK_CALLS = under('Networks', {
  listNetworks: tokenCall('GET /api/networks', {
    summary: 'Networks and their health',
    description:
      'Every configured network with its head, and each of its upstreams: whether it is ' +
      'used, and why or why not, and how requests went there in the last hour.',
    answer: data('The networks.', list(NETWORK), [
      {
        id: 'ETH_MAINNET',
        slug: 'eth-mainnet',
        kind: 'evm',
        head: { number: 23800000, hash: `0x${'5c'.repeat(32)}`, age_ms: 3100 },
        finalized: 23799930,
        block_time_ms: 12000,
        verify: { mode: 'auto', form: 'receipts', fallback: null, unproven: null },
        upstreams: [
          {
            name: 'node-a',
            state: 'used',
            reason: 'healthy',
            last_fault: null,
            last_fault_age_ms: null,
            next_probe_ms: null,
            head: 23800000,
            lag_blocks: 0,
            error_rate: 0,
            latency_ms: 14.2,
            in_flight: 3,
            heard: true,
            sends_only: false,
            disagreements: 0,
            last_disagreement: null,
            last_disagreement_age_ms: null,
            budget: null,
            calls: 15210,
            errors: 2,
            median_ms: 14.1,
            p99_ms: 71.9,
            share_percent: 71.3,
            hours: [{ start: 1763164800000, calls: 15210, errors: 2, median_ms: 14.1 }],
          },
        ],
        account_indexes: [],
      },
    ]),
  }),
})
