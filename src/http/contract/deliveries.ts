import {
  choice,
  count,
  described,
  flag,
  integer,
  list,
  mapOf,
  nullable,
  number,
  object,
  preset,
  record,
  text,
} from '../../core/schema/schema.ts'
import { MOMENT, TIME_MS } from './fields.ts'
import { data, ID, json, path, query, teamCall, under } from './operation.ts'

export const STATUS = choice(
  ['waiting', 'delivered', 'failed', 'cancelled'],
  '`waiting` for its first attempt or the next, `delivered`, `failed` when all attempts were ' +
    'in vain, `cancelled` when the webhook was deleted.',
)

export const STATUS_CODE = nullable(
  integer('What the last attempt was answered; null without an answer or an attempt.'),
)

export const ATTEMPT_TIMES = record('AttemptTimes', {
  lookup: number({ minimum: 0, description: 'Milliseconds to find the address.' }),
  connect: number({ minimum: 0, description: 'To connect: TCP alone.' }),
  tls: number({
    minimum: 0,
    description:
      'To agree on TLS; 0 where there is none, on a connection that was kept, and for attempts ' +
      'of versions before, whose `connect` has it.',
  }),
  answer: number({ minimum: 0, description: 'From sending to the answer’s end.' }),
  total: number({ minimum: 0 }),
})

const FAULT = nullable(
  text(
    'Why no answer came: `dns` (the name has no address that deliveries may go to), ' +
      '`connect`, `tls`, `timeout`, `reset` or `protocol`.',
  ),
)

export const DELIVERY_ATTEMPT = record('DeliveryAttempt', {
  time_started: TIME_MS,
  status_code: nullable(integer('What the destination answered; null when it did not.')),
  fault: FAULT,
  ms: ATTEMPT_TIMES,
  response_start: text('The beginning of the answer’s body.'),
  address: nullable(text('The address that was connected to.')),
  queue: choice(
    ['new', 'retry', 'ordered', 'error'],
    'Which queue of its webhook it waited in: `new` ones, what is sent again (`retry`: ' +
      'retries, resends, replays), `ordered` where all go one after the other, or `error`.',
  ),
})

const DELIVERY_FIELDS = {
  id: text('The `id` of the body.'),
  webhook_id: text(),
  network: text(),
  kind: choice(['data', 'error'], 'A query’s result, or an error event.'),
  status: STATUS,
  sequence_number: nullable(text('As in the body; null for errors.')),
  block_number: nullable(integer('Null for errors.')),
  block_hash: nullable(text('Null for errors.')),
  replay: flag('A replay sent it again.'),
  rerun: flag('A reorganisation replaced its height: the event ran it again on the new block.'),
  superseded: flag(
    'Its block is not canonical any more: a reorganisation replaced it, and a later event is right.',
  ),
  attempts_made: count('Since it was due, or was last sent again.'),
  status_code: STATUS_CODE,
  fault: described(FAULT, 'Why the last attempt got no answer, as in its attempts.'),
  took_ms: nullable(number('How long the last attempt took; null before the first.')),
  bytes: nullable(integer('Of the body; null before the first attempt.')),
  time_created: TIME_MS,
  time_due: nullable(integer('When the next attempt is due; null when there will be none.')),
  time_done: nullable(integer('When it was delivered, given up or cancelled.')),
}

export const DELIVERY = record('Delivery', DELIVERY_FIELDS)

const DELIVERY_DETAIL = record('DeliveryDetail', {
  ...DELIVERY_FIELDS,
  body: nullable(text('The exact text that is signed and sent.')),
  headers: nullable(
    mapOf(
      text(),
      'The headers of the last attempt’s request beside its length and host; null before the ' +
        'first. Without its signatures where the signing key was rotated since. With ' +
        '`sign=now` those of an attempt at this moment, without signatures where the webhook ' +
        'was deleted.',
    ),
  ),
  attempts: list(DELIVERY_ATTEMPT, 'Oldest first.'),
})

const DELIVERY_PAGE = record('DeliveryPage', {
  data: list(DELIVERY, 'Newest first.'),
  pagination: record('DeliveryPagination', {
    cursors: described(
      object({}, { after: text() }),
      '`after` is the `cursor` of the next page; on the last one it is absent.',
    ),
  }),
})

const DELIVERY_ID = path('The delivery’s id.', ID, 'whevt_5q8w2e7r4t1y9u3i')

