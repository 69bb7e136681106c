import type { DeliveryDetail } from '@headgate/client'
import { Icon } from '../../../parts/icon.tsx'
import { Tag } from '../../../parts/state.tsx'
import { CopyButton } from '../../../parts/text/copy-button.tsx'
import { bytes, cu, whole } from '../../../parts/text/format.ts'
import { shortSequence, statusOf } from '../log/delivery-words.ts'

/** The price of a delivered byte, in hundredths of a compute unit. */
const CENTI_CU_A_BYTE = 4

export function DrawerHead(props: {
  delivery: DeliveryDetail | null
  onClose(): void
  onStep(by: number): void
}) {
  const { delivery, onStep } = props
  const number = delivery?.block_number
  const title = number == null ? 'Error event' : `Block ${whole(number)}`
  return (
    <div class="dh">
      <div class="grow">
        <h2>
          {delivery ? title : 'Delivery'}{' '}
          <span class="quiet sq" title={delivery?.sequence_number ?? ''}>
            {shortSequence(delivery?.sequence_number ?? null)}
          </span>
        </h2>
      </div>
      <HeadButton label="Newer delivery" keys="K" icon="up" run={() => onStep(-1)} />
      <HeadButton label="Older delivery" keys="J" icon="down" run={() => onStep(1)} />
      <CopyButton class="ib sm" text={location.href} what="a link to this delivery" icon="out" />
      <HeadButton label="Close" keys="esc" icon="x" run={props.onClose} />
    </div>
  )
}

function HeadButton(props: {
  label: string
  keys: string
  icon: 'up' | 'down' | 'x'
  run(): void
}) {
  return (
    <button
      type="button"
      class="ib sm"
      aria-label={props.label}
      title={`${props.label}  ${props.keys}`}
      onClick={props.run}
    >
      <Icon name={props.icon} />
    </button>
  )
}

export function DeliveryTags({ delivery }: { delivery: DeliveryDetail }) {
  const { tone, word } = statusOf(delivery)
  return (
    <div class="row wrap">
      <Tag {...(tone !== 'idle' && { tone })}>
        {tone === 'ok' && <Icon name="check" small />}
        {word}
      </Tag>
      {delivery.rerun && (
        <Tag tone="fork">
          <Icon name="fork" small />
          Re-run after a reorganisation
        </Tag>
      )}
      {delivery.superseded && <Tag>Superseded</Tag>}
      {delivery.replay && <Tag>Replay</Tag>}
      {delivery.kind === 'error' && <Tag tone="bad">Error event</Tag>}
      <span class="grow" />
      <span class="quiet small">{costText(delivery)}</span>
    </div>
  )
}

/** Bytes cost when they are accepted; errors cost nothing. */
function costText({ bytes: size, kind, status }: DeliveryDetail): string {
  if (size === null) return ''
  if (kind === 'error') return `${bytes(size)} · 0 CU`
  const price = cu((size * CENTI_CU_A_BYTE) / 100)
  return `${bytes(size)} · ${status === 'delivered' ? price : `${price} once accepted`}`
}
