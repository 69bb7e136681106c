import {
  dataOf,
  ID_SCHEMA,
  jsonAnswer,
  operation,
  type Parameter,
  type Paths,
  ref,
} from '../openapi.ts'

const REPLAY_ID: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The replay’s id.',
  schema: ID_SCHEMA,
  example: 'rpl_3d6f9g2h5j8k1l4z',
}

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
}

const NO_SUCH_REPLAY = { '404': '`NotFound`: the team has no replay of this id.' }

/** Replays: a webhook's query on blocks of the past. */
export const REPLAY_PATHS: Paths = {
  '/api/replay-webhook': {
    post: operation({
      id: 'replayWebhook',
      grows: 'always',
      tag: 'Deliveries',
      audience: 'team',
      summary: 'Replay a range of blocks',
      description:
        'Runs the webhook’s query on blocks of the past and delivers the results, one block ' +
        'after the other, without holding up new ones. A block that was delivered before keeps ' +
        'its id and its sequence number, and is billed again when it is accepted. The job goes ' +
        'on through restarts.',
      body: {
        schema: ref('NewReplay'),
        example: {
          webhook_id: 'wh_9c5v2b8n4m1k7j3h',
          from_block: 23799000,
          to_block: 23799999,
        },
      },
      answer: jsonAnswer('The replay.', dataOf(ref('Replay')), {
        data: { ...REPLAY_EXAMPLE, next_block: 23799000, delivered: 0, skipped: 0 },
      }),
      errors: {
        '400':
          '`ValidationError`: a field is wrong, the range is too long or goes beyond the newest ' +
          'block, the webhook is paused, a replay of it is running, or all running replays of the ' +
          'team together would have more than 1,000,000 blocks to go.',
        '404': '`NotFound`: the team has no webhook of this id.',
        '429': '`TooManyRequests`: the team has 10 replays running.',
      },
      example: `curl "$HEADGATE_URL/api/replay-webhook" \\
  -H "X-Service-Token: $HEADGATE_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"webhook_id":"wh_9c5v2b8n4m1k7j3h","from_block":23799000,"to_block":23799999}'`,
    }),
  },

  '/api/replays': {
    get: operation({
      id: 'listReplays',
      tag: 'Deliveries',
      audience: 'team',
      summary: 'List replays',
      description: 'The team’s replays, newest first, 100 at most.',
      answer: jsonAnswer('The replays.', dataOf({ type: 'array', items: ref('Replay') }), {
        data: [REPLAY_EXAMPLE],
      }),
      example: 'curl "$HEADGATE_URL/api/replays" -H "X-Service-Token: $HEADGATE_TOKEN"',
    }),
  },

  '/api/replays/{id}': {
    get: operation({
      id: 'getReplay',
      tag: 'Deliveries',
      audience: 'team',
      summary: 'See how far a replay is',
      description: 'The replay with its progress.',
      parameters: [REPLAY_ID],
      answer: jsonAnswer('The replay.', dataOf(ref('Replay')), { data: REPLAY_EXAMPLE }),
      errors: NO_SUCH_REPLAY,
      example: `curl "$HEADGATE_URL/api/replays/rpl_3d6f9g2h5j8k1l4z" \\
  -H "X-Service-Token: $HEADGATE_TOKEN"`,
    }),
  },

  '/api/replays/{id}/cancel': {
    post: operation({
      id: 'cancelReplay',
      tag: 'Deliveries',
      audience: 'team',
      summary: 'Cancel a replay',
      description:
        'No further block is evaluated; what was committed so far is still delivered. A replay ' +
        'that has ended stays as it is.',
      parameters: [REPLAY_ID],
      answer: jsonAnswer('The replay as it is now.', dataOf(ref('Replay')), {
        data: { ...REPLAY_EXAMPLE, state: 'cancelled' },
      }),
      errors: NO_SUCH_REPLAY,
      example: `curl -X POST "$HEADGATE_URL/api/replays/rpl_3d6f9g2h5j8k1l4z/cancel" \\
  -H "X-Service-Token: $HEADGATE_TOKEN"`,
    }),
  },
}
