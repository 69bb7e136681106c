import {
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
import { STATUS, STATUS_CODE } from './deliveries.ts'
import { TIME_MS } from './fields.ts'
import { data, teamCall, under } from './operation.ts'

const DAY_COUNTS = record('WebhookDay', {
  delivered: count(),
  failed: count('Given up after all attempts.'),
  waiting: count('For the first attempt or the next, whenever it was created.'),
  retried: count('Delivered with more than one attempt, at least among the newest 100.'),
  time_from: described(
    TIME_MS,
    'Those created since then are counted: 24 hours ago, or later where there are more than ' +
      '10,000.',
  ),
})

export const WEBHOOK_STATS = record('WebhookStats', {
  webhook_id: text(),
  last_24_hours: DAY_COUNTS,
  success_percent: nullable(
    number('Delivered, of those delivered or failed, two digits after the point; null for none.'),
  ),
  last_delivery: nullable(
    record('LastDelivery', {
      id: text(),
      time_created: TIME_MS,
      status: STATUS,
      status_code: STATUS_CODE,
      block_number: nullable(integer('Null for errors.')),
    }),
  ),
  recent: list(
    record('RecentDelivery', {
      status: STATUS,
      attempts_made: count(),
      rerun: flag('A reorganisation replaced its height: it was run again on the new block.'),
      status_code: STATUS_CODE,
    }),
    'The newest 48, oldest first.',
  ),
})

export const STATS_CALLS = under('Webhooks', {
  getWebhookStats: teamCall('GET /api/webhook-stats', {
    summary: 'See how all webhooks do',
    description:
      'One entry for each webhook of the team: what became of its deliveries in the last 24 ' +
      'hours, the newest one, and the newest 48 in short.',
    answer: data('The webhooks, as `GET /api/team-webhooks` lists them.', list(WEBHOOK_STATS), [
      {
        webhook_id: 'wh_9c5v2b8n4m1k7j3h',
        last_24_hours: {
          delivered: 7190,
          failed: 2,
          waiting: 1,
          retried: 3,
          time_from: 1763078400000,
        },
        success_percent: 99.97,
        last_delivery: {
          id: 'whevt_5q8w2e7r4t1y9u3i',
          time_created: 1763164800000,
          status: 'delivered',
          status_code: 200,
          block_number: 23800000,
        },
        recent: [
          { status: 'failed', attempts_made: 7, rerun: false, status_code: 503 },
          { status: 'delivered', attempts_made: 1, rerun: false, status_code: 200 },
        ],
      },
    ]),
  }),
})
