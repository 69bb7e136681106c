import { useEffect, useMemo, useRef } from 'preact/hooks'
import { LoadFault, SkeletonRows } from '../../../parts/empty.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { CopyButton } from '../../../parts/text/copy-button.tsx'
import { middleCut } from '../../../parts/text/format.ts'
import { useShortcuts } from '../../../shell/keys/shortcuts.ts'
import { DrawerHead } from './delivery-summary.tsx'
import { DrawerBody } from './drawer-body.tsx'
import { useDelivery } from './use-delivery.ts'
import { useResend } from './use-resend.ts'

type DrawerProps = { id: string; onClose(): void; onStep(by: number): void }

/** Narrower windows show the drawer over the page instead of beside the log. */
const OVER_THE_PAGE = '(max-width: 1240px)'

/** One delivery: what was sent, how each attempt went, and how it can be sent again. */
export function DeliveryDrawer({ id, onClose, onStep }: DrawerProps) {
  const { delivery, error, reload } = useDelivery(id)
  const resend = useResend(reload)
  const isWaiting = delivery?.status === 'waiting'
  const send = () => void resend(id)
  const shortcuts = useMemo(() => [{ keys: 'r', does: 'Resend the delivery', run: send }], [id])
  useShortcuts(delivery && !isWaiting ? shortcuts : [])
  const ref = useRef<HTMLElement>(null)
  useEffect(() => {
    if (matchMedia(OVER_THE_PAGE).matches) ref.current?.focus()
  }, [])
  return (
    <aside class="drawer" ref={ref} tabIndex={-1} aria-label="Delivery">
      <DrawerHead delivery={delivery} onClose={onClose} onStep={onStep} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys. */}
      <div class="dbody" tabIndex={0} aria-busy={delivery?.id !== id}>
        {delivery ? <DrawerBody delivery={delivery} /> : !error && <SkeletonRows rows={6} />}
        {error !== undefined && <LoadFault error={error} retry={reload} />}
      </div>
      <div class="df">
        <button
          type="button"
          class="btn"
          disabled={!delivery || isWaiting}
          title={isWaiting ? 'It still waits to be sent' : ''}
          onClick={send}
        >
          <Icon name="again" />
          Resend <kbd>R</kbd>
        </button>
        <span class="grow" />
        <span class="mono">{middleCut(id, { head: 10, tail: 4 })}</span>
        <CopyButton text={id} what="the delivery id" />
      </div>
    </aside>
  )
}
