import { choice, count, described, list, nullable, record, text } from '../../core/schema/schema.ts'
import { BLOCK_NUMBER, TIME_MS } from './fields.ts'
import { body, data, ID, path, teamCall, under } from './operation.ts'

const NEW_REPLAY = record('NewReplay', {
  webhook_id: described(ID, 'The webhook’s id.'),
  from_block: count('The first block.'),
  to_block: count('The last block, itself included.'),
})

export const REPLAY = record('Replay', {
  id: text({ pattern: '^rpl_[a-z0-9]{16}$' }),
  webhook_id: text(),
  network: text(),
  from_block: BLOCK_NUMBER,
  to_block: BLOCK_NUMBER,
  next_block: count('What it comes to next; after the last, one more.'),
  state: choice(['running', 'done', 'cancelled', 'failed']),
  delivered: count('Blocks whose results are sent.'),
  skipped: count('Blocks with empty results, with `skip_empty_messages`.'),
  error: nullable(text('Why it failed, or does not get on just now.')),
  time_created: TIME_MS,
  time_updated: TIME_MS,
})

const REPLAY_ID = path('The replay’s id.', ID, 'rpl_3d6f9g2h5j8k1l4z')

const REPLAY_EXAMPLE = {
  id: 'rpl_3d6f9g2h5j8k1l4z',
  webhook_id: 'wh_9c5v2b8n4m1k7j3h',
  network: 'ETH_MAINNET',
  from_block: 23799000,
  to_block: 23799999,
  next_block: 23799412,
  state: 'running',
  delivered: 118,
  skipped: 294,
  error: null,
  time_created: 1763164800000,
  time_updated: 1763164812000,
} as const

const NO_SUCH_REPLAY = { '404': '`NotFound`: the team has no replay of this id.' }

/** Replays: a webhook's query on blocks of the past. */
export const REPLAY_CALLS = under('Deliveries', {
  replayWebhook: teamCall('POST /api/replay-webhook', {
    summary: 'Replay a range of blocks',
    description:
      'Runs the webhook’s query on blocks of the past and delivers the results, one block ' +
      'after the other, without holding up new ones. A block that was delivered before keeps ' +
      'its id and its sequence number, and is billed again when it is accepted. The job goes ' +
      'on through restarts.',
    body: body(NEW_REPLAY, {
      webhook_id: 'wh_9c5v2b8n4m1k7j3h',
      from_block: 23799000,
      to_block: 23799999,
    }),
    answer: data('The replay.', REPLAY, {
      ...REPLAY_EXAMPLE,
      next_block: 23799000,
      delivered: 0,
      skipped: 0,
    }),
    grows: 'always',
    errors: {
      '400':
        '`ValidationError`: a field is wrong, the range is too long or goes beyond the newest ' +
        'block, the webhook is paused, a replay of it is running, or all running replays of the ' +
        'team together would have more than 1,000,000 blocks to go.',
      '404': '`NotFound`: the team has no webhook of this id.',
      '429': '`TooManyRequests`: the team has 10 replays running.',
    },
  }),

  listReplays: teamCall('GET /api/replays', {
    summary: 'List replays',
    description: 'The team’s replays, newest first, 100 at most.',
    answer: data('The replays.', list(REPLAY), [REPLAY_EXAMPLE]),
  }),

  getReplay: teamCall('GET /api/replays/{id}', {
    summary: 'See how far a replay is',
    description: 'The replay with its progress.',
    parameters: { id: REPLAY_ID },
    answer: data('The replay.', REPLAY, REPLAY_EXAMPLE),
    errors: NO_SUCH_REPLAY,
  }),

  cancelReplay: teamCall('POST /api/replays/{id}/cancel', {
    summary: 'Cancel a replay',
    description:
      'No further block is evaluated; what was committed so far is still delivered. A replay ' +
      'that has ended stays as it is.',
    parameters: { id: REPLAY_ID },
    answer: data('The replay as it is now.', REPLAY, { ...REPLAY_EXAMPLE, state: 'cancelled' }),
    errors: NO_SUCH_REPLAY,
  }),
})
