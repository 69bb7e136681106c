import { WEBHOOK_ID } from './contract-webhook-schemas.ts'
import { ref, type Schema } from './openapi.ts'
import { change, nullable, record } from './schema-shapes.ts'

export const DELIVERY_STATUS: Schema = {
  type: 'string',
  enum: ['waiting', 'delivered', 'failed', 'cancelled'],
  description:
    '`waiting` for its first attempt or the next, `delivered`, `failed` when all attempts were ' +
    'in vain, `cancelled` when the webhook was deleted.',
}

const TIME_MS: Schema = { type: 'integer', description: 'Milliseconds since 1970, UTC.' }

const COUNT: Schema = { type: 'integer', minimum: 0 }

const BLOCK_NUMBER: Schema = { type: 'integer', minimum: 0 }

const DELIVERY: Readonly<Record<string, Schema>> = {
  id: { type: 'string', description: 'The `id` of the body.' },
  webhook_id: { type: 'string' },
  network: { type: 'string' },
  kind: {
    type: 'string',
    enum: ['data', 'error'],
    description: 'A query’s result, or an error event.',
  },
  status: DELIVERY_STATUS,
  sequence_number: nullable('string', 'As in the body; null for errors.'),
  block_number: nullable('integer', 'Null for errors.'),
  block_hash: nullable('string', 'Null for errors.'),
  replay: { type: 'boolean', description: 'A replay sent it again.' },
  attempts_made: { ...COUNT, description: 'Since it was due, or was last sent again.' },
  bytes: nullable('integer', 'Of the body; null before the first attempt.'),
  time_created: TIME_MS,
  time_due: nullable('integer', 'When the next attempt is due; null when there will be none.'),
  time_done: nullable('integer', 'When it was delivered, given up or cancelled.'),
}

/** Deliveries, their attempts, and replays. */
export const DELIVERY_SCHEMAS: Readonly<Record<string, Schema>> = {
  Delivery: record(DELIVERY),

  DeliveryDetail: record({
    ...DELIVERY,
    body: nullable('string', 'The exact text that is signed and sent.'),
    attempts: { type: 'array', items: ref('DeliveryAttempt'), description: 'Oldest first.' },
  }),

  DeliveryAttempt: record({
    time_started: TIME_MS,
    status_code: nullable('integer', 'What the destination answered; null when it did not.'),
    fault: {
      type: ['string', 'null'],
      description:
        'Why no answer came: `dns` (the name has no address that deliveries may go to), ' +
        '`connect`, `tls`, `timeout`, `reset` or `protocol`.',
    },
    ms: ref('AttemptTimes'),
    response_start: { type: 'string', description: 'The beginning of the answer’s body.' },
    address: nullable('string', 'The address that was connected to.'),
    queue: {
      type: 'string',
      enum: ['new', 'retry', 'ordered', 'error'],
      description:
        'Which queue of its webhook it waited in: `new` ones, what is sent again (`retry`: ' +
        'retries, resends, replays), `ordered` where all go one after the other, or `error`.',
    },
  }),

  AttemptTimes: record({
    lookup: { type: 'number', minimum: 0, description: 'Milliseconds to find the address.' },
    connect: { type: 'number', minimum: 0, description: 'To connect, TLS included.' },
    answer: { type: 'number', minimum: 0, description: 'From sending to the answer’s end.' },
    total: { type: 'number', minimum: 0 },
  }),

  DeliveryPage: record({
    data: { type: 'array', items: ref('Delivery'), description: 'Newest first.' },
    pagination: ref('DeliveryPagination'),
  }),

  DeliveryPagination: record({
    cursors: {
      ...change({ after: { type: 'string' } }),
      description: '`after` is the `cursor` of the next page; on the last one it is absent.',
    },
  }),

  NewReplay: record({
    webhook_id: WEBHOOK_ID,
    from_block: { ...BLOCK_NUMBER, description: 'The first block.' },
    to_block: { ...BLOCK_NUMBER, description: 'The last block, itself included.' },
  }),

  Replay: record({
    id: { type: 'string', pattern: '^rpl_[a-z0-9]{16}$' },
    webhook_id: { type: 'string' },
    network: { type: 'string' },
    from_block: BLOCK_NUMBER,
    to_block: BLOCK_NUMBER,
    next_block: {
      ...BLOCK_NUMBER,
      description: 'What it comes to next; after the last, one more.',
    },
    state: { type: 'string', enum: ['running', 'done', 'cancelled', 'failed'] },
    delivered: { ...COUNT, description: 'Blocks whose results are sent.' },
    skipped: { ...COUNT, description: 'Blocks with empty results, with `skip_empty_messages`.' },
    error: nullable('string', 'Why it failed, or does not get on just now.'),
    time_created: TIME_MS,
    time_updated: TIME_MS,
  }),
}