const DELIVERY_EXAMPLE = {
  id: 'whevt_5q8w2e7r4t1y9u3i',
  webhook_id: 'wh_9c5v2b8n4m1k7j3h',
  network: 'ETH_MAINNET',
  kind: 'data',
  status: 'failed',
  sequence_number: '1000000000042',
  block_number: 23800000,
  block_hash: `0x${'5c'.repeat(32)}`,
  replay: false,
  rerun: false,
  superseded: false,
  attempts_made: 7,
  status_code: 503,
  fault: null,
  took_ms: 52,
  bytes: 212,
  time_created: 1763164800000,
  time_due: null,
  time_done: 1763278321000,
} as const

const NO_SUCH_DELIVERY = { '404': '`NotFound`: the team has no delivery of this id.' }

export const DELIVERY_CALLS = under('Deliveries', {
  listDeliveries: teamCall('GET /api/deliveries', {
    summary: 'List deliveries',
    description:
      'What was delivered, waits or failed, newest first. Accepted ones are kept for 7 days ' +
      'by default; what is not delivered stays. With `attempts_min` or `rerun` a page may be ' +
      'shorter than `limit`, even empty, and not the last: go on while there is an `after`.',
    parameters: {
      webhook_id: query('Only those of this webhook.', described(ID, 'The webhook’s id.')),
      status: query('Only those that are so.', STATUS),
      block: query('Only those of this height, reorganised ones included.', count()),
      attempts_min: query(
        'Only those with so many attempts; 2 for those that were retried.',
        count({ minimum: 1, maximum: 1000 }),
      ),
      rerun: query(
        'Only those of a height that was run again after a reorganisation, or only the others.',
        choice(['true', 'false']),
      ),
      after: query(
        'Only those created at that moment or later: milliseconds since 1970, a date, or ISO ' +
          '8601 with a zone.',
        MOMENT,
        '2026-11-15T00:00:00Z',
      ),
      before: query('Only those created before that moment, written like `after`.', MOMENT),
      limit: query('Deliveries of one page.', preset(count({ minimum: 1, maximum: 1000 }), 100)),
      cursor: query(
        'Where the page begins: `after` of the one before.',
        text({
          pattern: '^[0-9]{1,12}-[0-9]{1,8}$',
          'x-form': 'what pagination.cursors.after of the page before says',
        }),
      ),
    },
    answer: json('The page.', DELIVERY_PAGE, {
      data: [DELIVERY_EXAMPLE],
      pagination: { cursors: {} },
    }),
    exampleQuery: '?status=failed',
  }),

  getDelivery: teamCall('GET /api/deliveries/{id}', {
    summary: 'Read a delivery',
    description:
      'One delivery with the body that is sent, and every attempt. `sign=now` signs it as an ' +
      'attempt at this moment would: for passing it on before its first attempt, or so late ' +
      'that a receiver would refuse the signature of the last one.',
    parameters: {
      id: DELIVERY_ID,
      sign: query(
        'Which headers: those of the `last` attempt, or those of an attempt `now`.',
        preset(choice(['last', 'now']), 'last'),
      ),
    },
    answer: data('The delivery.', DELIVERY_DETAIL, {
      ...DELIVERY_EXAMPLE,
      body: '{"webhookId":"wh_9c5v2b8n4m1k7j3h","id":"whevt_5q8w2e7r4t1y9u3i",…}',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Headgate-Webhooks/1',
        'x-service-signature': 'c0'.repeat(32),
        'webhook-id': 'whevt_5q8w2e7r4t1y9u3i',
        'webhook-timestamp': '1763164800',
        'webhook-signature': 'v1,wMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMA=',
      },
      attempts: [
        {
          time_started: 1763164800021,
          status_code: 503,
          fault: null,
          ms: { lookup: 1, connect: 8, tls: 12, answer: 31, total: 52 },
          response_start: 'Service Unavailable',
          address: '93.184.215.14',
          queue: 'new',
        },
      ],
    }),
    errors: NO_SUCH_DELIVERY,
  }),

  resendDelivery: teamCall('POST /api/deliveries/{id}/resend', {
    summary: 'Send a delivery again',
    description:
      'Whether it was delivered or failed, it is due at once, with the same id and body, and ' +
      'its attempts start anew. It is billed again when it is accepted.',
    parameters: { id: DELIVERY_ID },
    answer: data('The delivery as it is now.', DELIVERY, {
      ...DELIVERY_EXAMPLE,
      status: 'waiting',
      attempts_made: 0,
      time_due: 1763281200000,
      time_done: null,
    }),
    errors: {
      ...NO_SUCH_DELIVERY,
      '400': '`ValidationError`: it still waits to be sent, or its webhook is gone.',
    },
  }),
})
