import type { Delivery } from '@headgate/client'
import type { Column } from '../../../parts/data-table.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { State } from '../../../parts/state.tsx'
import { Tries } from '../../../parts/strip.tsx'
import { ms, plural, whole } from '../../../parts/text/format.ts'
import { Hash } from '../../../parts/text/hash.tsx'
import { Age, NextTry } from '../../../parts/text/time-ago.tsx'
import { outcomeOf, shortSequence, statusOf } from './delivery-words.ts'

/** Rows have one height, so that as many as there are can be placed without drawing them. */
export const ROW_HEIGHT = 41

const TRIES_SHOWN = 8

export const LOG_COLUMNS: readonly Column<Delivery>[] = [
  { head: 'Status', class: 'l-status', cell: (delivery) => <StatusCell delivery={delivery} /> },
  { head: 'Block', cell: (delivery) => <BlockCell delivery={delivery} /> },
  {
    head: 'Sequence',
    class: 'c-narrow c-y l-seq',
    cell: ({ sequence_number: sequence }) => (
      <span class="mono" title={sequence ?? ''}>
        {shortSequence(sequence)}
      </span>
    ),
  },
  {
    head: 'Hash',
    class: 'c-x l-hash',
    cell: ({ block_hash: hash }) => hash !== null && <Hash text={hash} what="the block hash" />,
  },
  {
    head: 'Bytes',
    class: 'num c-narrow c-y l-bytes',
    cell: ({ bytes }) => (bytes === null ? '' : whole(bytes)),
  },
  {
    head: 'Tries',
    class: 'c-narrow l-tries',
    cell: (delivery) => <AttemptMarks delivery={delivery} />,
  },
  {
    head: 'Answer',
    class: 'num c-x l-answer',
    cell: (delivery) => <AnswerCell delivery={delivery} />,
  },
  {
    head: 'Age',
    class: 'num l-age',
    cellClass: 'quiet',
    cell: ({ time_created }) => <Age at={time_created} />,
  },
]

function StatusCell({ delivery }: { delivery: Delivery }) {
  const { tone, word } = statusOf(delivery)
  return <State tone={delivery.superseded && tone === 'ok' ? 'idle' : tone}>{word}</State>
}

function BlockCell({ delivery }: { delivery: Delivery }) {
  const { block_number: number, rerun, superseded, replay } = delivery
  return (
    <span class="row">
      <span class="b">{number === null ? 'Error event' : whole(number)}</span>
      {rerun && (
        <span class="rr" title="Run again after a reorganisation">
          <Icon name="fork" small />
          re-run
        </span>
      )}
      {superseded && <span class="tag">superseded</span>}
      {replay && <span class="tag">replay</span>}
    </span>
  )
}

function AttemptMarks({ delivery }: { delivery: Delivery }) {
  const { attempts_made: made, status } = delivery
  const accepted = status === 'delivered' ? 1 : 0
  const failed = Math.max(0, made - accepted)
  const shown = Math.min(failed, TRIES_SHOWN)
  return (
    <span class="row g4" title={plural(made, 'attempt')}>
      <Tries failed={shown} isAccepted={accepted === 1} isDue={status === 'waiting' && made > 0} />
      {failed > shown && <span class="tiny faint">+{failed - shown}</span>}
    </span>
  )
}

function AnswerCell({ delivery }: { delivery: Delivery }) {
  const { time_due: due, took_ms: took, status } = delivery
  const { word } = outcomeOf(delivery)
  if (status === 'waiting' && due !== null && delivery.attempts_made > 0) {
    return (
      <span class="warn">
        {word} · <NextTry at={due} />
      </span>
    )
  }
  return (
    <span class={status === 'failed' ? 'bad' : 'quiet'}>
      {word}
      {took !== null && ` in ${ms(took)}`}
    </span>
  )
}
