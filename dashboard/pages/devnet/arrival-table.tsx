import type { InboxArrival } from '@headgate/client'
import { Button } from '../../parts/button.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useRowFocus } from '../../parts/lists/use-row-focus.ts'
import { whole } from '../../parts/text/format.ts'
import { TimeAgo } from '../../parts/text/time-ago.tsx'
import { changeQuery } from '../../shell/routing/router.ts'
import { shortSequence } from '../webhook/log/delivery-words.ts'
import type { ShownInbox } from './use-inbox.ts'

type Props = Omit<ShownInbox, 'arrivals'> & { arrivals: readonly InboxArrival[] }

const COLUMNS: readonly Column<InboxArrival>[] = [
  {
    head: 'Block',
    cell: (arrival) => (
      <span class="row wrap">
        <button
          class="rowlink b"
          type="button"
          data-row={arrival.id}
          onClick={() => choose(arrival)}
        >
          {titleOf(arrival)}
        </button>
        <Marks arrival={arrival} />
      </span>
    ),
  },
  {
    head: 'Sequence',
    cell: ({ sequence_number: sequence }) => (
      <span class="mono" title={sequence ?? ''}>
        {shortSequence(sequence) || '–'}
      </span>
    ),
  },
  { head: 'Signature', cell: (arrival) => <SignatureState arrival={arrival} /> },
  {
    head: 'Answered',
    class: 'num',
    cellClass: ({ status_answered: status }) => ((status ?? 0) >= 400 ? 'bad' : ''),
    cell: ({ status_answered: status }) => status ?? <span class="warn">no answer</span>,
  },
  {
    head: 'When',
    class: 'num c-narrow',
    cellClass: 'quiet',
    cell: ({ time }) => <TimeAgo at={time} />,
  },
]

export function ArrivalTable({ arrivals, chosen, hasOlder, showOlder }: Props) {
  const { list } = useRowFocus()
  return (
    <>
      <div class="tw">
        <DataTable
          class="inboxt"
          columns={COLUMNS}
          rows={arrivals}
          keyOf={({ id }) => id}
          rowOf={(arrival) => ({
            class: arrival.is_superseded ? 'sup' : '',
            'aria-selected': arrival === chosen,
            'data-arrival': arrival.id,
          })}
          onOpen={choose}
          tableRef={list}
        />
      </div>
      {hasOlder && (
        <div class="cf">
          <Button class="ghost sm" onClick={showOlder}>
            Show older ones
          </Button>
        </div>
      )}
    </>
  )
}

function choose({ id }: InboxArrival): void {
  changeQuery({ arrival: String(id) })
}

/** Why it came, where it is not simply the next. */
function Marks({ arrival }: { arrival: InboxArrival }) {
  return (
    <>
      {arrival.is_rerun && (
        <span class="rr" title="A reorganisation replaced this height, so it ran again">
          <Icon name="fork" small />
          re-run
        </span>
      )}
      {arrival.is_repeat && !arrival.is_replay && (
        <span class="tag" title="The same delivery had arrived before">
          <Icon name="again" small />
          try {arrival.attempt}
        </span>
      )}
      {arrival.is_replay && (
        <span class="tag" title="A replay sent it">
          <Icon name="play" small />
          replay
        </span>
      )}
      {arrival.is_gap && (
        <span class="tag warn" title="The delivery before it has not arrived here">
          gap
        </span>
      )}
    </>
  )
}

function SignatureState({ arrival }: { arrival: InboxArrival }) {
  const { signature, signature_fault: fault } = arrival
  const isValid = signature === 'valid'
  return (
    <span class={isValid ? 'st ok' : 'st bad'} title={fault ?? 'Signed by its webhook’s key'}>
      <Icon name={isValid ? 'shield' : 'warn'} small />
      <span class={isValid ? 'c-narrow' : ''}>{isValid ? 'verified' : signature}</span>
      {isValid && <span class="vh">verified</span>}
    </span>
  )
}

export function titleOf({ block_number: block, kind }: InboxArrival): string {
  if (block !== null) return whole(block)
  return kind === 'error' ? 'Error event' : 'No delivery'
}
