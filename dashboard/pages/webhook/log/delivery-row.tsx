import type { WireDelivery } from '../../../api/wire.ts'
import { Icon } from '../../../parts/icon.tsx'
import { State } from '../../../parts/state.tsx'
import { Tries } from '../../../parts/strip.tsx'
import { ms, plural, whole } from '../../../parts/text/format.ts'
import { Hash } from '../../../parts/text/hash.tsx'
import { Age, NextTry } from '../../../parts/text/time-ago.tsx'
import { outcomeOf, shortSequence, statusOf } from './delivery-words.ts'

/** Rows have one height, so that as many as there are can be placed without drawing them. */
export const ROW_HEIGHT = 41

export const LOG_COLUMNS = 8

/** Marks of attempts that fit; more are counted. */
const TRIES_SHOWN = 8

type RowProps = {
  delivery: WireDelivery
  isOpen: boolean
  isTabStop: boolean
  isNew: boolean
  onOpen(id: string): void
}

export function DeliveryRow({ delivery, isOpen, isTabStop, isNew, onOpen }: RowProps) {
  const { tone, word } = statusOf(delivery)
  const { superseded, block_hash: hash, bytes } = delivery
  const classes = `go${isNew ? ' new' : ''}${superseded ? ' sup' : ''}`
  return (
    <tr
      class={classes}
      data-delivery={delivery.id}
      aria-selected={isOpen}
      tabIndex={isTabStop ? 0 : -1}
      onClick={() => onOpen(delivery.id)}
    >
      <td>
        <State tone={superseded && tone === 'ok' ? 'idle' : tone}>{word}</State>
      </td>
      <td>
        <BlockCell delivery={delivery} />
      </td>
      <td class="c-narrow c-y">
        <span class="mono" title={delivery.sequence_number ?? ''}>
          {shortSequence(delivery.sequence_number)}
        </span>
      </td>
      <td class="c-x">{hash !== null && <Hash text={hash} what="the block hash" />}</td>
      <td class="num c-narrow c-y">{bytes === null ? '' : whole(bytes)}</td>
      <td class="c-narrow">
        <AttemptMarks delivery={delivery} />
      </td>
      <td class="num c-x">
        <AnswerCell delivery={delivery} />
      </td>
      <td class="num quiet">
        <Age at={delivery.time_created} />
      </td>
    </tr>
  )
}

/** The outline of a row that is on its way. */
export function RowOutline() {
  return (
    <tr>
      <td colSpan={LOG_COLUMNS}>
        <span class="sk b" />
      </td>
    </tr>
  )
}

function BlockCell({ delivery }: { delivery: WireDelivery }) {
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

function AttemptMarks({ delivery }: { delivery: WireDelivery }) {
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

function AnswerCell({ delivery }: { delivery: WireDelivery }) {
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
