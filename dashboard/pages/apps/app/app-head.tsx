import type { App } from '@headgate/client'
import { useState } from 'preact/hooks'
import { callApi } from '../../../api/call-api.ts'
import { invalidate, useCall } from '../../../api/use-call.ts'
import { Button, IconButton } from '../../../parts/button.tsx'
import { ConfirmDialog, FormDialog } from '../../../parts/dialog.tsx'
import { TextField } from '../../../parts/forms/field.tsx'
import { plural } from '../../../parts/text/format.ts'
import { TimeAgo } from '../../../parts/text/time-ago.tsx'
import { navigate } from '../../../shell/routing/router.ts'
import { say } from '../../../shell/toasts.tsx'
import { sendChange, showApp, switchApp } from '../app-changes.ts'

type Asking = 'edit' | 'rotate' | 'delete' | null

export function AppHead({ app }: { app: App }) {
  const [asking, ask] = useState<Asking>(null)
  const close = () => ask(null)
  return (
    <div class="head">
      <h1 class="wraps">{app.name}</h1>
      <span class={app.is_active ? 'tag ok' : 'tag'}>
        <span class={app.is_active ? 'dot ok' : 'dot ring'} />
        {app.is_active ? 'Active' : 'Inactive: its key gets 403'}
      </span>
      <div class="acts">
        <Button icon="edit" onClick={() => ask('edit')}>
          Edit
        </Button>
        <Button icon="rotate" onClick={() => ask('rotate')}>
          Rotate key
        </Button>
        <Button class={app.is_active ? 'danger' : ''} onClick={() => switchApp(app)}>
          {app.is_active ? 'Deactivate' : 'Activate'}
        </Button>
        <IconButton
          icon="trash"
          label={`Delete ${app.name}`}
          title="Delete"
          onClick={() => ask('delete')}
        />
      </div>
      <p class="sub wraps">
        {app.description && `${app.description} · `}
        <span class="mono tiny">{app.id}</span> · created <TimeAgo at={app.time_created} />
      </p>
      {asking === 'edit' && <EditAppDialog app={app} onClose={close} />}
      {asking === 'rotate' && <RotateKeyDialog app={app} onClose={close} />}
      {asking === 'delete' && <DeleteAppDialog app={app} onClose={close} />}
    </div>
  )
}

function EditAppDialog({ app, onClose }: { app: App; onClose(): void }) {
  const [name, setName] = useState(app.name)
  const [description, setDescription] = useState(app.description)
  const save = async () => {
    await sendChange(app.id, { name: name.trim(), description: description.trim() })
    say(`Saved ${name.trim()}`)
    onClose()
  }
  return (
    <FormDialog title={`Edit ${app.name}`} action="Save" onSend={save} onClose={onClose}>
      <TextField isFirst label="Name" value={name} maxLength={100} onChange={setName} />
      <TextField
        label="Description, optional"
        value={description}
        maxLength={1000}
        onChange={setDescription}
      />
    </FormDialog>
  )
}

type Props = { app: App; onClose(): void }

function RotateKeyDialog({ app, onClose }: Props) {
  const used = useUsedWords(app.id)
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
        <span class="ic">{app.key.slice(-4)}</span>, get 401 within a second. {used}
      </p>
    </ConfirmDialog>
  )
}

function DeleteAppDialog({ app, onClose }: Props) {
  const used = useUsedWords(app.id)
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
        Its key gets 401 within a second, for good. {used} Its usage stays on the team’s account.
        {linked > 0 &&
          ` ${plural(linked, 'webhook goes', 'webhooks go')} on, without an app to be counted for.`}
      </p>
    </ConfirmDialog>
  )
}

/** How much it is used; nothing until that is known. */
function useUsedWords(id: string): string {
  const { data } = useCall('getCallStats', { app_id: id })
  if (!data) return ''
  const calls = data.data[0]?.calls ?? 0
  return `It made ${calls === 0 ? 'no calls' : plural(calls, 'call')} in the last 24 hours.`
}
