import { callApi } from '../../../api/call-api.ts'
import { invalidate, useCall } from '../../../api/use-call.ts'
import type { WireApp } from '../../../api/wire.ts'
import { ConfirmDialog } from '../../../parts/dialog.tsx'
import { plural } from '../../../parts/text/format.ts'
import { navigate } from '../../../shell/routing/router.ts'
import { say } from '../../../shell/toasts.tsx'
import { showApp } from '../app-changes.ts'

type Props = { app: WireApp; onClose(): void }

export function RotateKeyDialog({ app, onClose }: Props) {
  const calls = useCallsOfLastDay(app.id)
  const rotate = async () => {
    const { data } = await callApi('rotateAppKey', { parameters: { id: app.id } })
    showApp(data)
    invalidate('listApps')
    say(`${app.name} has a new key. The old one gets 401.`)
  }
  return (
    <ConfirmDialog
      title={`Rotate the key of ${app.name}?`}
      action="Rotate key"
      typed={app.name}
      onConfirm={rotate}
      onClose={onClose}
    >
      <p class="quiet">
        A new key is made now. Calls with the old key, ending in{' '}
        <span class="ic">{app.key.slice(-4)}</span>, get 401 within a second. {usedWords(calls)}
      </p>
    </ConfirmDialog>
  )
}

export function DeleteAppDialog({ app, onClose }: Props) {
  const calls = useCallsOfLastDay(app.id)
  const webhooks = useCall('listWebhooks').data?.data ?? []
  const linked = webhooks.filter(({ app_id }) => app_id === app.id).length
  const remove = async () => {
    await callApi('deleteApp', { parameters: { id: app.id } })
    navigate('/apps', { replace: true })
    invalidate('listApps', 'listWebhooks')
    say(`${app.name} is deleted. Its key gets 401.`)
  }
  return (
    <ConfirmDialog
      title={`Delete ${app.name}?`}
      action="Delete app"
      typed={app.name}
      onConfirm={remove}
      onClose={onClose}
    >
      <p class="quiet">
        Its key gets 401 within a second, for good. {usedWords(calls)} Its usage stays on the team’s
        account.
        {linked > 0 &&
          ` ${plural(linked, 'webhook goes', 'webhooks go')} on, without an app to be counted for.`}
      </p>
    </ConfirmDialog>
  )
}

/** Null until it is known. */
function useCallsOfLastDay(id: string): number | null {
  const { data } = useCall('getCallStats', { app_id: id })
  return data ? (data.data[0]?.calls ?? 0) : null
}

function usedWords(calls: number | null): string {
  if (calls === null) return ''
  if (calls === 0) return 'It made no calls in the last 24 hours.'
  return `It made ${plural(calls, 'call')} in the last 24 hours.`
}
