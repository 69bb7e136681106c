import {
  choice,
  count,
  described,
  flag,
  list,
  nullable,
  record,
  text,
} from '../../core/schema/schema.ts'
import { DELIVERY } from './deliveries.ts'
import { line, TIME_MS } from './fields.ts'
import { eventStream, header, ID, query, teamCall, under } from './operation.ts'
import { REPLAY } from './replays.ts'
import { USAGE_SUMMARY } from './usage.ts'
import { DEACTIVATION_REASON } from './webhooks.ts'

export const EVENT_TOPICS = ['heads', 'deliveries', 'webhooks', 'replays', 'usage'] as const

const TOPIC = EVENT_TOPICS.join('|')

export const TEAM_STREAMS_MAX = 20

const HEAD_EVENT = record('HeadEvent', {
  network: text(),
  number: count('The height of the block; the slot on Solana.'),
  hash: nullable(text('Null where it is not known, as on Solana.')),
  time: described(TIME_MS, 'When it was found here, in ms since 1970.'),
  reorganised_from: nullable(
    count(
      'Where this block replaces another of its height: the first height that was replaced. ' +
        'All heights from there on follow, each as a head of its own. Else null.',
    ),
  ),
})

const WEBHOOK_EVENT = record('WebhookEvent', {
  id: text(),
  state: choice(['active', 'paused', 'deleted']),
  is_active: flag(),
  deactivation_reason: DEACTIVATION_REASON,
})

const GAP_EVENT = record('GapEvent', {
  topics: list(choice(EVENT_TOPICS), 'Fetch these again.'),
  reason: choice(
    ['too_old', 'too_much'],
    '`too_old`: the client was connected before, and what happened meanwhile is not kept. ' +
      '`too_much`: more has changed at once than a stream sends.',
  ),
})

export const EVENTS = {
  head: HEAD_EVENT,
  delivery: DELIVERY,
  webhook: WEBHOOK_EVENT,
  replay: REPLAY,
  usage: USAGE_SUMMARY,
  gap: GAP_EVENT,
}

/** Any id is answered with a `gap`, and none is refused. */
const EVENT_ID = line({ maxLength: 100 })

export const EVENT_CALLS = under('Events', {
  streamEvents: teamCall('GET /api/events', {
    summary: 'Hear what changes',
    description:
      'A stream of server-sent events that stays open. `head`: a block became canonical; on ' +
      'connecting the present head of each network. `delivery`: one was created, or its status ' +
      'or attempts changed; it comes as it stands in the list. `webhook`: one was created, ' +
      'changed, paused or deleted. `replay`: how far one is. `usage`: the summary, every 5 ' +
      'seconds at most, when it changed. `gap`: some changes were not sent, so fetch again.' +
      '\n\nThe events say how things are, not each step: several changes within a moment may ' +
      'come as one. A comment line comes every 15 seconds. A client that connects again with ' +
      'the id of the last event that it got is sent a `gap` first, since past events are not ' +
      'kept. One that reads too slowly is cut off.',
    parameters: {
      topics: query(
        `Only these, separated by commas: ${EVENT_TOPICS.join(', ')}. Default: all.`,
        text({
          maxLength: 100,
          pattern: `^(${TOPIC})(,(${TOPIC}))*$`,
          'x-form': `one or several of ${EVENT_TOPICS.join(', ')}, separated by commas`,
        }),
        'heads,deliveries',
      ),
      webhook_id: query(
        'Of deliveries only those of this webhook.',
        described(ID, 'The webhook’s id.'),
      ),
      'Last-Event-ID': header('The id of the last event that came; browsers send it.', EVENT_ID),
      last_event_id: query('The same, for where a header cannot be set.', EVENT_ID),
    },
    answer: eventStream('The stream, as long as the client stays.', EVENTS),
    errors: {
      '404': '`NotFound`: there is no team, or no webhook of the team, of this id.',
      '429':
        `\`TooManyRequests\`: the team has ${TEAM_STREAMS_MAX} streams open, or too many are ` +
        'open in all; or one of the usual limits.',
    },
    example:
      'curl -N "$HEADGATE_URL/api/events?topics=heads,deliveries" \\\n' +
      '  -H "X-Service-Token: $HEADGATE_TOKEN"',
  }),
})
