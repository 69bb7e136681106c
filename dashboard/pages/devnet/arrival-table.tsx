import type { WireArrival } from '../../api/wire.ts'
import { Icon } from '../../parts/icon.tsx'
import { useRowFocus } from '../../parts/lists/use-row-focus.ts'
import { whole } from '../../parts/text/format.ts'
import { TimeAgo } from '../../parts/text/time-ago.tsx'
import { changeQuery } from '../../shell/routing/router.ts'
import type { ShownInbox } from './use-inbox.ts'

type Props = Omit<ShownInbox, 'arrivals'> & { arrivals: readonly WireArrival[] }

/** The arrivals, newest first; each with the check of its signature and what it was answered. */
export function ArrivalTable({ arrivals, chosen, hasOlder, showOlder }: Props) {
  const { list } = useRowFocus<HTMLTableSectionElement>()
  return (
    <>
      <div class="tw">
        <table class="inboxt">
          <thead>
            <tr>
              <th scope="col">Block</th>
              <th scope="col">Sequence</th>
              <th scope="col">Signature</th>
              <th scope="col" class="num">
                Answered
              </th>
              <th scope="col" class="num c-narrow">
                When
              </th>
            </tr>
          </thead>
          <tbody ref={list}>
            {arrivals.map((arrival) => (
              <ArrivalRow key={arrival.id} arrival={arrival} isChosen={arrival === chosen} />
            ))}
          </tbody>
        </table>
      </div>
      {hasOlder && (
        <div class="cf">
          <button class="btn ghost sm" type="button" onClick={showOlder}>
            Show older ones
          </button>
        </div>
      )}
    </>
  )
}

function ArrivalRow({ arrival, isChosen }: { arrival: WireArrival; isChosen: boolean }) {
  const open = () => changeQuery({ arrival: String(arrival.id) })
  return (
    <tr
      class={arrival.is_superseded ? 'go sup' : 'go'}
      aria-selected={isChosen}
      data-arrival={arrival.id}
      onClick={open}
    >
      <td>
        <span class="row wrap">
          <button class="rowlink b" type="button" data-row={arrival.id} onClick={open}>
            {titleOf(arrival)}
          </button>
          <Marks arrival={arrival} />
        </span>
      </td>
      <td>
        <span class="mono" title={arrival.sequence_number ?? ''}>
          {arrival.sequence_number === null ? '–' : shortSequence(arrival.sequence_number)}
        </span>
      </td>
      <td>
        <SignatureState arrival={arrival} />
      </td>
      <td class={`num ${(arrival.status_answered ?? 0) >= 400 ? 'bad' : ''}`}>
        {arrival.status_answered ?? <span class="warn">no answer</span>}
      </td>
      <td class="num quiet c-narrow">
        <TimeAgo at={arrival.time} />
      </td>
    </tr>
  )
}

/** Why it came, where it is not simply the next. */
function Marks({ arrival }: { arrival: WireArrival }) {
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

function SignatureState({ arrival }: { arrival: WireArrival }) {
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

/** The block of an arrival, or its kind. */
export function titleOf({ block_number: block, kind }: WireArrival): string {
  if (block !== null) return whole(block)
  return kind === 'error' ? 'Error event' : 'No delivery'
}

/** `1000000000013` as …000,013: the last digits tell deliveries apart. */
function shortSequence(text: string): string {
  if (text.length <= 6) return text
  return `…${text.slice(-6, -3)},${text.slice(-3)}`
}
