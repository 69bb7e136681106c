import type { Webhook } from '@headgate/client'
import { callApi } from '../../api/call-api.ts'
import { invalidate, patchAnswers, useCall } from '../../api/use-call.ts'
import { say } from '../../shell/toasts.tsx'
import { ConfirmDialog } from '../dialog.tsx'
import { plural } from '../text/format.ts'
import { nameOf } from './webhook-state.ts'

export function DeleteWebhook(props: { webhook: Webhook; onGone(): void; onClose(): void }) {
  const { webhook } = props
  const stats = useCall('getWebhookStats').data?.data
  const found = stats?.find(({ webhook_id }) => webhook_id === webhook.id)
  const waiting = found?.last_24_hours.waiting ?? 0
  const remove = async () => {
    await callApi('deleteWebhook', { parameters: { webhook_id: webhook.id } })
    patchAnswers('listWebhooks', ({ data }) => ({
      data: data.filter(({ id }) => id !== webhook.id),
    }))
    invalidate('listWebhooks', 'getWebhookStats')
    say(`${nameOf(webhook)} is deleted`)
    props.onGone()
  }
  return (
    <ConfirmDialog
      title={`Delete ${nameOf(webhook)}?`}
      action="Delete webhook"
      typed={nameOf(webhook)}
      onConfirm={remove}
      onClose={props.onClose}
    >
      <p>
        {waiting > 0 &&
          `${plural(waiting, 'delivery', 'deliveries')} still ${waiting === 1 ? 'waits' : 'wait'} and ${
            waiting === 1 ? 'is' : 'are'
          } cancelled. `}
        Nothing is evaluated or sent for it any more, and its signing key is gone. Its deliveries
        stay in the log until they are too old. Variables stay.
      </p>
    </ConfirmDialog>
  )
}
