import { timeText } from '../terminal/formats.ts'
import type { Cell, Column } from '../terminal/table-lines.ts'
import type { Forwarded } from './forward-delivery.ts'
import type { OnItsWay } from './forward-queues.ts'

/** One delivery that was forwarded, or was not. */
export type ForwardLine = OnItsWay & { how: Forwarded; timeMs: number }

const OUTCOME_WORDS = {
  accepted: '',
  refused: '',
  down: 'nobody listens',
  timeout: 'no answer in time',
  lost: 'its body is not kept any more',
} as const

/** A line for each, in columns that stay where they are. */
export const FORWARD_COLUMNS: readonly Column<ForwardLine>[] = [
  { title: 'time', of: ({ timeMs }) => timeText(timeMs).slice(11), width: 8 },
  { title: 'webhook', of: ({ delivery }) => delivery.webhook_id, width: 19 },
  { title: 'block', of: ({ delivery }) => blockOf(delivery), width: 11, align: 'right' },
  { title: 'status', of: ({ how }) => statusOf(how), width: 6, align: 'right' },
  { title: 'ms', of: ({ how }) => Math.round(how.ms), width: 5, align: 'right' },
  { title: '', of: (line) => remarks(line) || ' ' },
]

/** The same for scripts. */
export function forwardDocument({ delivery, how, timeMs, isAgain }: ForwardLine) {
  return {
    time: timeMs,
    delivery_id: delivery.id,
    webhook_id: delivery.webhook_id,
    network: delivery.network,
    block_number: delivery.block_number,
    sequence_number: delivery.sequence_number,
    rerun: delivery.rerun,
    replay: delivery.replay,
    again: isAgain,
    outcome: how.outcome,
    status_code: how.status,
    ms: Math.round(how.ms),
    tries: how.tries,
    bytes: how.bytes,
  }
}

function blockOf({ kind, block_number }: ForwardLine['delivery']): Cell {
  return kind === 'error' ? 'error' : block_number
}

function statusOf({ outcome, status }: Forwarded): Cell {
  return { text: String(status ?? '–'), colour: outcome === 'accepted' ? 'green' : 'red' }
}

function remarks({ delivery, how, isAgain }: ForwardLine): string {
  return [
    OUTCOME_WORDS[how.outcome],
    how.tries > 1 ? `${how.tries} tries` : '',
    delivery.rerun ? 're-run' : '',
    delivery.replay ? 'replay' : '',
    isAgain && !delivery.replay ? 'sent again' : '',
  ]
    .filter((words) => words !== '')
    .join(', ')
}
