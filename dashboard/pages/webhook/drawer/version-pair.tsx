import type { Delivery } from '@headgate/client'
import { useCall } from '../../../api/use-call.ts'
import { Icon } from '../../../parts/icon.tsx'
import { middleCut } from '../../../parts/text/format.ts'
import { changeQuery } from '../../../shell/routing/router.ts'
import { shortSequence } from '../log/delivery-words.ts'

/** The versions of a height that a reorganisation replaced: the one before, and the right one. */
export function VersionPair({ delivery }: { delivery: Delivery }) {
  const { webhook_id, block_number: block, rerun, superseded } = delivery
  const isAsked = block !== null && (rerun || superseded)
  const asked = isAsked ? { webhook_id, block, limit: 20 } : null
  const { data } = useCall('listDeliveries', asked)
  if (!isAsked || !data) return null
  const versions = data.data.toSorted(
    (one, other) => Number(one.sequence_number) - Number(other.sequence_number),
  )
  const at = versions.findIndex(({ id }) => id === delivery.id)
  const before = superseded ? delivery : versions[at - 1]
  const after = superseded ? versions.at(-1) : delivery
  if (superseded && (!after || after.id === delivery.id)) {
    return (
      <p class="note">
        A reorganisation replaced this block. The query found nothing to deliver on the new one.
      </p>
    )
  }
  if (!before || !after) return null
  return (
    <div class="seqpair">
      <Version
        name={superseded ? 'This one, replaced' : 'Version before'}
        of={before}
        isInView={before.id === delivery.id}
      />
      <Icon name="chev" />
      <Version
        name={superseded ? 'The right version' : 'This one, right for the height'}
        of={after}
        isInView={after.id === delivery.id}
        isNew
      />
    </div>
  )
}

function Version(props: { name: string; of: Delivery; isInView: boolean; isNew?: boolean }) {
  const { id, sequence_number: sequence, block_hash: hash } = props.of
  const open = () => changeQuery({ delivery: id }, { replace: false })
  return (
    <div class={props.isNew ? 'new' : 'old'}>
      <span>{props.name}</span>
      <code title={sequence ?? ''}>{shortSequence(sequence)}</code>
      <code title={hash ?? ''}>{middleCut(hash ?? '')}</code>
      {!props.isInView && (
        <button type="button" class="link" onClick={open}>
          Open it
        </button>
      )}
    </div>
  )
}
