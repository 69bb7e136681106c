import { useRef } from 'preact/hooks'
import { callApi } from '../../../api/call-api.ts'
import { useLiveBatch } from '../../../api/use-live-batch.ts'
import type { WireDelivery } from '../../../api/wire.ts'
import { ms } from '../../../parts/text/format.ts'
import { say, sayRefused } from '../../../shell/toasts.tsx'
import { outcomeOf } from '../log/delivery-words.ts'

/** Sends a delivery again, and says what came of it when that is known. */
export function useResend(onSent: () => void): (id: string) => Promise<void> {
  const sent = useRef(new Set<string>())
  useLiveBatch('delivery', (events) => {
    for (const delivery of events) {
      if (delivery.attempts_made === 0 || !sent.current.delete(delivery.id)) continue
      if (delivery.status === 'delivered') say(`Sent again: ${answerText(delivery)}`)
      else sayRefused(`Resend got ${answerText(delivery)}`)
    }
  })
  return async (id) => {
    try {
      await callApi('resendDelivery', { parameters: { id } })
      sent.current.add(id)
      say('It is sent again')
      onSent()
    } catch (thrown) {
      sayRefused(thrown)
    }
  }
}

function answerText(delivery: WireDelivery): string {
  const { word } = outcomeOf(delivery)
  const took = delivery.took_ms === null ? '' : ` in ${ms(delivery.took_ms)}`
  const isDue = delivery.status === 'waiting' ? '; it is tried again' : ''
  return `${word || 'no answer'}${took}${isDue}`
}
