import type { Delivery, DeliveryDetail } from '@headgate/client'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { callApi } from '../../../api/call-api.ts'
import { useLiveBatch } from '../../../api/use-live-batch.ts'
import { Button } from '../../../parts/button.tsx'
import { LoadFault, SkeletonRows } from '../../../parts/empty.tsx'
import { Fact } from '../../../parts/fact.tsx'
import { CopyButton } from '../../../parts/text/copy-button.tsx'
import { middleCut, ms } from '../../../parts/text/format.ts'
import { useShortcuts } from '../../../shell/keys/shortcuts.ts'
import { attempt, say, sayRefused } from '../../../shell/toasts.tsx'
import { outcomeOf } from '../log/delivery-words.ts'
import { AttemptList } from './attempt-list.tsx'
import { DeliveryTags, DrawerHead } from './delivery-summary.tsx'
import { DeliveryTexts } from './delivery-texts.tsx'
import { VersionPair } from './version-pair.tsx'

type DrawerProps = { id: string; onClose(): void; onStep(by: number): void }

/** Narrower windows show the drawer over the page instead of beside the log. */
const OVER_THE_PAGE = '(max-width: 1240px)'

export function DeliveryDrawer({ id, onClose, onStep }: DrawerProps) {
  const { delivery, error, reload } = useDelivery(id)
  const resend = useResend(reload)
  const isWaiting = delivery?.status === 'waiting'
  const send = () => void resend(id)
  const mayResend = delivery && !isWaiting
  useShortcuts(mayResend ? [{ keys: 'r', does: 'Resend the delivery', run: send }] : [])
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
        <Button
          icon="again"
          disabled={!delivery || isWaiting}
          title={isWaiting ? 'It still waits to be sent' : ''}
          onClick={send}
        >
          Resend <kbd>R</kbd>
        </Button>
        <span class="grow" />
        <span class="mono">{middleCut(id, { head: 10, tail: 4 })}</span>
        <CopyButton text={id} what="the delivery id" />
      </div>
    </aside>
  )
}

type Shown = { delivery: DeliveryDetail | null; error: unknown }

/**
 * One delivery with its body. The last one stays in view until the next is there. Bodies can be
 * large, so that none is kept beside the one in view.
 */
function useDelivery(id: string): Shown & { reload(): void } {
  const [shown, show] = useState<Shown>({ delivery: null, error: undefined })
  const [turn, setTurn] = useState(0)
  const reload = useCallback(() => setTurn((old) => old + 1), [])
  useEffect(() => {
    const asked = new AbortController()
    callApi('getDelivery', { parameters: { id }, signal: asked.signal })
      .then(({ data }) => show({ delivery: data, error: undefined }))
      .catch((error) => asked.signal.aborted || show({ delivery: null, error }))
    return () => asked.abort()
  }, [id, turn])
  useLiveBatch('delivery', (events) => {
    if (events.some((event) => event.id === id)) reload()
  })
  return { ...shown, reload }
}

function DrawerBody({ delivery }: { delivery: DeliveryDetail }) {
  return (
    <>
      <DeliveryTags delivery={delivery} />
      <VersionPair key={delivery.id} delivery={delivery} />
      <AttemptList delivery={delivery} />
      <section aria-label="What was sent">
        <DeliveryTexts delivery={delivery} />
      </section>
      <SignatureNote webhookId={delivery.webhook_id} />
    </>
  )
}

function SignatureNote({ webhookId }: { webhookId: string }) {
  return (
    <details class="sig">
      <summary>How it is signed</summary>
      <dl class="kv">
        <Fact name={<code>x-service-signature</code>}>
          The hex HMAC-SHA256 of the raw body, keyed with the whole signing key, its prefix
          included.
        </Fact>
        <Fact name={<code>webhook-signature</code>}>
          The base64 HMAC-SHA256 of <code>webhook-id.webhook-timestamp.body</code>, keyed with the
          bytes that the key after <code>whsec_</code> is the base64 of (Standard Webhooks). It
          covers the time of the attempt, so that a recorded request is worth nothing later.
        </Fact>
      </dl>
      <p class="hint">
        Snippets that check both are under{' '}
        <a href={`/webhooks/${webhookId}?tab=key`}>Signing key</a>.
      </p>
    </details>
  )
}

function useResend(onSent: () => void): (id: string) => Promise<void> {
  const sent = useRef(new Set<string>())
  useLiveBatch('delivery', (events) => {
    for (const delivery of events) {
      if (delivery.attempts_made === 0 || !sent.current.delete(delivery.id)) continue
      if (delivery.status === 'delivered') say(`Sent again: ${answerText(delivery)}`)
      else sayRefused(`Resend got ${answerText(delivery)}`)
    }
  })
  return (id) =>
    attempt(async () => {
      await callApi('resendDelivery', { parameters: { id } })
      sent.current.add(id)
      say('It is sent again')
      onSent()
    })
}

function answerText(delivery: Delivery): string {
  const { word } = outcomeOf(delivery)
  const took = delivery.took_ms === null ? '' : ` in ${ms(delivery.took_ms)}`
  const isDue = delivery.status === 'waiting' ? '; it is tried again' : ''
  return `${word || 'no answer'}${took}${isDue}`
}
