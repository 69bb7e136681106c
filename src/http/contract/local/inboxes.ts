import {
  choice,
  count,
  described,
  flag,
  integer,
  list,
  mapOf,
  nullable,
  object,
  preset,
  record,
  text,
} from '../../../core/schema/schema.ts'
import { LOCAL_NAME, TIME_MS } from '../fields.ts'
import { body, data, json, localCall, path, query } from '../operation.ts'

const BEHAVIOUR = choice(
  ['accept', 'fail', 'hang', 'slow', 'gone'],
  'How it answers: `accept` with 200, `fail` with `status`, `hang` never, `slow` with 200 after ' +
    '`delay_ms`, `gone` with 410.',
)

const FAIL_STATUS = integer({ minimum: 400, maximum: 599 })

const DELAY_MS = count({ maximum: 60_000 })

export const INBOX = record('Inbox', {
  name: LOCAL_NAME,
  url: text('The destination to give a webhook.'),
  arrivals: count('How many are kept.'),
  behaviour: BEHAVIOUR,
  status: described(FAIL_STATUS, 'The answer while it fails.'),
  delay_ms: described(DELAY_MS, 'How long it takes while it is slow.'),
  held: count('Senders that wait for an answer just now.'),
  time_last: nullable(integer('When the last one arrived; null before the first.')),
})

const INBOX_CHANGE = record(
  'InboxChange',
  { behaviour: BEHAVIOUR },
  {
    status: described(FAIL_STATUS, 'With `fail`. Without it, 500.'),
    delay_ms: described(DELAY_MS, 'With `slow`. Without it, 6000, which is too late.'),
  },
)

export const INBOX_ARRIVAL = record('InboxArrival', {
  id: count('Counts the arrivals of all inboxes.'),
  time: TIME_MS,
  delivery_id: nullable(text('The `id` of the body; null when it is no delivery.')),
  webhook_id: nullable(text('The `webhookId` of the body; null when it has none.')),
  network: nullable(text()),
  kind: nullable(choice(['data', 'error'], 'A result, or a message; null when it is no delivery.')),
  sequence_number: nullable(text('As in the body; null for errors.')),
  previous_sequence_number: nullable(
    text('The delivery before it, as the header `x-headgate-previous` says.'),
  ),
  block_number: nullable(integer('The height; null where it is not known.')),
  status_answered: nullable(integer('Null while the sender waits, or when it gave up.')),
  signature: choice(
    ['valid', 'invalid', 'missing', 'unknown webhook'],
    'Checked against the signing keys of the webhook that the body names: both ' +
      '`x-service-signature` and the headers of Standard Webhooks.',
  ),
  signature_fault: nullable(text('Why it is not valid; null when it is.')),
  is_repeat: flag('The same delivery had arrived before: a retry, a resend or a replay.'),
  is_rerun: flag('The same height had arrived before, with a lower sequence number.'),
  is_superseded: flag('The same height has arrived since, with a higher sequence number.'),
  is_gap: flag('The delivery before it has not arrived here.'),
  is_replay: flag('A replay sent it.'),
  attempt: count('Which arrival of its delivery it is here, from 1; 0 when it is no delivery.'),
  bytes: count('Of the whole body.'),
  headers: mapOf(text(), 'By name; the first 64, each cut after 1 KiB.'),
  body: text('Its first 64 KiB; what is no UTF-8 is replaced.'),
  is_body_cut: flag('The body is longer than what is kept of it.'),
})

const ARRIVAL_PAGE = record('InboxArrivalPage', {
  inbox: INBOX,
  data: list(INBOX_ARRIVAL, 'Newest first.'),
  pagination: record('InboxPagination', {
    cursors: described(
      object({}, { before: count() }),
      '`before` leads to the next page; on the last one it is absent.',
    ),
  }),
})

const NAME = path('The inbox’s name.', LOCAL_NAME, 'demo')

const INBOX_EXAMPLE = {
  name: 'demo',
  url: 'http://localhost:8080/inbox/demo',
  arrivals: 1,
  behaviour: 'accept',
  status: 500,
  delay_ms: 6000,
  held: 0,
  time_last: 1763164804112,
} as const

const ARRIVAL_EXAMPLE = {
  id: 13,
  time: 1763164804112,
  delivery_id: 'whevt_5q8w2e7r4t1y9u3i',
  webhook_id: 'wh_9c5v2b8n4m1k7j3h',
  network: 'ETH_DEVNET',
  kind: 'data',
  sequence_number: '1000000000013',
  previous_sequence_number: '1000000000012',
  block_number: 1211,
  status_answered: 200,
  signature: 'valid',
  signature_fault: null,
  is_repeat: false,
  is_rerun: false,
  is_superseded: false,
  is_gap: false,
  is_replay: false,
  attempt: 1,
  bytes: 312,
  headers: { 'content-type': 'application/json', 'x-headgate-previous': '1000000000012' },
  body: '{"webhookId":"wh_9c5v2b8n4m1k7j3h","id":"whevt_5q8w2e7r4t1y9u3i",…}',
  is_body_cut: false,
} as const

/** The receivers that are built in for local development, at `/inbox/<name>`. */
export const INBOX_CALLS = {
  listInboxes: localCall('GET /api/inboxes', {
    summary: 'List inboxes',
    description:
      'The inboxes that something was posted to, at `/inbox/<name>`, or whose answer was set. ' +
      'Kept in memory: 50 inboxes, 500 arrivals each, 32 MiB in all; the oldest go.',
    answer: data('The inboxes, by name.', list(INBOX), [INBOX_EXAMPLE]),
  }),

  listInboxArrivals: localCall('GET /api/inboxes/{name}', {
    summary: 'List what arrived',
    description:
      'What was posted to an inbox, newest first, with the check of its signature. An inbox that ' +
      'nothing was posted to is empty.',
    parameters: {
      name: NAME,
      limit: query('Arrivals of one page.', preset(count({ minimum: 1, maximum: 100 }), 50)),
      before: query('Only those older than the arrival of this id.', count()),
    },
    answer: json('The page.', ARRIVAL_PAGE, {
      inbox: INBOX_EXAMPLE,
      data: [ARRIVAL_EXAMPLE],
      pagination: { cursors: {} },
    }),
  }),

  changeInbox: localCall('PUT /api/inboxes/{name}', {
    summary: 'Set how an inbox answers',
    description:
      'From the next arrival on. A sender that waits already is left waiting. `hang` holds the ' +
      'connection until the sender gives up.',
    parameters: { name: NAME },
    body: body(INBOX_CHANGE, { behaviour: 'fail', status: 503 }),
    answer: data('The inbox.', INBOX, { ...INBOX_EXAMPLE, behaviour: 'fail', status: 503 }),
  }),

  emptyInbox: localCall('DELETE /api/inboxes/{name}', {
    summary: 'Empty an inbox',
    description: 'Forgets what arrived; the way it answers stays.',
    parameters: { name: NAME },
    answer: data('The inbox.', INBOX, { ...INBOX_EXAMPLE, arrivals: 0, time_last: null }),
  }),
}
