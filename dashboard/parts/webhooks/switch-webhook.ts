import type { Webhook } from '@headgate/client'
import { callApi } from '../../api/call-api.ts'
import { patchAnswers } from '../../api/use-call.ts'
import { say, sayRefused } from '../../shell/toasts.tsx'
import { nameOf, webhookState } from './webhook-state.ts'

/** Pauses or unpauses at once, with a way back for 8 s; a refusal puts it back and says why. */
export async function switchWebhook(webhook: Webhook, isActive: boolean): Promise<void> {
  patchWebhook(webhook.id, (old) => switched(old, isActive))
  try {
    const body = { webhook_id: webhook.id, is_active: isActive }
    const { data } = await callApi('updateWebhook', { body })
    patchWebhook(webhook.id, () => data)
    if (data.is_active !== isActive) {
      sayRefused(`${nameOf(webhook)} was paused again: ${webhookState(data).reason.toLowerCase()}`)
      return
    }
    const undo = () => void switchWebhook(data, !isActive)
    const words = isActive ? 'is active from the next block on' : 'is paused'
    say(`${nameOf(webhook)} ${words}`, undo)
  } catch (thrown) {
    patchWebhook(webhook.id, () => webhook)
    sayRefused(thrown)
  }
}

export function patchWebhook(id: string, change: (webhook: Webhook) => Webhook): void {
  patchAnswers('listWebhooks', ({ data }) => ({
    data: data.map((one) => (one.id === id ? change(one) : one)),
  }))
}

function switched(webhook: Webhook, isActive: boolean): Webhook {
  return {
    ...webhook,
    is_active: isActive,
    state: isActive ? 'active' : 'paused',
    deactivation_reason: isActive ? null : 'MANUAL',
  }
}
